"""What an item of a feed says: its link, title, date, text and bases."""

import json

import pytest
from rss_documents import ADDRESS, read_rss

from changelog_reader.adapters.feed import parse_feed


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
