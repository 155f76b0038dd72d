"""Recorded documents give the entries written beside them; whatever is no feed is refused."""

import gzip
import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changelog_reader.adapters.base import (
    BlockedDocument,
    ParsedDocument,
    ParsedEntry,
    UnreadableDocument,
)
from changelog_reader.adapters.feed import parse_feed
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.vocabulary import AdapterType, Json

DATA = Path(__file__).parent / "data"
ADDRESS = "https://feeds.example/{}?key=a&b=c"
RECORDED = sorted(
    path
    for kind in ("rss", "atom", "github_releases")
    for path in (DATA / kind).iterdir()
    if ".expected" not in path.name
)


def entry_as_json(entry: ParsedEntry) -> dict[str, Json]:
    return {
        "vendor_id": entry.vendor_id,
        "title": entry.title,
        "url": entry.url,
        "published_at": entry.published_at and entry.published_at.isoformat(),
        "updated_at": entry.updated_at and entry.updated_at.isoformat(),
        "date_source": entry.date_source,
        "summary": entry.summary and entry.summary.split("\n"),
        "html": entry.html,
        "raw": dict(entry.raw),
    }


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


def rss(*items: str, channel: str = "") -> bytes:
    joined = "".join(f"<item>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel>{channel}{joined}</channel></rss>'.encode()


def read_rss(*items: str, channel: str = "", address: str = "https://acme.example/feed") -> Json:
    document = parse_feed(rss(*items, channel=channel), address=address, content_type=None)
    return [entry_as_json(entry) for entry in document.entries]


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


@pytest.mark.parametrize(
    ("item", "url"),
    [
        ("<link>https://acme.example/1</link><guid>2</guid>", "https://acme.example/1"),
        ("<guid>https://acme.example/2</guid>", "https://acme.example/2"),
        ('<guid isPermaLink="false">https://acme.example/2</guid>', None),
        ("<guid>2</guid>", None),
        ("<link>/3</link>", "https://acme.example/3"),
        ("<link>javascript:alert(1)</link>", None),
    ],
)
def test_a_link_comes_from_the_link_or_a_permanent_guid(item, url):
    (entry,) = read_rss(item, channel="<link>https://acme.example/home</link>")

    assert entry["url"] == url


@pytest.mark.parametrize(
    ("item", "title"),
    [
        ("<title/><description>First line. &lt;br&gt; Second.</description>", "First line."),
        ("<title> </title><description>&lt;h2&gt;Added&lt;/h2&gt;x</description>", "Added"),
        ("<guid>1</guid>", "Untitled"),
        (
            "<description>&lt;img src='/a.png' alt='Lighter &amp;amp; faster'&gt;</description>",
            "Lighter & faster",
        ),
    ],
)
def test_an_item_without_title_is_called_by_its_first_line(item, title):
    assert read_rss(item)[0]["title"] == title


def test_one_impossible_date_does_not_harm_the_other_items():
    entries = read_rss(
        "<title>A</title><pubDate>Fri, 31 Feb 2026 10:00:00 GMT</pubDate>",
        "<title>B</title><pubDate>Tue, 30 Jun 2026 14:00:00 GMT</pubDate>",
    )

    assert [entry["published_at"] for entry in entries] == [None, "2026-06-30T14:00:00+00:00"]
    assert [entry["date_source"] for entry in entries] == ["none", "pubDate"]


@pytest.mark.parametrize(
    ("reference", "character"),
    [
        ("&#xD83D;&#xDE00;", "\U0001f600"),
        ("&#55357;&#56832;", "\U0001f600"),
        ("&#xD83D;", "\ufffd"),
        ("&#xDE00;&#xD83D;", "\ufffd\ufffd"),
        ("&#x110000;", "\ufffd"),
        (f"&#{'9' * 6_000};", "\ufffd"),
        ("&#x1F600;", "\U0001f600"),
        ("<![CDATA[&#xD83D;&#xDE00;]]>", "\U0001f600"),
    ],
)
def test_a_bad_reference_costs_one_character(reference, character):
    first, second = read_rss(f"<title>a {reference} b</title>", "<title>Two</title>")

    assert (first["title"], second["title"]) == (f"a {character} b", "Two")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("\\ud83d", ""),
        ("\\ud83d\\ude00", "\U0001f600"),
        ("\\u0000", ""),
        ("\x00", ""),
        ("\t", " "),
        ("\\x", "\\x"),
        ('","n":' + "9" * 6_000 + ',"m":"', ""),
        ('","n":1e999,"m":"', ""),
    ],
)
def test_a_bad_character_costs_a_json_feed_one_character(fault, text):
    feed = '{"items":[{"title":"a%s"},{"title":"b"}]}' % fault  # noqa: UP031

    first, second = parse_feed(feed.encode(), address=ADDRESS, content_type=None).entries

    assert (first.title, second.title) == (f"a{text}".strip(), "b")


