"""Link headers that name a page's neighbours (RFC 8288)."""

from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from httpx2 import Response
from hypothesis import given
from hypothesis import strategies as st

from handlers.api.render import page_links
from openapi.queries import ListSources

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
        (10, 0, {"first": 0, "last": 0}),
        (11, 0, {"first": 0, "next": 10, "last": 10}),
        (25, 10, {"first": 0, "prev": 0, "next": 20, "last": 20}),
        (25, 3, {"first": 0, "prev": 0, "next": 13, "last": 23}),
        (25, 905, {"first": 0, "prev": 20, "last": 20}),
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


def test_the_sample_is_no_page_and_has_no_neighbours(client):
    assert "Link" not in client.get("/api/v1/sources").headers


def test_pages_of_other_sites_may_read_the_header(client):
    response = client.get("/api/v1/latest", headers={"Origin": "https://acme.example"})

    assert "Link" in response.headers["Access-Control-Expose-Headers"]
    assert "Link" in response.headers


def test_the_host_of_a_request_is_not_believed(client):
    response = client.get("/api/v1/latest", headers={"Host": "evil.example"})

    assert "evil.example" not in response.headers["Link"]
