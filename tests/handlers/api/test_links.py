"""Link headers that name a page's neighbours (RFC 8288)."""

from datetime import timedelta
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from httpx2 import Response
from hypothesis import given
from hypothesis import strategies as st

from handlers.api.links import page_links
from openapi.queries import ListSources

HOUR = timedelta(hours=1)
SITE = "https://changewire.example"


def links_of(header):
    """Read a Link header back with a library's reader."""
    return {
        name: link["url"] for name, link in Response(200, headers={"Link": header}).links.items()
    }


def offsets_of(header):
    return {
        name: int(parse_qs(urlsplit(url).query)["offset"][0])
        for name, url in links_of(header).items()
    }


@pytest.mark.parametrize(
    ("total", "offset", "expected"),
    [
        (0, 0, {"first": 0, "last": 0}),
        (10, 0, {"first": 0, "last": 0}),
        (11, 0, {"first": 0, "next": 10, "last": 10}),
        (25, 10, {"first": 0, "prev": 0, "next": 20, "last": 20}),
        (25, 20, {"first": 0, "prev": 10, "last": 20}),
        (25, 3, {"first": 0, "prev": 0, "next": 13, "last": 23}),
        (25, 900, {"first": 0, "prev": 20, "last": 20}),
        (0, 900, {"first": 0, "prev": 0, "last": 0}),
    ],
)
def test_a_page_names_the_neighbours_it_has(total, offset, expected):
    header = page_links(ListSources(limit=10, offset=offset), SITE, total=total)

    assert offsets_of(header) == expected


@given(total=st.integers(0, 300), limit=st.integers(10, 100), start=st.integers(0, 300))
def test_following_next_passes_everything_once_and_ends(total, limit, start):
    seen, offset = [], start
    while True:
        seen += range(offset, min(offset + limit, total))
        found = offsets_of(page_links(ListSources(limit=limit, offset=offset), SITE, total=total))
        if "next" not in found:
            assert total <= start or found["last"] == offset
            break
        offset = found["next"]

    assert seen == list(range(start, total))


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_whatever_was_asked_for_stands_in_every_address(text):
    header = page_links(ListSources(q=text, limit=10, offset=50), SITE, total=90)

    assert len(links_of(header)) == 4
    for url in links_of(header).values():
        asked = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
        assert (asked["q"], asked.keys()) == (text, {"q", "limit", "offset"})
    assert header.isascii()
    assert len(header.split(",")) == 4


@pytest.mark.parametrize(
    "path",
    [
        "/sources?vendor=acme&q=compute&kind=changelog&adapterType=rss&selected=1",
        "/entries?sources=acme.mail,hooli.mail&since=2026-11-01T00:00:00%2B01:00",
        "/latest?future=1",
        "/important?limit=3",
        "/deadlines?vendor=acme",
    ],
)
def test_a_list_keeps_what_was_asked(client, new_key, path):
    response = client.get(f"/api/v1{path}", headers=new_key())

    assert response.status_code == 200
    wanted = parse_qs(urlsplit(path).query)
    for name in ("first", "last"):
        url = urlsplit(response.links[name]["url"])
        assert url.netloc == "changewire.example"
        assert url.path == f"/api/v1{urlsplit(path).path}"
        assert parse_qs(url.query).items() >= wanted.items()


def test_a_neighbour_can_be_asked_for_as_it_is_named(client, new_key, publish):
    publish("acme.mail", a=HOUR, b=2 * HOUR, c=3 * HOUR)
    key, url = new_key(), "/api/v1/entries?sources=acme.mail&limit=1"
    titles = []
    while url:
        response = client.get(url, headers=key)
        titles += [item["title"] for item in response.json()["items"]]
        url = response.links.get("next", {}).get("url")

    assert titles == ["a", "b", "c"]


def test_the_sample_is_no_page_and_has_no_neighbours(client):
    assert "Link" not in client.get("/api/v1/sources").headers


def test_pages_of_other_sites_may_read_the_header(client):
    response = client.get("/api/v1/latest", headers={"Origin": "https://acme.example"})

    assert "Link" in response.headers["Access-Control-Expose-Headers"]
    assert "Link" in response.headers


def test_the_host_of_a_request_is_not_believed(client):
    response = client.get("/api/v1/latest", headers={"Host": "evil.example"})

    assert "evil.example" not in response.headers["Link"]


def test_head_names_the_neighbours_too(client):
    assert (
        client.head("/api/v1/latest").headers["Link"]
        == client.get("/api/v1/latest").headers["Link"]
    )
