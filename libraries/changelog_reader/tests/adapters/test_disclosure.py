"""Texts that do not name a feed's host are passed over, and no address stays for it."""

from hypothesis import example, given
from hypothesis import strategies as st

from changelog_reader.adapters.disclosure import FeedAddresses

PIECES = st.sampled_from(
    [
        *("https://", "//", "http://", "ACME", "acme", "a\u017fia", "acm\u0130", "\u212aite"),
        *("stra\u00dfe"),
        *(".example", "/feed", "?a=1&b=2", "?a=1&amp;b=2", "x", " ", "&", "&amp;", "'", "/"),
        *("asia", "kite", "strasse", "acmi", "acm\u0131", "STRASSE", "ASIA", "KITE"),
    ]
)
TEXTS = st.lists(PIECES, max_size=10).map("".join)


@given(st.lists(TEXTS, max_size=3), TEXTS)
@example(["https://acmi.example/feed"], "see https://acm\u0130.example/feed")
@example(["https://\u00df"], "https://\u00df")
@example(["https://a&b.example/feed"], "see https://a&amp;b.example/feed")
def test_what_is_passed_over_holds_no_address(addresses, text):
    feed = FeedAddresses(addresses)

    assert feed.removed_from(text) == feed._pattern.sub("", text)
