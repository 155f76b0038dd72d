"""The contract can be imported into Postman and Bruno: every operation comes out whole."""

import json

import pytest

from openapi.contract import load_operations

OPERATIONS = {
    (operation.method, operation.path): {
        parameter.name for parameter in operation.parameters if parameter.location == "query"
    }
    for operation in load_operations()
}


@pytest.fixture(scope="module")
def postman(call, contract, tmp_path_factory):
    """The requests of the collection that Postman makes of the contract."""
    made = tmp_path_factory.mktemp("postman") / "collection.json"
    call("openapi2postmanv2", "--spec", contract, "--output", made)
    return list(_requests(json.loads(made.read_text())["item"], "item"))


@pytest.fixture(scope="module")
def bruno(call, contract, tmp_path_factory):
    """The requests of the collection that Bruno makes of the contract."""
    made = tmp_path_factory.mktemp("bruno") / "collection.json"
    call(
        "bru", "import", "openapi", "--source", contract, "--output-file", made,
        "--collection-name", "Changewire",
    )  # fmt: skip
    return list(_requests(json.loads(made.read_text())["items"], "items"))


def _requests(items, inside):
    for item in items:
        if inside in item:
            yield from _requests(item[inside], inside)
        elif "request" in item:
            yield item


def test_postman_has_every_operation_with_its_parameters(postman):
    found = {}
    for item in postman:
        url = item["request"]["url"]
        path = "/" + "/".join(url["path"])
        found[item["request"]["method"], path] = {each["key"] for each in url.get("query", [])}

    assert found == OPERATIONS


def test_postman_has_an_example_of_every_answer(postman):
    for item in postman:
        statuses = {each["code"] for each in item["response"]}

        assert statuses >= {400, 401, 500, 503}
        assert statuses & {200, 201, 202}


def test_postman_sends_a_key(postman):
    assert {item["request"]["auth"]["type"] for item in postman} == {"bearer"}


def test_bruno_has_every_operation_with_its_parameters(bruno):
    found = {}
    for item in bruno:
        request = item["request"]
        path = request["url"].partition("}}")[2].partition("?")[0]
        found[request["method"].upper(), path] = {
            param["name"] for param in request["params"] if param["type"] == "query"
        }

    assert found == OPERATIONS


def test_bruno_sends_a_key(bruno):
    assert {item["request"]["auth"]["mode"] for item in bruno} == {"bearer"}


def test_bruno_has_the_address_of_a_source_request_ready(bruno):
    (post,) = [each for each in bruno if each["request"]["url"].endswith("/sources/request")]

    assert "url" in json.loads(post["request"]["body"]["json"])
