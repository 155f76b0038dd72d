"""/.well-known/api-catalog (RFC 9727), and what else programs read first."""

import json

import pytest

PATH = "/.well-known/api-catalog"
SITE = "https://changewire.example"


@pytest.fixture
def linkset(new_browser):
    return json.loads(new_browser().get(PATH).data)["linkset"]


def test_the_catalog_is_a_linkset_of_the_profile(browser):
    response = browser.get(PATH)

    assert response.headers["Content-Type"] == (
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
    )
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_head_names_the_catalog(browser):
    response = browser.client.head(PATH, base_url=SITE)

    assert response.status_code == 200
    assert response.headers["Link"] == f'<{SITE}{PATH}>; rel="api-catalog"'
    assert response.data == b""


def test_the_catalog_names_the_api_and_says_what_it_is(linkset):
    catalog, api = linkset

    assert catalog["anchor"] == SITE + PATH
    assert [each["href"] for each in catalog["item"]] == [api["anchor"]] == [f"{SITE}/api/v1"]
    assert {"service-desc", "service-doc", "status"} <= api.keys()


def test_everything_the_catalog_names_is_there(linkset, browser):
    named = [
        (target["href"], target["type"])
        for relation, targets in linkset[1].items()
        if relation != "anchor"
        for target in targets
    ]

    assert len(named) == 5
    for address, media_type in named:
        response = browser.get(address.removeprefix(SITE))
        assert (response.status_code, response.mimetype) == (200, media_type), address
