"""What the fast readers of feeds say is what feedparser says, item for item."""

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.adapters import feed
from ingest.adapters.base import ParsedDocument
from ingest.adapters.fast_feed import FINGERPRINT_SIZE, KnownItems, reader
from ingest.adapters.fast_feed.split import split_items

ADDRESS = "https://acme.example/changelog.xml"
NAMED = os.environ.get("CHANGEWIRE_CORPUS")
CORPUS = (
    sorted(path for path in Path(NAMED).rglob("*") if path.suffix in {".xml", ".atom", ".rss"})
    if NAMED
    else []
)
DATA = sorted(
    path
    for kind in ("rss", "atom", "github_releases")
    for path in (Path(__file__).parents[1] / "data" / kind).iterdir()
    if ".expected" not in path.name
)


def read(body: bytes) -> ParsedDocument | str:
    try:
        return feed.parse_feed(body, address=ADDRESS, content_type=None)
    except Exception as error:  # noqa: BLE001 - whatever it is, it has to be the same both ways
        return f"{type(error).__name__}: {error}"


def by_feedparser(body: bytes) -> ParsedDocument | str:
    """Read with feedparser alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "ENABLED", False)
        return read(body)


@pytest.mark.skipif(NAMED is None, reason="CHANGEWIRE_CORPUS names no folder with a corpus")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_feed_of_the_corpus_is_what_feedparser_says(path):
    body = path.read_bytes()

    assert read(body) == by_feedparser(body)


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.name)
def test_a_recorded_feed_is_what_feedparser_says(path):
    body = path.read_bytes()

    assert read(body) == by_feedparser(body)


TEXTS = st.one_of(
    st.sampled_from(
        [
            *(
                "",
                " ",
                "Release 3",
                "a &amp; b",
                "AT&amp;T&amp;copy;",
                "5 &lt; 6",
                "&amp;lt;p&amp;gt;",
            ),
            *(
                "&lt;p&gt;Bold &lt;b&gt;move&lt;/b&gt;&lt;/p&gt;",
                "<![CDATA[<p>One</p><p>Two</p>]]>",
            ),
            *("<![CDATA[<a href='/x?a=1&b=2'>x</a> &copy;]]>", "caf\u00e9", "caf\u00c3\u00a9"),
            *(
                "&#146;quoted&#x92; \u0085",
                "\u201cquoted\u201d",
                "https://acme.example/a?b=1&amp;c;=2",
            ),
            *("http:////acme.example/x", "/relative", "Ada (ada@acme.example)", "ada@acme.example"),
            *("tag:acme.example,2026:1", "Tue, 30 Jun 2026 14:00:00 GMT", "2026-06-30T14:00:00Z"),
            *(
                "<!-- gone -->kept",
                "a<?php no ?>b",
                "\n  spaced\n  out\n",
                "<b>inline</b>",
                "&nbsp;",
            ),
            *(
                "<div>inline</div>",
                "<title>nested</title>",
                "<name>Ada</name><email>a@b.example</email>",
            ),
            *(
                "<name>Bob</name><uri>https://b.example/</uri>",
                "  <name> </name>",
                "x<name>y</name>z",
            ),
        ]
    ),
    st.text(st.characters(exclude_characters="<&>", exclude_categories=["Cs", "Cc"]), max_size=6),
)
ATTRIBUTES = st.one_of(
    st.just(""),
    st.lists(
        st.sampled_from(
            [
                *(' type="html"', ' type="text"', ' type="xhtml"', ' type="TEXT/HTML"'),
                *(' rel="self"', ' rel="alternate"', ' rel="Enclosure"', ' href="/there"'),
                *(' href=""', ' url="https://acme.example/f.zip"', ' isPermaLink="false"'),
                *(' isPermaLink="true"', ' isPermaLink="False"', ' term="news"', ' label="News"'),
                *(
                    ' domain="x"',
                    ' xml:lang="de_AT"',
                    ' xml:base="https://b.example/"',
                    ' lang="fr"',
                ),
                *(
                    ' mode="escaped"',
                    ' src="https://acme.example/c"',
                    ' length="12"',
                    ' dc:href="x"',
                ),
                *(
                    ' xmlns="http://www.w3.org/2005/Atom"',
                    ' xmlns:dc="urn:else"',
                    ' xmlns:v="urn:v"',
                ),
            ]
        ),
        max_size=2,
        unique_by=lambda attribute: attribute.partition("=")[0].strip(),
    ).map("".join),
)
NAMES = st.sampled_from(
    [
        *("title", "link", "guid", "id", "pubDate", "published", "updated", "modified", "issued"),
        *("created", "dc:date", "dcterms:created", "dcterms:modified", "dcterms:issued", "date"),
        *("description", "summary", "content", "content:encoded", "dc:description", "Title"),
        *(
            "category",
            "dc:subject",
            "keywords",
            "author",
            "dc:creator",
            "itunes:author",
            "comments",
        ),
        *("enclosure", "source", "contributor", "rights", "slash:comments", "v:title", "v:odd"),
        *("media:content", "media:title", "itunes:summary", "itunes:keywords", "tags", "links"),
        *("item", "image", "svg", "language", "a:title", "a:link", "dc:title", "guidislink"),
    ]
)
ELEMENTS = st.builds(
    lambda name, attributes, text: f"<{name}{attributes}>{text}</{name}>", NAMES, ATTRIBUTES, TEXTS
)
USUAL = st.sampled_from(
    [
        "<title>Release 1</title>",
        "<link>https://acme.example/1</link>",
        '<link rel="alternate" href="https://acme.example/1"/>',
        '<guid isPermaLink="false">1</guid>',
        "<description>&lt;p&gt;Text&lt;/p&gt;</description>",
        '<content type="html">&lt;p&gt;Text&lt;/p&gt;</content>',
        "<pubDate>Tue, 30 Jun 2026 14:00:00 GMT</pubDate>",
    ]
)
NAMESPACES = (
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
    ' xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:v="urn:vendor"'
    ' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:a="http://www.w3.org/2005/Atom"'
    ' xmlns:media="http://search.yahoo.com/mrss/"'
    ' xmlns:slash="http://purl.org/rss/1.0/modules/slash/"'
)
ITEMS = st.lists(st.lists(USUAL | ELEMENTS, max_size=6).map("".join), max_size=4)
CHANNEL = st.lists(USUAL | ELEMENTS, max_size=3).map("".join)


def rss(before: str, items: list[str], after: str, root: str) -> bytes:
    inner = "".join(f"<item>{item}</item>" for item in items)
    return f"<rss{NAMESPACES}{root}><channel>{before}{inner}{after}</channel></rss>".encode()


def atom(before: str, items: list[str], after: str, root: str) -> bytes:
    inner = "".join(f"<entry>{item}</entry>" for item in items)
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom"{NAMESPACES}{root}>{before}{inner}{after}</feed>'
    ).encode()


ROOTS = st.sampled_from(
    ["", ' version="2.0"', ' xml:lang="en_US"', ' lang=""', ' xmlns:r="http://purl.org/rss/1.0/"']
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)  # a loaded machine is no fault
@given(st.sampled_from([rss, atom]), CHANNEL, ITEMS, CHANNEL, ROOTS)
@example(rss, "<title>One</title>", ["<title>x</title>"], "<title>Two</title>", "")
@example(rss, "", ["<title/><title>x</title><source>s</source><title>y</title>"], "", "")
@example(
    rss, "", ["<description>a</description><description>&lt;b&gt;c&lt;/b&gt;</description>"], "", ""
)
@example(
    atom, "", ["<author><name>A</name></author><author><email>b@c.example</email></author>"], "", ""
)
@example(
    rss, "<content>x</content>", ["<description>y</description><description></description>"], "", ""
)
def test_a_generated_feed_is_what_feedparser_says(write, before, items, after, root):
    body = write(before, items, after, root)

    assert read(body) == by_feedparser(body)


@pytest.mark.parametrize("write", [rss, atom])
def test_usual_items_are_not_left_to_feedparser(write):
    usual = [
        "<title>Release 1</title><link href='https://acme.example/1'/><id>1</id>",
        "<title>Release 2</title><author><name>Ada</name></author><v:odd>1</v:odd>",
    ]

    split = split_items(write("<title>Acme</title>", usual, "", ""))

    assert split is not None
    assert [item and item["title"] for item in split.items] == ["Release 1", "Release 2"]
    assert b"Release" not in split.remainder


def test_an_unusual_item_alone_is_left_to_feedparser():
    inline = "<title>Two</title><description><p>inline</p></description>"

    split = split_items(rss("", ["<title>One</title>", inline, "<title>Three</title>"], "", ""))

    assert split is not None
    assert [item and item["title"] for item in split.items] == ["One", None, "Three"]
    assert split.remainder.count(b"<item>") == 1


def test_a_document_that_is_not_well_formed_is_left_to_feedparser():
    assert split_items(b"<rss><channel><item><title>One</item></channel></rss>") is None


def read_after(earlier: bytes, body: bytes) -> tuple[ParsedDocument | str, int]:
    """Read a document knowing the items of an earlier one; tell how many were skipped."""
    try:
        before = feed.parse_new_items(earlier, address=ADDRESS, content_type=None, known_items=None)
    except Exception:  # noqa: BLE001 - what cannot be read leaves nothing that is known
        return read(body), 0
    fingerprints = b"".join(
        fingerprint or bytes(FINGERPRINT_SIZE) for fingerprint in before.fingerprints
    )
    known_items = None if before.basis is None else KnownItems(fingerprints, before.basis)
    try:
        result = feed.parse_new_items(
            body, address=ADDRESS, content_type=None, known_items=known_items
        )
    except Exception as error:  # noqa: BLE001 - as in read
        return f"{type(error).__name__}: {error}", 0
    fresh = iter(result.document.entries)
    entries = tuple(
        next(fresh) if place is None else before.document.entries[place] for place in result.order
    )
    assert next(fresh, None) is None
    assert len(result.fingerprints) == len(result.document.entries)
    passed = len(entries) - len(result.document.entries)
    return replace(result.document, entries=entries), passed


CHANGES = st.lists(st.one_of(st.integers(0, 5), st.lists(USUAL | ELEMENTS, max_size=4)), max_size=6)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)  # a loaded machine is no fault
@given(
    st.sampled_from([rss, atom]), st.tuples(CHANNEL, CHANNEL), ITEMS, CHANGES, CHANNEL, ROOTS, ROOTS
)
def test_a_document_read_without_its_known_items_says_what_it_says(
    write, channels, items, changes, after, root, later_root
):
    """Of the later document, items that are numbers stand in the earlier one."""
    first, then = channels
    later = [
        (items[change % len(items)] if items else "")
        if isinstance(change, int)
        else "".join(change)
        for change in changes
    ]
    body = write(then, later, after, later_root)

    document, _ = read_after(write(first, items, after, root), body)

    assert document == read(body)


HISTORIES = sorted(path for path in Path(NAMED).glob("history/*") if path.is_dir()) if NAMED else []


@pytest.mark.skipif(NAMED is None, reason="CHANGEWIRE_CORPUS names no folder with a corpus")
@pytest.mark.parametrize("folder", HISTORIES, ids=lambda path: path.name)
def test_versions_of_the_corpus_say_the_same_when_known_items_are_skipped(folder):
    versions = sorted(path for path in folder.iterdir() if path.suffix in {".xml", ".atom", ".rss"})

    for earlier, later in pairwise(path.read_bytes() for path in versions):
        document, _ = read_after(earlier, later)
        assert document == read(later)


ONE, TWO, THREE = (
    f"<title>Release {number}</title><guid>https://acme.example/{number}</guid>"
    f"<description>&lt;p&gt;Text {number}&lt;/p&gt;</description>"
    for number in (1, 2, 3)
)


def test_only_the_new_item_of_a_document_is_read():
    document, passed = read_after(rss("", [TWO, ONE], "", ""), rss("", [THREE, TWO, ONE], "", ""))

    assert passed == 2
    assert [entry.title for entry in document.entries] == ["Release 3", "Release 2", "Release 1"]


def test_an_edited_item_is_read_again():
    edited = ONE.replace("Text 1", "Text one")

    document, passed = read_after(rss("", [TWO, ONE], "", ""), rss("", [TWO, edited], "", ""))

    assert passed == 1
    assert [entry.summary for entry in document.entries] == ["Text 2", "Text one"]


@pytest.mark.parametrize(
    ("before", "root", "later_root"),
    [
        ("<link>https://acme.example/news/</link>", "", ""),  # what relative links are relative to
        ("<language>de</language>", "", ""),
        ('<a:link rel="self" href="https://acme.example/1"/>', "", ""),  # what is not handed on
        ("", "", ' xml:lang="de"'),
        ("", "", ' xmlns:x="urn:x"'),
        ("", ' version="0.91"', ' version="2.0"'),
    ],
)
def test_where_items_inherit_something_else_all_are_read_again(before, root, later_root):
    earlier, later = rss("", [TWO, ONE], "", root), rss(before, [TWO, ONE], "", later_root)

    document, passed = read_after(earlier, later)

    assert passed == 0
    assert document == read(later)


def test_an_item_that_declares_a_namespace_is_read_again():
    odd = TWO + '<v:odd xmlns:w="urn:w">1</v:odd>'

    _, passed = read_after(rss("", [odd, ONE], "", ""), rss("", [odd, ONE], "", ""))

    assert passed == 1


@pytest.mark.parametrize("write", [rss, atom])
@pytest.mark.parametrize("inside", ["<item><title>x</title></item>", "<a:entry>x</a:entry>"])
def test_an_item_inside_an_item_has_all_read_again(write, inside):
    odd = ONE + f"<v:odd>{inside}</v:odd>"

    document, _ = read_after(write("", [TWO, ONE], "", ""), write("", [THREE, odd, TWO], "", ""))

    assert document == read(write("", [THREE, odd, TWO], "", ""))


@pytest.mark.parametrize("write", [rss, atom])
@pytest.mark.parametrize(
    "around",
    [
        *("<!-- {} -->", "<![CDATA[{}]]>", "<?old {} ?>", "<v:odd>{}</v:odd>", "<v:odd a='{}'/>"),
        "<{0}><title>Quoting</title><description><![CDATA[{1}]]></description></{0}>",
        "<{0}><title>Hiding</title><!-- {1} --></{0}>",
        "<{0}><title>Inside</title>{1}</{0}>",
        *("<{0}/>{1}", "<!-- a -->{1}<!-- b -->", "<category><![CDATA[a]]></category>{1}"),
    ],
)
def test_a_known_item_counts_where_a_parser_finds_one(write, around):
    name = "item" if write is rss else "entry"
    known = f"<{name}>{ONE}</{name}>"
    place = (
        around.format(name, known) if "{0}" in around or "{1}" in around else around.format(known)
    )

    document, _ = read_after(write("", [TWO, ONE], "", ""), write(place, [TWO], place, ""))

    assert document == read(write(place, [TWO], place, ""))


def test_what_follows_a_base_is_read_again():
    """A base counts for all that follows, so the whole document is feedparser's."""
    based = '<title>Based</title><link xml:base="https://b.example/">/x</link>'
    later = rss("", [based, TWO, ONE], "", "")

    document, passed = read_after(rss("", [TWO, ONE], "", ""), later)

    assert passed == 0
    assert document == by_feedparser(later)
