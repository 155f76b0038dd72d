"""JSON Feed 1.0 and 1.1 (jsonfeed.org), which vendors serve where RSS is expected."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Final

from changelog_reader.adapters.base import ParsedDocument, ParsedEntry, UnreadableDocument
from changelog_reader.adapters.disclosure import FeedAddresses
from changelog_reader.adapters.feed_entry import MOST_VALUES, FeedContext, as_markup, clean_entry
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.content.text import one_line, safe_url, text_line
from changelog_reader.vocabulary import Json

JsonObject = dict[str, Json]

_DATES: Final = ("date_published", "date_modified")
_ESCAPE: Final = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')


def load_json(text: str) -> Json:
    """Return the JSON of a document; raises UnreadableDocument when it is not valid.

    Control characters in a text, an escape that JSON does not have, and a number too long to be
    one cost no more than themselves.
    """
    for written in (text, None):
        with suppress(ValueError, RecursionError):
            mended = written or _ESCAPE.sub(lambda it: it[0] if it[1] else r"\\", text)
            loaded: Json = json.loads(mended, strict=False, parse_int=lambda it: int(it[:300]))
            return loaded
    raise UnreadableDocument("The document is not valid JSON.")


def parse_json_feed(text: str, *, address: str) -> ParsedDocument:
    """Return the entries of a JSON Feed; raises UnreadableDocument for other JSON."""
    feed = load_json(text)
    if not isinstance(feed, dict) or not isinstance(feed.get("items"), list):
        raise UnreadableDocument("The document is JSON, but no JSON Feed: it has no list of items.")
    home = safe_url(string(feed, "home_page_url"), base=address)
    addresses = FeedAddresses([address, string(feed, "feed_url")])
    context = FeedContext(
        base=addresses.base_of(home, address=address),
        addresses=addresses,
        language=string(feed, "language") or None,
    )
    return ParsedDocument(
        entries=tuple(_entry(item, context) for item in objects(feed.get("items"))),
        title=one_line(string(feed, "title")) or None,
    )


def _entry(item: JsonObject, context: FeedContext) -> ParsedEntry:
    dated = [(parse_timestamp(string(item, field)), field) for field in _DATES]
    published_at, date_source = next((pair for pair in dated if pair[0]), (None, "none"))
    markup = string(item, "content_html")
    plain = string(item, "content_text") or string(item, "summary")
    raw: JsonObject = {
        "guid": string(item, "id"),
        "author": ", ".join(_authors(item)),
        "categories": list(islice(_tags(item), MOST_VALUES)),
        "enclosures": list(islice(_enclosures(item, context), MOST_VALUES)),
        "external_url": safe_url(string(item, "external_url"), base=context.base),
        "published": one_line(string(item, "date_published")),
        "updated": one_line(string(item, "date_modified")),
        "language": string(item, "language") or context.language,
    }
    written = ParsedEntry(
        vendor_id=string(item, "id"),
        title=text_line(string(item, "title")),
        url=_link(item, context),
        published_at=published_at,
        date_source=date_source,
        updated_at=dated[1][0],
        html=as_markup(markup or plain, is_plain=not markup),
        raw=raw,
    )
    return clean_entry(written, context)


def _link(item: JsonObject, context: FeedContext) -> str | None:
    """Return the item's page, else what it is about, else its id where that is an address."""
    for name, base in (("url", context.base), ("external_url", context.base), ("id", None)):
        url = safe_url(string(item, name), base=base)
        if url is not None:
            return url
    return None


def string(json: JsonObject, key: str) -> str:
    """Return a text, trimmed; a number, which may be an id, as its digits; else an empty text."""
    value = json.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def objects(value: Json) -> Iterator[JsonObject]:
    """Yield the objects of a list, without its other values; nothing when it is not a list."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def _tags(item: JsonObject) -> Iterator[str]:
    tags = item.get("tags")
    if isinstance(tags, list):
        names = (one_line(tag) for tag in tags if isinstance(tag, str))
        yield from dict.fromkeys(tag for tag in names if tag)


def _enclosures(item: JsonObject, context: FeedContext) -> Iterator[JsonObject]:
    for attachment in objects(item.get("attachments")):
        url = safe_url(string(attachment, "url"), base=context.base)
        if url is not None:
            yield {"url": url, "type": one_line(string(attachment, "mime_type"))}


def _authors(item: JsonObject) -> Iterator[str]:
    for author in (*objects(item.get("authors")), item.get("author")):
        if isinstance(author, dict) and (name := one_line(string(author, "name"))):
            yield name
