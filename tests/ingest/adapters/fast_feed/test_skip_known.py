"""Items that are known are cut out of a document wherever they stand among others."""

from ingest.adapters.fast_feed.fingerprint import fingerprint_of
from ingest.adapters.fast_feed.skip_known import skip_known

KNOWN = [f"<item><title>{number}</title></item>".encode() for number in range(5)]
POSITIONS = {fingerprint_of(item): position for position, item in enumerate(KNOWN)}
NEW = b"<item><title>new</title></item>"


def order_in(*pieces):
    channel = b"<rss version='2.0'><channel><title>A</title>%b</channel></rss>" % b"".join(pieces)
    skipped = skip_known(channel, POSITIONS)
    return None if skipped is None else list(skipped.order)


def test_known_items_that_follow_each_other_keep_their_order():
    assert order_in(KNOWN[0], b"\n  ", KNOWN[1], KNOWN[2]) == [0, 1, 2]


def test_new_items_stand_where_they_stood_between_known_ones():
    pieces = NEW, KNOWN[3], b"\n", KNOWN[1], b"\n", NEW, NEW, KNOWN[4]

    assert order_in(*pieces) == [None, 3, 1, None, None, 4]


def test_what_stands_between_known_items_parts_them():
    assert order_in(KNOWN[0], b"<!-- the end -->", KNOWN[1], b"text", KNOWN[2]) == [0, 1, 2]
    assert order_in(KNOWN[0], b"<ttl>60</ttl>", KNOWN[1]) == [0, 1]


def test_an_item_that_comes_twice_is_known_twice():
    assert order_in(KNOWN[2], b"\n", KNOWN[2]) == [2, 2]


def test_the_remainder_is_the_document_without_known_items():
    skipped = skip_known(b"<rss><channel>%b\n%b\n%b</channel></rss>" % (*KNOWN[:2], NEW), POSITIONS)

    assert skipped.remainder == b"<rss><channel>\n\n%b</channel></rss>" % NEW


def test_what_is_no_item_where_it_stands_is_not_taken_for_one():
    for opens, ends in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?x ", b"?>")):
        assert order_in(opens, KNOWN[0], b"\n", KNOWN[1], ends, NEW) is None
    assert order_in(b"<image>", KNOWN[0], b"\n", KNOWN[1], b"</image>") is None
    assert order_in(b"<item>", KNOWN[0], b"</item>") is None
