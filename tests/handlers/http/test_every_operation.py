"""What is true of every operation: errors, caching, methods, credentials."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from starlette.testclient import TestClient

from handlers.api.application import create_api
from handlers.http.one_thread import DEPRECATION_POLICY
from handlers.majors import major_of
from handlers.site.guide.guide_views import FILES
from openapi.contract import load_contract
from openapi.vocabulary import Plan

KEY = "cw_000000000000_" + "0" * 38


@pytest.mark.parametrize(
    "path", ["/api/v1", "/api/v1/", "/api/v1//sources", "/api/v1/sources/", "/api/v1/SOURCES"]
)
def test_an_unknown_path_is_not_found(client, path):
    response = client.get(path, follow_redirects=False)

    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert response.json()["error"] == response.json()["message"]


@pytest.mark.parametrize("method", ["POST", "PUT", "TRACE"])
def test_another_method_is_refused_with_those_there_are(client, method):
    response = client.request(method, "/api/v1/latest")

    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Api-Key": KEY},
        {"X-Api-Key": ""},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic eDp5"},
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/latest?limit=0", "/api/v1/entries?sources=a.b"])
def test_a_key_that_is_not_one_is_refused_everywhere_in_the_same_words(client, path, headers):
    response = client.get(path, headers=headers)

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.content == client.get("/api/v1/entries").content


def test_both_headers_carry_a_key_and_may_carry_the_same(client, new_key):
    key = new_key()["X-Api-Key"]

    for headers in (
        {"authorization": f"bearer {key}"},
        {"Authorization": f"Bearer {key}", "X-Api-Key": key},
    ):
        assert "sample" not in client.get("/api/v1/sources", headers=headers).json()


@pytest.mark.parametrize(
    ("if_none_match", "status"),
    [('"other"', 200), ("*", 304), ('W/"other", {etag}', 304), ("W/{etag}", 304), ("", 200)],
)
def test_if_none_match_is_read_as_http_says(client, if_none_match, status):
    whole = client.get("/api/v1/latest")
    headers = {"If-None-Match": if_none_match.format(etag=whole.headers["ETag"])}

    response = client.get("/api/v1/latest", headers=headers)

    assert (response.status_code, response.headers["ETag"]) == (status, whole.headers["ETag"])
    assert response.content == (whole.content if status == 200 else b"")


def test_answers_to_keys_are_private_and_all_say_what_they_vary_by(client, new_key):
    anonymous = client.get("/api/v1/sources").headers
    with_key = client.get("/api/v1/sources", headers=new_key(Plan.FREE)).headers

    assert anonymous["Cache-Control"] == "public, max-age=60"
    assert with_key["Cache-Control"] == "private, no-cache"
    assert (
        anonymous["Vary"] == with_key["Vary"] == "Authorization, X-Api-Key, Cookie, Accept-Encoding"
    )


def test_head_is_answered_as_get_without_the_body(client):
    head, get = client.head("/api/v1/latest"), client.get("/api/v1/latest")

    assert (head.status_code, head.content, head.headers) == (200, b"", get.headers)


def test_options_says_what_a_page_of_another_site_may_do(client):
    response = client.options("/api/v1/sources/request")

    assert (response.status_code, response.headers["Allow"]) == (204, "OPTIONS, POST")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.fixture
def deprecated(services):
    """A client of an API whose operation ``list_latest`` is deprecated."""
    contract = load_contract()
    manual = (Path(__file__).parents[3] / "docs" / "deprecation.md").read_text()
    shown = yaml.load(re.findall(r"```yaml\n(.*?)```", manual, re.DOTALL)[0], yaml.BaseLoader)
    contract["paths"]["/latest"]["get"] |= shown["/sources/old"]["get"] | {"deprecated": True}
    api = create_api(replace(services, majors=(major_of(contract),)))
    return TestClient(api, base_url="http://127.0.0.1:8080")


def test_a_deprecated_operation_announces_its_end_and_names_the_policy(deprecated):
    pattern = load_contract()["components"]["headers"]["Link"]["schema"]["pattern"]
    policy = '<https://changewire.example/guide/deprecation>; rel="{}"; type="text/html"'

    for query, status, neighbours in (("", 200, 2), ("?limit=0", 400, 0)):
        old = deprecated.get(f"/api/v1/latest{query}")
        new = deprecated.get(f"/api/v1/important{query}").headers
        links = old.headers["Link"].split(", ")

        assert old.status_code == status
        assert old.headers["Deprecation"] == "@1767225600"
        assert old.headers["Sunset"] == "Thu, 31 Dec 2026 00:00:00 GMT"
        assert links[neighbours:] == [policy.format("deprecation"), policy.format("sunset")]
        assert re.search(pattern, old.headers["Link"])
        assert not {"deprecation", "sunset"} & set(new)
    assert DEPRECATION_POLICY.removeprefix("/guide/") in FILES
