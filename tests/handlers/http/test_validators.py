"""What reaches a handler follows the contract, and so does what it answers."""

import json

import pytest

from handlers.http.refusals import STATUSES
from openapi.queries import ListEntries, ListSources
from openapi.vocabulary import AdapterType, ErrorCode, Plan

JSON = {"content-type": "application/json"}
BODY = {"url": "https://acme.example/changelog"}

pytestmark = pytest.mark.usefixtures("examples")


def test_values_that_follow_the_contract_reach_the_handler(examples, client, new_key):
    response = client.get("/api/v1/entries?sources=a.b,c.d&limit=7", headers=new_key())

    assert response.status_code == 200
    assert examples.called_with["query"] == ListEntries(sources=("a.b", "c.d"), limit=7)
    assert examples.called_with["caller"].plan is Plan.ALL


def test_a_handler_has_the_names_of_the_contract_as_python_writes_them(examples, client):
    assert client.get("/api/v1/sources?adapterType=rss&q=a%20b").status_code == 200
    assert examples.called_with["query"] == ListSources(adapter_type=AdapterType.RSS, q="a b")
    assert examples.called_with["caller"] is None


@pytest.mark.parametrize("query", ["limit=1_0", "limit=1&limit=2", "limit=%D9%A3", "sinse=x"])
def test_a_query_that_breaks_the_contract_never_reaches_the_handler(examples, client, query):
    response = client.get(f"/api/v1/latest?{query}")

    assert response.status_code == 400
    assert examples.called_with == {}


def test_a_body_that_follows_the_contract_reaches_the_handler(examples, client):
    response = client.post("/api/v1/sources/request", json=BODY)

    assert response.status_code == 201
    assert examples.called_with["body"] == BODY


def test_a_body_in_pieces_reaches_the_handler_whole(examples, client):
    pieces = iter([b'{"url":', b' "https://acme.example', b'/changelog"}'])

    response = client.post("/api/v1/sources/request", content=pieces, headers=JSON)

    assert response.status_code == 201
    assert examples.called_with["body"] == BODY


@pytest.mark.parametrize("content_type", ["Application/JSON", "Application/JSON ; charset=UTF-8"])
def test_the_spelling_of_the_media_type_is_no_way_around_the_check(examples, client, content_type):
    headers = {"content-type": content_type}

    assert client.post("/api/v1/sources/request", content=b"{}", headers=headers).status_code == 400
    assert examples.called_with == {}


def test_a_body_without_a_media_type_is_taken_for_json(examples, client):
    response = client.post("/api/v1/sources/request", content=json.dumps(BODY).encode())

    assert response.status_code == 201
    assert examples.called_with["body"] == BODY


@pytest.mark.parametrize(
    "content_type", ["text/plain", "multipart/form-data", "application/jsonx", "a", ""]
)
def test_a_body_of_another_media_type_is_refused(client, content_type):
    headers = {"content-type": content_type}

    response = client.post("/api/v1/sources/request", content=b"{}", headers=headers)

    assert response.status_code == 415


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 60_000, b'{"url": "\\ud800"}', b"\xff"])
def test_a_broken_body_is_refused(client, body):
    response = client.post("/api/v1/sources/request", content=body, headers=JSON)

    assert response.status_code == 400


@pytest.mark.parametrize("content_type", ["multipart/form-data", "nonsense", "a/b/c"])
def test_a_body_that_an_operation_does_not_have_is_not_parsed(client, content_type):
    headers = {"content-type": content_type}

    response = client.request("GET", "/api/v1/latest", content=b"--nothing", headers=headers)

    assert response.status_code == 200


def test_an_answer_that_breaks_the_contract_does_not_go_out(examples, client):
    examples.answers["list_latest"] = (200, {}, b'{"feedUrl": "https://acme.example/feed"}')

    response = client.get("/api/v1/latest")

    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
    assert "acme.example" not in response.text


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (202, {}, b"{}"),
        (200, {"content-type": "text/html"}, b"<p>"),
        (200, {}, b""),
        (200, {"etag": 'W/"weak"'}, None),
        (304, {"etag": 'W/"weak"'}, b""),
    ],
    ids=str,
)
def test_a_status_a_media_type_or_a_header_that_breaks_it_does_not_go_out(
    examples, client, status, headers, body
):
    body = examples.answers["list_latest"][2] if body is None else body
    examples.answers["list_latest"] = (status, headers, body)

    assert client.get("/api/v1/latest").status_code == 500


def test_an_answer_to_head_is_that_to_get_without_its_body(client):
    response = client.head("/api/v1/latest")

    assert (response.status_code, response.content) == (200, b"")


def test_an_answer_to_head_that_breaks_the_contract_does_not_go_out(examples, client):
    examples.answers["list_latest"] = (200, {}, b"{}")

    response = client.head("/api/v1/latest")

    assert (response.status_code, response.content) == (500, b"")


def test_an_unchanged_answer_goes_out_without_a_body(examples, client):
    examples.answers["list_latest"] = (304, {"etag": '"a"'}, b"")

    response = client.get("/api/v1/latest")

    assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", '"a"')


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

    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
