"""The browser of the catalog: facets, order, the first key, and pasted files."""

import re

import pytest

from storage.models import SourceRequest

PAGE = "/app/sources"


def named(browser, query):
    """Return the slugs of the results in order."""
    results = browser.get(f"{PAGE}?{query}").text.partition('id="results"')[2]
    return re.findall(r'<div class="title"><a href="/sources/([^"]+)"', results)


def post(browser, path, **form):
    return browser.post(path, page=PAGE, **form)


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("tier=component", ["acme.tool"]),
        ("tag=databases", ["acme.tool"]),
        ("kind=release_notes", ["acme.tool"]),
        ("health=problematic", []),
        ("q=%40acme%2Ftool", ["acme.tool"]),
        ("vendor=globex&sort=name", ["globex.compute", "globex.mail", "globex.storage"]),
        ("q=globex&tier=component", []),
    ],
)
def test_sources_are_narrowed_by_each_facet_and_by_several(ada, tool, query, slugs):
    found = named(ada, query)

    assert (found if "q=%40" not in query else found[:1]) == slugs


def test_a_facet_counts_what_the_others_leave(ada, tool):
    shown = ada.get(f"{PAGE}?tier=component&health=bogus").text

    assert "The filter <code>health=bogus</code> was ignored." in shown
    assert '<option value="component" selected>Components (1)</option>' in shown
    assert '<option value="product">Products (18)</option>' in shown
    assert '<option value="databases">databases (1)</option>' in shown
    assert '<option value="cloud">' not in shown


def test_a_new_account_is_offered_a_key_that_reads_what_it_follows(ada, client):
    assert 'href="/app/api-keys#new">Create API key</a>' in ada.get(PAGE).text
    key = ada.new_key()

    post(ada, PAGE, slug="acme.compute", change="add")

    listed = client.get("/api/v1/sources?selected=1", headers={"X-Api-Key": key}).json()
    assert [item["slug"] for item in listed["items"]] == ["acme.compute"]
    assert "Create API key" not in ada.get(PAGE).text


def test_one_click_asks_for_what_is_not_covered(ada, rows):
    answer = post(ada, f"{PAGE}/request", part="pkg:npm/left-pad@1.0")

    assert "left-pad (npm)" in answer.text
    (wish,) = rows(SourceRequest)
    assert wish.url.endswith("/package/left-pad")


@pytest.mark.parametrize(
    "part", ["", "left-pad", "pkg:conan/x", "pkg:npm/x?repository_url=a.example"]
)
def test_nothing_is_asked_for_without_a_page(ada, rows, part):
    assert post(ada, f"{PAGE}/request", part=part).status_code == 400
    assert rows(SourceRequest) == []
