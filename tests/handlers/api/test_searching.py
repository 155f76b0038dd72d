"""``q`` on lists of entries: who finds what."""

from datetime import timedelta

import pytest

from openapi.vocabulary import Plan

HOUR = timedelta(hours=1)
BURIED = f"{'Much else. ' * 60}The buried word. "


@pytest.fixture
def entries(publish, catalog):
    """Three entries of a source, one with a word beyond what the public is served."""
    publish("acme.compute", told="A webhook. ", plain=HOUR)
    publish("acme.compute", webhook=2 * HOUR)
    publish("acme.compute", told=BURIED, long=3 * HOUR)


def titles(response):
    assert response.status_code == 200, response.text
    return [item.get("entry", item)["title"] for item in response.json()["items"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=webhook", ["plain", "webhook"]),
        ("q=webhook&order=relevance", ["webhook", "plain"]),
        ("q=-webhook", ["long"]),
        ("q=%22about+plain%22", ["plain"]),
        ("q=acme+webhook", ["plain", "webhook"]),
        ("q=buried", []),
        ("q=%21", []),
        ("order=relevance", ["plain", "webhook", "long"]),
    ],
)
def test_the_latest_are_searched_in_what_is_served(client, entries, query, expected):
    response = client.get(f"/api/v1/latest?{query}")

    assert (titles(response), response.json()["total"]) == (expected, len(expected))


@pytest.mark.parametrize("path", ["entries", "changes"])
def test_who_reads_the_whole_text_finds_by_it(client, entries, new_key, path):
    key = new_key(Plan.ALL)

    response = client.get(f"/api/v1/{path}?sources=acme.compute&q=buried", headers=key)

    assert titles(response) == ["long"]
