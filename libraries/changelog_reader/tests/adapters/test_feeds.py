"""Recorded documents give the entries written beside them; whatever is no feed is refused."""

import gzip
import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rss_documents import ADDRESS, entry_as_json, read_rss, rss

from changelog_reader.adapters.base import BlockedDocument, ParsedDocument, UnreadableDocument
from changelog_reader.adapters.feed import parse_feed
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.vocabulary import AdapterType, Json

DATA = Path(__file__).parent / "data"
RECORDED = sorted(
    path
    for kind in ("rss", "atom", "github_releases")
    for path in (DATA / kind).iterdir()
    if ".expected" not in path.name
)


def as_json(document: ParsedDocument) -> Json:
    return {
        "title": document.title,
        "ttl_seconds": document.ttl and document.ttl.total_seconds(),
        "entries": [entry_as_json(entry) for entry in document.entries],
    }


def read(recorded: Path) -> ParsedDocument:
    adapter = ADAPTERS[AdapterType(recorded.parent.name)]
    return adapter(
        recorded.read_bytes(), address=ADDRESS.format(recorded.name), content_type="text/xml"
    )


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_recorded_document_gives_the_entries_written_beside_it(recorded):
    expected = json.loads(recorded.with_suffix(".expected.json").read_text(encoding="utf-8"))

    assert as_json(read(recorded)) == expected


def texts(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case dict():
            return [text for pair in value.items() for part in pair for text in texts(part)]
        case list() | tuple():
            return [text for part in value for text in texts(part)]
        case _:
            return []


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_recorded_document_gives_its_address_away(recorded):
    document = read(recorded)

    raw_texts = [text for entry in document.entries for text in texts(entry_as_json(entry)["raw"])]

    for secret in (
        ADDRESS.format(recorded.name),
        "https://acme.example/changelog.xml",
        "https://hooli.example/feed.json",
        "https://stark.example/releases/feed.atom",
        "https://github.com/acme/tool/releases.atom",
        "https://api.github.com/repos/acme/tool/releases",
    ):
        assert not [text for text in raw_texts if secret in text]


@pytest.mark.parametrize(
    "spelled",
    [
        "https://acme.example/feed",
        "http://acme.example/feed",
        "//acme.example/feed/",
        "https://ACME.example/feed",
        "https://acme.example/feed#latest",
        "https://acme.example/feed?",
    ],
)
def test_the_feeds_address_is_in_no_text_of_an_entry(spelled):
    (entry,) = read_rss(
        f"<title>Subscribe to {spelled} now</title><link>{spelled}</link><guid>{spelled}</guid>"
        f'<description>&lt;a href="{spelled}"&gt;{spelled}&lt;/a&gt;</description>'
        f"<category>{spelled}</category><comments>{spelled}</comments>"
        f'<enclosure url="{spelled}"/>'
    )

    assert not [text for text in texts(entry) if "acme.example/feed" in text.lower()]


def test_the_feeds_address_is_no_text_where_its_scheme_is_left_out():
    (entry,) = read_rss(
        "<title>Read acme.example/feed now</title><description>Or (acme.example/feed)."
        "</description>"
    )

    assert entry["title"] == "Read now"
    assert entry["summary"] == ["Or ()."]


def test_an_id_keeps_what_it_adds_to_the_feeds_address():
    (entry,) = read_rss("<guid>https://acme.example/feed#7</guid><title>Seven</title>")

    assert entry["vendor_id"] == "#7"


@pytest.mark.parametrize("link", ["?", "?page=2", "", "#top"])
def test_a_link_relative_to_the_feed_does_not_say_where_the_feed_is(link):
    (entry,) = read_rss(
        f'<title>One</title><link>{link}</link><description>&lt;a href="{link}"&gt;x&lt;/a&gt;'
        "</description>"
    )

    assert not [text for text in texts(entry) if "acme.example/feed" in text]


def test_markup_that_no_parser_survives_is_refused():
    with pytest.raises(UnreadableDocument, match="broken beyond reading"):
        parse_feed(b"<channel><item<link</item</link<", address=ADDRESS, content_type=None)


@pytest.mark.parametrize(
    "prepare",
    [
        gzip.compress,
        lambda body: b"\xef\xbb\xbf\xef\xbb\xbf" + body,
        lambda body: b"\n\n  " + body,
        lambda body: body.decode("utf-8").encode("utf-16"),
        lambda body: b'<?xml version="1.0" encoding="UTF-16"?>' + body,
        lambda body: b'<?xml version="1.0" encoding="nonsense"?>' + body,
        lambda body: b"<!DOCTYPE rss [<!ENTITY a 'aa'>]>" + body,
        lambda body: b'<?xml-stylesheet href="x.xsl"?><!-- <html> -->' + body,
    ],
)
def test_what_surrounds_a_feed_does_not_matter(prepare):
    body = rss("<title>Trees grow</title>")

    (entry,) = parse_feed(prepare(body), address=ADDRESS, content_type=None).entries

    assert entry.title == "Trees grow"


def test_a_transfer_encoding_counts_where_the_document_declares_none():
    body = rss("<title>größer</title>").decode().encode("iso-8859-2")

    (entry,) = parse_feed(
        body, address=ADDRESS, content_type="text/xml; charset=iso-8859-2"
    ).entries

    assert entry.title == "größer"


def test_entities_are_never_expanded():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<!DOCTYPE rss [<!ENTITY l0 "ha">{laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]>'

    (entry,) = parse_feed(
        body.encode() + rss("<title>&l9;</title><description>&f;</description>"),
        address=ADDRESS,
        content_type=None,
    ).entries

    assert entry.title == "&l9;"
    assert entry.summary == "&f;"


def test_an_item_that_the_document_ends_in_is_left_out():
    document = rss("<title>One</title>", "<title>Two</title>", "<title>Three</title>")
    cut = document[: document.index(b"Three") + 2]

    entries = parse_feed(cut, address=ADDRESS, content_type=None).entries

    assert [entry.title for entry in entries] == ["One", "Two"]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "The document is empty."),
        (b" \n\xef\xbb\xbf", "The document is empty."),
        (b"<html><body>Moved</body></html>", "An HTML page came instead of a feed."),
        (b"<!DOCTYPE html><p>Moved", "An HTML page came instead of a feed."),
        (b"&lt;rss&gt;&lt;/rss&gt;",
         "The document is no feed: it has no rss, rdf or feed element."),
        (b"plain text", "The document is no feed: it has no rss, rdf or feed element."),
        (b'{"message": "Not Found"}',
         "The document is JSON, but no JSON Feed: it has no list of items."),
        (b"[1, 2]", "The document is JSON, but no JSON Feed: it has no list of items."),
        (b'{"items": [', "The document is not valid JSON."),
        (b"[" * 100_000, "The document is not valid JSON."),
        (b"\x1f\x8b broken", "The document is compressed and cannot be decompressed."),
        (gzip.compress(b" " * 10_500_000), "The document is larger than 10 MiB."),
        (b" " * 10_500_000, "The document is larger than 10 MiB."),
    ],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_feed_is_refused_in_a_sentence(body, sentence):
    with pytest.raises(UnreadableDocument) as refusal:
        parse_feed(body, address=ADDRESS, content_type=None)

    assert str(refusal.value) == sentence
    assert ADDRESS not in str(refusal.value)


