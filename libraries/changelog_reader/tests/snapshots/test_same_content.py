"""The same content in another wrapping is no change; the real adapters read the wrappings."""

import json

import pytest
from snapshot_laws import content_hash

from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.snapshot import snapshot_of
from changelog_reader.vocabulary import AdapterType


def snapshot(kind, body):
    found = ADAPTERS[kind](
        body.encode(), address="https://acme.example/changes", content_type="text/html"
    )
    identified = [(entry.vendor_id or entry.url or entry.title, entry) for entry in found.entries]
    assert identified
    return snapshot_of(identified, blocks=found.blocks, parser_version="1")


def rss(description, *, link="https://acme.example/1", built="Mon, 04 May 2026 09:00:00 GMT"):
    return f"""<?xml version="1.0"?><rss version="2.0"><channel><title>Acme</title>
<link>https://acme.example/</link><description>Acme</description>
<lastBuildDate>{built}</lastBuildDate>
<item><guid>acme-1</guid><title>Faster parser</title><link>{link}</link>
<pubDate>Mon, 04 May 2026 09:00:00 GMT</pubDate>
<description><![CDATA[{description}]]></description></item></channel></rss>"""


def atom(content):
    return f"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><id>acme</id>
<title>Acme</title><updated>2026-05-04T09:00:00Z</updated><entry><id>acme-1</id>
<title>Faster parser</title><link href="https://acme.example/1"/>
<published>2026-05-04T09:00:00Z</published><updated>2026-05-04T09:00:00Z</updated>
<content type="html"><![CDATA[{content}]]></content></entry></feed>"""


def page(text, *, nonce="a1b2c3d4", seen="3 hours ago"):
    items = "".join(
        f'<article><h2 id="v{n}"><a href="/changes#v{n}">Version {n}.0</a></h2>'
        f'<time datetime="2026-05-0{n}">May {n}, 2026</time>'
        f"<p>{text} in version {n}.0.</p></article>"
        for n in (4, 3, 2, 1)
    )
    return f"""<!doctype html><html lang="en"><head><title>Changelog</title>
<script nonce="{nonce}">window.csrf="{nonce}"</script></head><body><main>
<h1>Changelog</h1><p>Last updated {seen}</p>
<form><input type="hidden" name="csrf_token" value="{nonce}"></form>{items}</main></body></html>"""


def release(**changed):
    found = {
        "id": 7,
        "tag_name": "v1.0",
        "name": "1.0",
        "html_url": "https://github.com/acme/tool/releases/tag/v1.0",
        "published_at": "2026-05-04T09:00:00Z",
        "draft": False,
        "prerelease": False,
        "body": "## Fixed\n\n- The parser",
    }
    return json.dumps([{**found, **changed}])


SAME = [
    (
        AdapterType.RSS,
        rss('<p class="a" id="b">It is <b>faster</b>.</p>'),
        rss('<p id="b" class="a">It  is\n <strong>faster</strong>.</p>\n'),
    ),
    (
        AdapterType.RSS,
        rss("It is faster."),
        rss("It is faster.", built="Tue, 05 May 2026 1:00 GMT"),
    ),
    (
        AdapterType.RSS,
        rss("It is faster."),
        rss("It is faster.", link="https://acme.example/1?utm_source=rss&amp;utm_medium=feed"),
    ),
    (AdapterType.RSS, rss("It is faster."), rss("<div><p>It is faster.</p></div>")),
    (
        AdapterType.ATOM,
        atom('<a href="https://acme.example/x" rel="nofollow">Read</a> on. 12 minutes ago'),
        atom('<a rel="nofollow" href="https://acme.example/x">Read</a> on. 2 days ago'),
    ),
    (AdapterType.HTML, page("Faster parser"), page("Faster  parser", nonce="z9y8x7w6")),
    (AdapterType.HTML, page("Faster parser"), page("Faster parser", seen="yesterday")),
    (
        AdapterType.GITHUB_RELEASES,
        release(),
        release(body="## Fixed\r\n\r\n* The parser\r\n", reactions={"total_count": 3}),
    ),
]


@pytest.mark.parametrize(("kind", "one", "other"), SAME)
def test_the_same_content_in_another_wrapping_is_no_change(kind, one, other):
    before, after = snapshot(kind, one), snapshot(kind, other)
    assert diff(before, after) is None
    assert content_hash(before) == content_hash(after)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (AdapterType.RSS, rss("It is faster."), rss("It was faster.")),
        (AdapterType.ATOM, atom("It is faster."), atom("It was faster.")),
        (AdapterType.HTML, page("Faster parser"), page("Slower parser")),
        (AdapterType.GITHUB_RELEASES, release(), release(prerelease=True)),
    ],
)
def test_other_content_in_the_same_wrapping_is_a_change(kind, one, other):
    assert diff(snapshot(kind, one), snapshot(kind, other)) is not None
