"""What is true of every operation: errors, caching, methods, credentials."""

import asyncio
import re
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from handlers.api.application import create_api
from handlers.http.one_thread import DEPRECATION_POLICY
from handlers.majors import major_of
from handlers.site.guide.guide_views import FILES
from openapi.contract import load_contract
from openapi.vocabulary import Plan
from storage.models import ApiKey

KEY = "cw_000000000000_" + "0" * 38


def test_error_always_equals_message(client):
    for path in (
        "/api/v1/entries",
        "/api/v1/latest?limit=0",
        "/api/v1/nothing",
        "/api/v1//sources",
    ):
        error = client.get(path).json()
        assert error["error"] == error["message"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing",
        "/api/v1",
        "/api/v1/",
        "/api/v1//sources",
        "/api/v1/sources/",
        "/api/v1/SOURCES",
    ],
)
def test_an_unknown_path_is_not_found(client, path):
    response = client.get(path, follow_redirects=False)

    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE"])
def test_another_method_is_refused_with_those_there_are(client, method):
    response = client.request(method, "/api/v1/latest")

    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=101",
        "limit=1_0",
        "limit=%2B5",
        "limit=%D9%A3",
        "limit=5.0",
        "limit=",
        "limit=1e1",
        "limit=1&limit=2",
        "sinse=x",
        "offset=-1",
        "limit=%ff",
        "limit=99999999999999999999",
    ],
)
def test_a_query_that_the_contract_refuses_gets_the_same_400(client, query):
    response = client.get(f"/api/v1/latest?{query}")

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert response.json()["message"].startswith("One or more query parameters are invalid.")
    assert "/openapi.json" in response.json()["hint"]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Api-Key": "nonsense"},
        {"X-Api-Key": KEY},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Basic eDp5"},
        {"Authorization": "Bearer"},
        {"X-Api-Key": ""},
    ],
)
@pytest.mark.parametrize(
    "path", ["/api/v1/sources", "/api/v1/latest", "/api/v1/entries?sources=a.b"]
)
def test_a_key_that_is_not_one_is_refused_everywhere_in_the_same_words(client, path, headers):
    response = client.get(path, headers=headers)

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.content == client.get("/api/v1/entries").content


def test_a_bad_key_comes_before_a_bad_parameter(client):
    assert client.get("/api/v1/latest?limit=0", headers={"X-Api-Key": "x"}).status_code == 401


def test_both_headers_carry_a_key_and_may_carry_the_same(client, new_key):
    key = new_key()["X-Api-Key"]

    for headers in (
        {"Authorization": f"Bearer {key}"},
        {"authorization": f"bearer {key}"},
        {"Authorization": f"Bearer {key}", "X-Api-Key": key},
    ):
        assert "sample" not in client.get("/api/v1/sources", headers=headers).json()


def test_two_different_keys_are_refused(client, new_key):
    headers = {"Authorization": f"Bearer {new_key()['X-Api-Key']}", **new_key()}

    assert client.get("/api/v1/sources", headers=headers).status_code == 401


def test_an_expired_key_is_refused(client, new_key, now):
    assert client.get("/api/v1/sources", headers=new_key(expires_at=now)).status_code == 401


def test_a_get_answer_is_not_sent_again_to_who_has_it(client, publish):
    publish("acme.mail", a=timedelta(hours=1))
    first = client.get("/api/v1/latest")

    again = client.get("/api/v1/latest", headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]


@pytest.mark.parametrize(
    ("if_none_match", "status"),
    [('"other"', 200), ("*", 304), ('W/"other", {etag}', 304), ("W/{etag}", 304), ("", 200)],
)
def test_if_none_match_is_read_as_http_says(client, if_none_match, status):
    etag = client.get("/api/v1/latest").headers["ETag"]

    headers = {"If-None-Match": if_none_match.format(etag=etag)}

    assert client.get("/api/v1/latest", headers=headers).status_code == status


def test_a_changed_answer_has_another_etag(client, publish):
    before = client.get("/api/v1/latest").headers["ETag"]
    publish("acme.mail", a=timedelta(hours=1))

    assert client.get("/api/v1/latest").headers["ETag"] != before


def test_a_revoked_key_gets_no_304(client, services, database, publish, new_key):
    publish("acme.mail", a=timedelta(hours=1))
    key = new_key()
    etag = client.get("/api/v1/entries?sources=acme.mail", headers=key).headers["ETag"]
    with database.write() as session:
        session.execute(update(ApiKey).values(revoked_at=services.now()))

    headers = {**key, "If-None-Match": etag}
    response = client.get("/api/v1/entries?sources=acme.mail", headers=headers)

    assert response.status_code == 401


