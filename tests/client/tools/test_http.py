"""The tools at /mcp, with the key of each request: the protocol's own client over HTTP."""

import http.client
import json
from contextlib import closing
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.client.tools.conftest import CONFIGURATIONS, HELLO, Agent


@pytest.fixture(scope="module")
def over_http(portal, served):
    """Connect to /mcp: ``over_http("all")``."""

    def over_http(key, mode="auto"):
        shown = CONFIGURATIONS[1]
        headers = {k: v.replace("cw_…", served.keys[key]) for k, v in shown["headers"].items()}
        url = shown["url"].replace("https://changewire.example", served.url)
        http = portal.connect(httpx2.AsyncClient(headers=headers, timeout=60))
        client = Client(streamable_http_client(url, http_client=http), mode=mode)
        return Agent(portal, portal.connect(client), None)

    return over_http


def post(url, body=None, **headers):
    """Send one message and return status, headers and body."""
    request = Request(
        f"{url}/mcp",
        json.dumps(body or HELLO).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        },
    )
    try:
        with urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_same_tools_answer_the_same_over_http(over_http, agent, mode):
    there = over_http("diffs", mode)
    arguments = {"sources": ["acme.storage"], "limit": 3}

    assert there.ask("list_tools").tools == agent.ask("list_tools").tools
    assert there.instructions == agent.instructions
    over_wire = there.call("get_entries", **arguments).structured_content
    assert over_wire == agent.call("get_entries", **arguments).structured_content
    assert there.call("get_diffs", source="acme.compute").structured_content["total"] == 1


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer cw_no"}])
def test_without_a_live_key_it_says_where_it_is_described(served, headers):
    status, answered, _ = post(served.url, **headers)
    described = f"{served.url}/.well-known/oauth-protected-resource/mcp"

    assert status == 401
    assert f'resource_metadata="{described}"' in answered["WWW-Authenticate"]
    with urlopen(described, timeout=60) as answer:
        metadata = json.load(answer)
    assert metadata["resource"] == f"{served.url}/mcp"
    assert metadata["bearer_methods_supported"] == ["header"]
    assert "authorization_servers" not in metadata  # keys are made on the site, by people


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("http://localhost:6274", 200), ("null", 403)],
)
def test_pages_of_strangers_cannot_ask(served, origin, status):
    key = {"Authorization": f"Bearer {served.keys['all']}"}

    assert post(served.url, Origin=origin, **key)[0] == status


def asked(served, method, **headers):
    """Send a request without a body and return its answer as soon as its headers are there."""
    with closing(http.client.HTTPConnection(served.url.partition("//")[2], timeout=1)) as there:
        there.request(method, "/mcp", headers=headers)
        return there.getresponse()


def test_a_browser_may_ask_before_it_sends_a_key(served):
    preflight = {"Access-Control-Request-Method": "POST"}
    names = {"Access-Control-Request-Headers": "authorization, mcp-method"}

    answer = asked(served, "OPTIONS", Origin="http://localhost:6274", **preflight, **names)

    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "http://localhost:6274"
    assert "mcp-method" in answer.headers["Access-Control-Allow-Headers"]
    stranger = asked(served, "OPTIONS", Origin="https://evil.example", **preflight)
    assert "Access-Control-Allow-Origin" not in stranger.headers


def test_a_stream_of_events_begins_at_once(served):
    key = {"Authorization": f"Bearer {served.keys['all']}"}

    assert asked(served, "GET", Accept="text/event-stream", **key).status == 200


@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("body", [[HELLO], {**HELLO, "id": None}, 7], ids=["batch", "null", "7"])
def test_what_is_not_one_message_is_refused_in_every_version(served, version, body):
    key = {"Authorization": f"Bearer {served.keys['all']}", "MCP-Protocol-Version": version}

    status, _, answer = post(served.url, body, **key)

    assert (status, json.loads(answer)["id"]) == (400, None)
    assert json.loads(answer)["error"]["code"] == -32600


def test_a_call_of_the_protocol_of_2026_07_needs_no_hello(served):
    name = "io.modelcontextprotocol/"
    about = {f"{name}protocolVersion": "2026-07-28", f"{name}clientCapabilities": {}}
    call = {"name": "get_latest", "arguments": {"limit": 2.0}, "_meta": about}
    headers = {
        "Authorization": f"Bearer {served.keys['all']}",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "get_latest",
    }
    body = {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": call}

    status, _, answer = post(served.url, body, **headers)

    assert status == 200
    assert len(json.loads(answer)["result"]["structuredContent"]["items"]) == 2


@pytest.mark.slow
def test_a_key_that_asks_too_often_is_told_when_to_come_back(served):
    key = {"Authorization": f"Bearer {served.keys['all without scope']}"}
    statuses = [post(served.url, **key)[0] for _ in range(121)]

    status, headers, body = post(served.url, **key)

    assert statuses[:120] == [200] * 120
    assert (statuses[120], status) == (429, 429)
    assert 1 <= int(headers["Retry-After"]) <= 60
    assert '"minute";q=120' in headers["RateLimit-Policy"]
    assert json.loads(body)["code"] == "rate_limited"
