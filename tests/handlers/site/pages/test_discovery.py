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


def test_the_catalog_can_be_asked_for_again(browser):
    etag = browser.get(PATH).headers["ETag"]

    assert browser.get(PATH, headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize(
    "word", ["/changes", "/entries.csv", "changewire mcp", "/feeds/SLUG.atom", PATH, "/docs"]
)
def test_llms_txt_names_what_there_is(browser, word):
    assert word in browser.get("/llms.txt").text


@pytest.mark.parametrize("path", ["/feeds/updates.atom", "/feeds/important.atom"])
def test_pages_name_the_atom_feeds_in_their_head(browser, path):
    assert 'type="application/atom+xml" title="Changewire: ' in browser.get("/").text
    assert f'href="{path}"' in browser.get("/").text


def test_the_page_of_a_source_names_its_feed(ada):
    assert 'href="/feeds/acme.mail.atom"' in ada.get("/sources/acme.mail").text
