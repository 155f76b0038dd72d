"""The GitHub adapter: releases from the REST API, or from a repository's releases.atom.

Both documents give a release the same url (its page), which keeps an entry the same when a source
is switched from one to the other: the id of the REST API is the release's number, the feed's is a
tag URI, and identity looks up the url before it makes a new entry (docs/decisions/0015).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final
from urllib.parse import unquote

from changelog_reader.adapters.base import ParsedDocument, ParsedEntry, UnreadableDocument
from changelog_reader.adapters.decoding import decode_document
from changelog_reader.adapters.disclosure import FeedAddresses
from changelog_reader.adapters.feed import parse_xml_feed
from changelog_reader.adapters.feed_entry import MOST_VALUES, FeedContext, clean_entry
from changelog_reader.adapters.json_feed import JsonObject, load_json, objects, string
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.content.markdown import markdown_to_html
from changelog_reader.content.text import one_line, safe_url, text_line

_DATES: Final = ("published_at", "created_at")
_TAG_PAGE: Final = "/releases/tag/"


def parse_github_releases(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    """Return the published releases; drafts are skipped, prereleases are marked in ``raw``.

    Raises UnreadableDocument when the document is neither a list of releases nor a feed.
    """
    text = decode_document(body, content_type)
    if text[0] not in "{[":
        feed = parse_xml_feed(text, address=address)
        return replace(feed, entries=tuple(map(_with_tag, feed.entries)))
    releases = load_json(text)
    if not isinstance(releases, list):
        raise UnreadableDocument("GitHub answered with a message instead of a list of releases.")
    addresses = FeedAddresses([address])
    return ParsedDocument(
        entries=tuple(
            _entry(release, addresses)
            for release in objects(releases)
            if release.get("draft") is not True
        )
    )


def _entry(release: JsonObject, addresses: FeedAddresses) -> ParsedEntry:
    url = safe_url(string(release, "html_url"), base=None)
    dated = ((parse_timestamp(string(release, field)), field) for field in _DATES)
    published_at, date_source = next((pair for pair in dated if pair[0]), (None, "none"))
    author = release.get("author")
    raw: JsonObject = {
        "release_id": string(release, "id"),
        "node_id": string(release, "node_id"),
        "tag_name": string(release, "tag_name"),
        "prerelease": release.get("prerelease") is True,
        "author": string(author, "login") if isinstance(author, dict) else "",
        "target_commitish": string(release, "target_commitish"),
        "assets": list(islice(_assets(release), MOST_VALUES)),
        "published": string(release, "published_at"),
        "updated": string(release, "updated_at"),
    }
    written = ParsedEntry(
        vendor_id=string(release, "id"),
        title=text_line(string(release, "name")) or text_line(string(release, "tag_name")),
        url=url,
        published_at=published_at,
        date_source=date_source,
        updated_at=parse_timestamp(string(release, "updated_at")),
        html=markdown_to_html(string(release, "body"), base=url),
        raw=raw,
    )
    return clean_entry(written, FeedContext(base=url or "", addresses=addresses))


def _assets(release: JsonObject) -> Iterator[JsonObject]:
    """Yield the names and sizes, in bytes, of what can be downloaded."""
    for asset in objects(release.get("assets")):
        size = asset.get("size")
        is_size = isinstance(size, int) and 0 <= size < 2**53
        yield {"name": one_line(string(asset, "name")), "size": size if is_size else None}


def _with_tag(entry: ParsedEntry) -> ParsedEntry:
    """Add the tag, which the feed names only in the address of the release's page."""
    tag = unquote((entry.url or "").partition(_TAG_PAGE)[2])
    return replace(entry, raw={**entry.raw, "tag_name": one_line(tag)}) if tag else entry
