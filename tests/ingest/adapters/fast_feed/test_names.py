"""The tables of names agree with feedparser's own, which an upgrade of it may change."""

import pytest
from feedparser.api import StrictFeedParser
from feedparser.util import FeedParserDict

from ingest.adapters.fast_feed import names
from ingest.adapters.fast_feed.fallback import FallBackToFeedparser
from ingest.adapters.fast_feed.item import ACTIONS, RELEASE_NOTES
from ingest.adapters.fast_feed.names import ElementNames

HANDLED = {
    name.partition("_")[2].partition("_")[2].lower()
    for name in dir(StrictFeedParser)
    if name.startswith(("_start_", "_end_"))
}
USED = {
    *("id", "guidislink", "author", "author_detail", "authors", "tags", "comments", "links"),
    *("link", "published", "updated", "created", "title", "content", "summary", "summary_detail"),
}
# What these change is used nowhere.
HARMLESS = {
    *("media_content", "media_thumbnail", "itunes_block", "itunes_explicit", "itunes_image"),
    *("contributor", "rights", "dc_rights", "dc_publisher"),
}


@pytest.mark.parametrize(("uri", "prefix"), StrictFeedParser.namespaces.items())
def test_a_namespace_is_known_or_left_alone_or_means_nothing(uri, prefix):
    read = ElementNames()
    try:
        read.declare("other", uri)
    except FallBackToFeedparser:
        return

    if uri.lower() in names.PREFIXES:
        assert names.PREFIXES[uri.lower()] == prefix.lower()
    else:
        assert not uri or not any(name.startswith(f"{prefix}_") for name in HANDLED), prefix


def test_no_element_with_a_meaning_has_an_unusual_prefix():
    usual = set(names.PREFIXES.values()) - {""}

    assert {name.partition("_")[0] for name in HANDLED if "_" in name} <= usual


def test_ignored_elements_change_nothing_that_is_used():
    for name in names._IGNORED:
        key = FeedParserDict.keymap.get(name, name)
        keys = set(key) if isinstance(key, list) else {key}
        assert name in HARMLESS or (name not in HANDLED and not keys & USED), name


def test_foreign_elements_take_no_key_that_is_used():
    renamed = {
        old
        for old, new in FeedParserDict.keymap.items()
        if USED & ({*new} if isinstance(new, list) else {new})
    }

    assert all(key.endswith("_detail") for key in USED | renamed if "_" in key)


def test_every_element_read_here_is_one_of_feedparsers():
    assert set(ACTIONS) - HANDLED <= {"comments", RELEASE_NOTES}


def test_a_prefix_that_stands_for_another_namespace_is_left_to_feedparser():
    for prefix in ("dc", "DC", "content"):
        with pytest.raises(FallBackToFeedparser):
            ElementNames().declare(prefix, "https://acme.example/ns")