def test_answers_to_keys_are_private_and_all_say_what_they_vary_by(client, new_key):
    anonymous = client.get("/api/v1/sources").headers
    with_key = client.get("/api/v1/sources", headers=new_key(Plan.FREE)).headers

    assert anonymous["Cache-Control"] == "public, max-age=60"
    assert with_key["Cache-Control"] == "private, no-cache"
    assert anonymous["Vary"] == with_key["Vary"] == "Authorization, X-Api-Key, Cookie"


def test_head_is_answered_as_get_without_the_body(client):
    head, get = client.head("/api/v1/latest"), client.get("/api/v1/latest")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"]


def test_options_says_what_a_page_of_another_site_may_do(client):
    response = client.options("/api/v1/sources/request")

    assert (response.status_code, response.headers["Allow"]) == (204, "OPTIONS, POST")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(
    ("content", "content_type", "status", "code"),
    [
        (b"{}", "application/json", 400, "invalid_request"),
        (b"", "application/json", 400, "invalid_request"),
        (b"[]", "application/json", 400, "invalid_request"),
        (b"{bad", "application/json", 400, "invalid_request"),
        (b'{"url": "not a uri"}', "application/json", 400, "invalid_request"),
        (b'{"url": "ftp://a.example/"}', "application/json", 400, "invalid_request"),
        (
            b'{"url": "https://a.example/", "note": "\\ud800"}',
            "application/json",
            400,
            "invalid_request",
        ),
        (b'{"url": NaN}', "application/json", 400, "invalid_request"),
        (b'{"url": ' + b"9" * 6000 + b"}", "application/json", 400, "invalid_request"),
        (b"[" * 20000, "application/json", 400, "invalid_request"),
        (b'{"url": "https://a.example/"}', "text/plain", 415, "unsupported_media_type"),
        (b'{"url": "https://a.example/"}', "Application/JSON", 201, None),
    ],
)
def test_bodies_are_read_strictly(client, content, content_type, status, code):
    response = client.post(
        "/api/v1/sources/request", content=content, headers={"Content-Type": content_type}
    )

    assert (response.status_code, response.json().get("code")) == (status, code)


@pytest.fixture
def deprecated(services):
    """A client of an API whose operation ``list_latest`` is deprecated."""
    contract = load_contract()
    dates = {"x-deprecated-at": "2026-01-01", "x-sunset": "2027-01-01"}
    contract["paths"]["/latest"]["get"] |= {"deprecated": True, **dates}
    api = create_api(replace(services, majors=(major_of(contract),)))
    return TestClient(api, base_url="http://127.0.0.1:8080")


@pytest.mark.parametrize(("query", "status"), [("", 200), ("?limit=0", 400)])
def test_a_deprecated_operation_announces_its_end(deprecated, query, status):
    old = deprecated.get(f"/api/v1/latest{query}")
    new = deprecated.get(f"/api/v1/important{query}").headers

    assert old.status_code == status
    assert old.headers["Deprecation"] == "@1767225600"
    assert old.headers["Sunset"] == "Fri, 01 Jan 2027 00:00:00 GMT"
    assert not {"deprecation", "sunset"} & set(new)


def test_a_deprecated_page_names_its_neighbours_and_the_policy(deprecated):
    pattern = load_contract()["components"]["headers"]["Link"]["schema"]["pattern"]

    link = deprecated.get("/api/v1/latest").headers["Link"]

    policy = '<https://changewire.example/guide/deprecation>; rel="{}"; type="text/html"'
    first, last, *policies = link.split(", ")
    assert ("first" in first, "last" in last) == (True, True)
    assert policies == [policy.format("deprecation"), policy.format("sunset")]
    assert re.search(pattern, link)
    assert DEPRECATION_POLICY.removeprefix("/guide/") in FILES


def test_requests_at_the_same_time_are_not_mixed_up(services, new_key, call_asgi):
    api, shared = create_api(services), {}
    headers = {"Host": "127.0.0.1", **new_key()}
    paths = ["/api/v1/sources", "/api/v1/latest", "/api/v1/important"] * 10

    async def ask(path):
        status, _, body = await call_asgi(api, path, headers, extensions=shared)
        return status, "slug" in str(orjson.loads(body))

    async def ask_all():
        return await asyncio.gather(*map(ask, paths))

    assert asyncio.run(ask_all()) == [(200, path.endswith("sources")) for path in paths]
