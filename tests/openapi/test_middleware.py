"""The validating layers, in the web framework that they are made for."""

import json

import pytest
from starlette.testclient import TestClient

JSON = {"content-type": "application/json"}
BODY = {"url": "https://acme.example/changelog"}


def test_values_that_follow_the_contract_reach_the_handler(client, example_api):
    answer = client.get("/api/v1/entries?sources=a.b,c.d&limit=7")

    assert answer.status_code == 200
    assert example_api.called_with == {"sources": ["a.b", "c.d"], "limit": 7, "offset": 0}


@pytest.mark.parametrize("query", ["limit=1_0", "limit=1&limit=2", "limit=%D9%A3", "sinse=x"])
def test_a_query_that_breaks_the_contract_never_reaches_the_handler(client, example_api, query):
    answer = client.get(f"/api/v1/latest?{query}")

    assert answer.status_code == 400
    assert example_api.called_with == {}


def test_a_body_that_follows_the_contract_reaches_the_handler(client, example_api):
    answer = client.post("/api/v1/sources/request", json=BODY)

    assert answer.status_code == 201
    assert example_api.called_with == {"body": BODY}


def test_a_body_in_pieces_reaches_the_handler_whole(client, example_api):
    pieces = iter([b'{"url":', b' "https://acme.example', b'/changelog"}'])

    answer = client.post("/api/v1/sources/request", content=pieces, headers=JSON)

    assert answer.status_code == 201
    assert example_api.called_with == {"body": BODY}


@pytest.mark.parametrize("content_type", ["Application/JSON", "application/json;charset=UTF-8"])
def test_the_spelling_of_the_media_type_is_no_way_around_the_check(
    client, example_api, content_type
):
    headers = {"content-type": content_type}

    assert client.post("/api/v1/sources/request", content=b"{}", headers=headers).status_code == 400
    assert example_api.called_with == {}


def test_a_body_without_a_media_type_is_taken_for_json(client, example_api):
    answer = client.post("/api/v1/sources/request", content=json.dumps(BODY).encode())

    assert answer.status_code == 201
    assert example_api.called_with == {"body": BODY}


@pytest.mark.parametrize("content_type", ["text/plain", "multipart/form-data", "application/xml"])
def test_a_body_of_another_media_type_is_refused(client, content_type):
    headers = {"content-type": content_type}

    answer = client.post("/api/v1/sources/request", content=b"{}", headers=headers)

    assert answer.status_code == 415


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 60_000, b'{"url": "\\ud800"}', b"\xff"])
def test_a_broken_body_is_refused(client, body):
    answer = client.post("/api/v1/sources/request", content=body, headers=JSON)

    assert answer.status_code == 400


def test_a_body_that_an_operation_does_not_have_is_not_parsed(client):
    headers = {"content-type": "multipart/form-data"}

    answer = client.request("GET", "/api/v1/latest", content=b"--nothing", headers=headers)

    assert answer.status_code == 200


def test_an_answer_that_breaks_the_contract_does_not_go_out(client, example_api):
    example_api.answers["list_latest"] = (200, {}, b'{"feedUrl": "https://acme.example/feed"}')

    answer = client.get("/api/v1/latest")

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal_error"
    assert "acme.example" not in answer.text


def test_an_answer_to_head_is_that_to_get_without_its_body(client):
    answer = client.head("/api/v1/latest")

    assert (answer.status_code, answer.content) == (200, b"")


def test_an_unchanged_answer_goes_out_without_a_body(client, example_api):
    example_api.answers["list_latest"] = (304, {"etag": '"a"'}, b"")

    answer = client.get("/api/v1/latest")

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", '"a"')


def test_a_verdict_on_headers_alone_is_that_of_their_operation(client, example_api):
    unchanged = (304, {"etag": '"a"'}, b"")
    example_api.answers |= {"list_latest": unchanged, "request_source": unchanged}

    answers = [
        (client.get("/api/v1/latest"), client.post("/api/v1/sources/request", json=BODY))
        for _ in range(2)
    ]

    assert [[each.status_code for each in both] for both in answers] == [[304, 500], [304, 500]]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/v1/nothing"), ("DELETE", "/api/v1/sources")]
)
def test_an_error_of_the_framework_is_held_back_unless_it_is_the_error_object(client, method, path):
    answer = client.request(method, path)

    assert answer.status_code == 500
    assert answer.json()["message"].startswith("The media type of a 400 must be")


def test_a_handler_that_fails_still_gives_an_error_object(client, example_api):
    del example_api.answers["list_latest"]

    answer = client.get("/api/v1/latest")

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal_error"


def test_an_application_that_says_nothing_gives_an_error_object(example_api):
    async def silent(scope, receive, send):
        raise RuntimeError("nothing to say")

    app = example_api.app()
    app._app = silent

    answer = TestClient(app, raise_server_exceptions=False).get("/api/v1/latest")

    assert answer.status_code == 500
    assert answer.json()["message"] == "There is no answer."