def test_a_page_that_stands_in_front_of_the_feed_is_a_block():
    page = (
        b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
        b"<p>Checking your browser. Enable JavaScript and cookies to continue.</p></body></html>"
    )

    with pytest.raises(BlockedDocument):
        parse_feed(page, address=ADDRESS, content_type="text/html")


@pytest.mark.parametrize(
    ("channel", "ttl"),
    [
        ("<ttl>90</ttl>", timedelta(minutes=90)),
        ("<ttl>99999999</ttl>", None),
        ("<ttl>9999999</ttl>", timedelta(days=31)),
        ("<ttl>-5</ttl>", None),
        ("<ttl>soon</ttl>", None),
        ("", None),
    ],
)
def test_the_vendor_says_how_long_to_wait(channel, ttl):
    assert parse_feed(rss(channel=channel), address=ADDRESS, content_type=None).ttl == ttl


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [b"<rss>", b"<channel>", b"<item>", b"</item>", b"<title>", b"<![CDATA[", b"]]>"]
        )
        | st.sampled_from([b"<feed>", b"<entry>", b"<link/>", b"<!--", b"&#0;", b"&x;", b"<?xml"])
        | st.sampled_from([b'{"items":[{"id":', b"[{", b"\xff", b"\x00", b"</rss>", b"<guid>"])
        | st.binary(max_size=5),
        max_size=20,
    ).map(b"".join)
)
def test_any_bytes_are_a_document_or_refused(body):
    for kind in (AdapterType.RSS, AdapterType.GITHUB_RELEASES):
        with suppress(UnreadableDocument):
            document = ADAPTERS[kind](body, address=ADDRESS, content_type=None)
            assert all(entry.title for entry in document.entries)
