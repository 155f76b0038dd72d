"""What reaches a handler follows the contract, and so does what it answers."""

import gzip

import pytest

from handlers.http.refusals import STATUSES
from openapi.queries import ListSources
from openapi.vocabulary import AdapterType, ErrorCode, Plan

BODY = {"url": "https://acme.example/changelog"}

pytestmark = pytest.mark.usefixtures("examples")


def test_values_that_follow_the_contract_reach_the_handler(examples, client, new_key):
    response = client.get("/api/v1/sources?adapterType=rss&q=a%20b&limit=7", headers=new_key())

    query = ListSources(adapter_type=AdapterType.RSS, q="a b", limit=7)
    assert (response.status_code, examples.called_with["query"]) == (200, query)
    assert examples.called_with["caller"].plan is Plan.ALL


def test_a_query_that_breaks_the_contract_never_reaches_the_handler(examples, client):
    response = client.get("/api/v1/latest?limit=1_0")

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert response.json()["message"].startswith("One or more query parameters are invalid.")
    assert examples.called_with == {}


def test_a_body_in_pieces_reaches_the_handler_whole(examples, client):
    pieces = iter([b'{"url":', b' "https://acme.example', b'/changelog"}'])

    response = client.post("/api/v1/sources/request", content=pieces)

    assert (response.status_code, examples.called_with["body"]) == (201, BODY)


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("Application/JSON ; charset=UTF-8", b"{}", 400),
        ("application/json", b"[" * 60_000, 400),
        ("multipart/form-data", b"{}", 415),
        ("application/jsonx", b"{}", 415),
        ("", b"{}", 415),
    ],
)
def test_no_spelling_of_the_media_type_is_a_way_around_the_check(
    examples, client, content_type, body, status
):
    headers = {"content-type": content_type}

    response = client.post("/api/v1/sources/request", content=body, headers=headers)

    assert (response.status_code, examples.called_with) == (status, {})


def test_a_compressed_body_is_not_supported(client):
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    body = gzip.compress(b'{"url": "https://acme.example/changelog"}')

    response = client.post("/api/v1/sources/request", content=body, headers=headers)

    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("content_type", ["multipart/form-data", "nonsense"])
def test_a_body_that_an_operation_does_not_have_is_not_parsed(client, content_type):
    headers = {"content-type": content_type}

    response = client.request("GET", "/api/v1/latest", content=b"--nothing", headers=headers)

    assert response.status_code == 200


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {}, b'{"feedUrl": "https://acme.example/feed"}'),
        (202, {}, b"{}"),
        (200, {"content-type": "text/html"}, b"<p>"),
        (200, {}, b""),
        (304, {"etag": 'W/"weak"'}, b""),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_answer_that_breaks_the_contract_does_not_go_out(
    examples, client, method, status, headers, body
):
    examples.answers["list_latest"] = (status, headers, body)

    response = client.request(method, "/api/v1/latest")

    assert response.status_code == 500
    assert "acme.example" not in response.text
    assert method == "HEAD" or response.json()["code"] == "internal_error"


def test_no_etag_of_a_handler_stands_for_another_body(examples, client):
    bodies = {b'{"total":0,"limit":50,"offset":0,"items":[]}': 200, b"{}": 500}
    for body, status in bodies.items():
        examples.answers["list_latest"] = (200, {"etag": '"same"'}, body)
        assert client.get("/api/v1/latest").status_code == status


def test_a_verdict_on_headers_alone_is_that_of_their_operation(examples, client):
    unchanged = (304, {"etag": '"a"'}, b"")
    examples.answers |= {"list_latest": unchanged, "request_source": unchanged}

    answers = [
        (client.get("/api/v1/latest"), client.post("/api/v1/sources/request", json=BODY))
        for _ in range(2)
    ]

    assert [[each.status_code for each in both] for both in answers] == [[304, 500], [304, 500]]


def test_an_error_that_the_operation_does_not_promise_becomes_one_that_it_does(client, monkeypatch):
    monkeypatch.setitem(STATUSES, ErrorCode.INVALID_REQUEST, 418)

    response = client.get("/api/v1/latest?limit=0")

    assert (response.status_code, response.json()["code"]) == (500, "internal_error")


def test_a_handler_that_fails_still_gives_an_error_object(examples, client):
    del examples.answers["list_latest"]

    response = client.get("/api/v1/latest")

    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
