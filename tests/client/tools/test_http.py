"""The tools at /mcp, with the key of each request: the protocol's own client over HTTP."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.client.tools.conftest import HELLO, Agent


@pytest.fixture(scope="module")
def over_http(portal, served):
    """Connect to /mcp: ``over_http("all")``."""

    def over_http(key, mode="auto"):
        headers = {"Authorization": f"Bearer {served.keys[key]}"}
        http = portal.connect(httpx2.AsyncClient(headers=headers, timeout=60))
        client = Client(streamable_http_client(f"{served.url}/mcp", http_client=http), mode=mode)
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
