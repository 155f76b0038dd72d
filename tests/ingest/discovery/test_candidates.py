"""Places where changes can be read, from pages and addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.content.repositories import repository_of
from ingest.discovery.candidates import feed_addresses_to_try, named_feeds, repositories_named_by
from openapi.vocabulary import AdapterType

PAGE = b"""<!doctype html><html><head><title>Acme</title>
<link rel="alternate" type="application/rss+xml" title="Comments" href="/comments.xml">
<link rel="ALTERNATE" type="application/atom+xml; charset=utf-8" title="News" href="news.atom">
<link rel="alternate" type="text/html" hreflang="de" href="/de">
<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">
</head><body><a href="/changelog/rss.xml">RSS</a><a href="/about">About RSS</a>
<a href="https://github.com/acme/tool/releases">Releases</a>
<a href="https://github.com/acme/tool/issues">Issues</a></body></html>"""


def feeds_in(page, address="https://acme.example/"):
    return [(feed.url, feed.type) for feed in named_feeds(page, address=address)]


def test_declared_feeds_come_before_linked_ones_and_comments_last():
    assert feeds_in(PAGE, "https://acme.example/changelog/") == [
        ("https://acme.example/changelog/news.atom", AdapterType.ATOM),
        ("https://acme.example/changelog/rss.xml", AdapterType.RSS),
        ("https://acme.example/comments.xml", AdapterType.RSS),
    ]


def test_relative_feeds_follow_the_base_of_the_page():
    page = b'<base href="https://cdn.acme.example/x/"><link rel=feed href="atom.xml">'

    assert feeds_in(page) == [("https://cdn.acme.example/x/atom.xml", AdapterType.ATOM)]


def test_a_feed_is_no_page_to_look_for_feeds_in():
    with pytest.raises(UnreadableDocument):
        feeds_in(b"<rss version='2.0'><channel/></rss>")


@pytest.mark.parametrize(
    ("address", "repository"),
    [
        ("https://github.com/acme/tool", "acme/tool"),
        ("https://github.com/acme/tool/releases.atom", "acme/tool"),
        ("https://github.com/acme/tool/blob/main/CHANGELOG.md#v1", "acme/tool"),
        ("https://api.github.com/repos/acme/tool/releases?page=2", "acme/tool"),
        ("git@github.com:acme/tool.git", "acme/tool"),
    ],
)
def test_a_repository_is_read_from_an_address(address, repository):
    assert repository_of(address) == repository


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme",
        "https://github.com/features/actions",
        "https://notgithub.com/acme/tool",
        "https://github.com.evil.example/acme/tool",
        "https://github.com/acme/..",
        "https://[broken",
        "",
    ],
)
def test_other_addresses_belong_to_no_repository(address):
    assert repository_of(address) is None


def test_only_links_to_releases_name_a_repository():
    found = repositories_named_by(PAGE, address="https://acme.example/")

    assert found == ["acme/tool"]


def test_feeds_are_tried_beside_the_page_before_its_host():
    found = feed_addresses_to_try("https://acme.example/docs/changelog/?tab=1#top")

    assert found[0] == "https://acme.example/docs/changelog/feed.xml"
    assert "https://acme.example/docs/changelog.xml" in found
    assert found[-1] == "https://acme.example/blog/rss.xml"
    assert len(found) == len(set(found))


@given(st.text())
def test_no_address_raises(address):
    assert repository_of(address) is None or "/" in address


@given(st.binary())
def test_no_bytes_raise_anything_but_unreadable(body):
    try:
        found = feeds_in(b"<a href=" + body)
    except UnreadableDocument:
        return
    assert all(url.startswith(("http://", "https://")) for url, _ in found)