@pytest.mark.parametrize(
    ("written", "title", "summary"),
    [
        ("Tom &amp;amp;amp; J", "Tom & J", "Tom & J"),
        ("Use &amp;lt;b&amp;gt; here", "Use <b> here", "Use <b> here"),
        ("&amp;lt;p&amp;gt;A &amp;lt;b&amp;gt;b&amp;lt;/b&amp;gt;&amp;lt;/p&amp;gt;", "A b", "A b"),
        ("&lt;code&gt;&amp;amp;amp;&lt;/code&gt; x", "& x", "&amp; x"),
        ("&amp;#xD83D;&amp;#xDE00; x", "\U0001f600 x", "\U0001f600 x"),
    ],
)
def test_what_is_escaped_twice_is_read_as_its_author_wrote_it(written, title, summary):
    item = f"<title>{written}</title><description>{written}</description>"

    (entry,) = read_rss(item)

    assert (entry["title"], entry["summary"]) == (title, [summary])


@pytest.mark.parametrize("link", ["https://acme.example/1", "https://acme.example/1#top"])
def test_a_link_to_a_part_leads_to_the_entrys_page(link):
    text = '<description>&lt;a href="#fix"&gt;x&lt;/a&gt;</description>'

    (entry,) = read_rss(f"<link>{link}</link>{text}")

    assert 'href="https://acme.example/1#fix"' in entry["raw"]["html"]


@pytest.mark.parametrize("name", ["itunes:summary", "media:description", "dc:description"])
@pytest.mark.parametrize("form", ["{own}{other}", "{other}{own}"])
def test_the_items_own_words_come_before_those_of_other_vocabularies(name, form):
    other = f'<{name} type="plain">Their words</{name}>'

    (both,) = read_rss(form.format(own="<description>Own words</description>", other=other))
    (alone,) = read_rss(other)

    assert (both["summary"], alone["summary"]) == (["Own words"], ["Their words"])


@pytest.mark.parametrize(
    ("written", "summary"),
    [
        ("## New\n\nSee [docs](https://acme.example/d) and **more**", "## New||See docs and more"),
        ("| A | B |\n|---|---|\n| 1 | 2 |", "A | B|1 | 2"),
        ("# Summary ## Fixed The `x` API * `one` * `two`", "Summary||Fixed The x API||- one|- two"),
        ("Use :func:`~acme.go` or ``stay`` now", "Use acme.go or stay now"),
        ("* one is `1`\n* two", "- one is 1|- two"),
        ("Costs 3 * 4, see # 5 or [x]", "Costs 3 * 4, see # 5 or [x]"),
    ],
)
def test_a_text_in_markdown_is_rendered(written, summary):
    (entry,) = read_rss(f"<description><![CDATA[{written}]]></description>")

    assert "|".join(entry["summary"]) == summary


@pytest.mark.parametrize("kind", ["CDATA", "", "application/octet-stream", "image/png", "html;x"])
def test_content_of_an_unknown_type_is_text(kind):
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&lt;b&gt; &amp;amp;</title>'
        f'<content type="{kind}">Two words &lt; three</content></entry></feed>'
    )

    (entry,) = parse_feed(feed.encode(), address=ADDRESS, content_type=None).entries

    assert (entry.title, entry.summary) == ("<b> &amp;", "Two words < three")


def test_bases_are_nested_and_end_with_their_elements():
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="../log/"><entry xml:base="v2/">'
        '<link href="../../a"/><content type="html" xml:base="notes/">&lt;a href="b"&gt;x&lt;/a&gt;'
        '</content></entry><entry><link href="c"/></entry></feed>'
    )

    document = parse_feed(
        feed.encode(), address="https://acme.example/x/feed?k=1", content_type=None
    )

    first, second = document.entries
    assert (first.url, second.url) == ("https://acme.example/a", "https://acme.example/log/c")
    assert 'href="https://acme.example/log/v2/notes/b"' in (first.html or "")


@pytest.mark.parametrize(
    ("item", "url"),
    [
        ({"url": "/1", "external_url": "https://b.example"}, "https://acme.example/1"),
        ({"external_url": "https://b.example/2", "id": "https://c.example"}, "https://b.example/2"),
        ({"id": "https://c.example/3"}, "https://c.example/3"),
        ({"id": "4"}, None),
    ],
)
def test_an_item_of_json_links_to_its_page_else_its_subject_else_its_id(item, url):
    feed = json.dumps({"home_page_url": "https://acme.example", "items": [item]}).encode()

    (entry,) = parse_feed(feed, address=ADDRESS, content_type=None).entries

    assert entry.url == url


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
