"""Conversion of one feed item to a ParsedEntry."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urldefrag, urljoin

from orjson import dumps

from changelog_reader.adapters.base import ParsedEntry
from changelog_reader.adapters.disclosure import FeedAddresses
from changelog_reader.adapters.feed_markup import with_characters
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.content.markdown import is_markdown, render_notes
from changelog_reader.content.text import (
    MARKUP_LIMIT,
    clean_html,
    clean_html_to_text,
    html_to_text,
    one_line,
    safe_url,
    strip_controls,
    text_line,
    text_of_images,
)
from changelog_reader.vocabulary import Json

UNTITLED: Final = "Untitled"
RELEASE_NOTES: Final = "sparkle_releasenoteslink"
"""feedparser's name of the link to release notes in the appcasts of Sparkle."""
MOST_VALUES: Final = 50
"""Categories or enclosures of one item that are kept."""
LONGEST_VALUE: Final = 2_000
"""Characters of one text in raw, the markup aside."""

_RSS_NAMES: Final = {"published": "pubDate", "updated": "dc:date", "created": "dcterms:created"}
_MARKUP_TYPES: Final = {"text/html", "application/xhtml+xml"}
_NO_MARKUP: Final = re.compile(r"[<>]")
_TAG: Final = re.compile(r"</?[a-zA-Z]|<!--")
_CLOSING_TAG: Final = re.compile(
    r"</(?:p|div|ul|ol|li|a|h[1-6]|b|strong|i|em|span|table|code|pre)\s*>|<br ?/?>", re.IGNORECASE
)
_ESCAPED_TAG: Final = re.compile(
    r"&lt;/(?:p|div|ul|ol|li|a|h[1-6]|b|strong|i|em|span|table|code|pre)\s*&gt;|&lt;br ?/?&gt;"
    r"|&lt;img\s|\A\s*&lt;(?:p|div|h[1-6]|ul|ol|table)\b",
    re.IGNORECASE,
)
_ESCAPED_TWICE: Final = re.compile(r"&amp;(#[0-9]{2,6}|#x[0-9a-f]{2,5}|[a-z]{2,8});", re.IGNORECASE)
_CODE: Final = re.compile(r"<(?:code|pre)\b", re.IGNORECASE)
_FRAGMENT: Final = re.compile(r"""(<a\s[^<>]{0,200}?\bhref\s*=\s*["'])#""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FeedContext:
    """The values that an item inherits from its feed.

    ``base`` is what relative links are relative to; ``addresses`` are never handed on.
    """

    base: str
    addresses: FeedAddresses
    is_atom: bool = False
    id_is_link: bool = False
    has_dublin_core: bool = False
    language: str | None = None


def as_entry(item: Mapping[str, Any], context: FeedContext) -> ParsedEntry:
    """Return the entry of an item that feedparser parsed.

    ``item`` and what is in it are plain mappings: feedparser's own mappings map keys to other keys.
    """
    published_at, date_source = _date(item, context)
    markup, base = _body(item)
    detail = (item.get("content") or [{}])[0] or item.get("summary_detail") or {}
    raw: dict[str, Json] = {
        "guid": _text(item, "id"),
        "guid_is_permalink": True if item.get("guidislink") and not context.is_atom else None,
        "author": one_line((item.get("author_detail") or {}).get("name") or _text(item, "author")),
        "categories": _categories(item),
        "comments": safe_url(_text(item, "comments"), base=context.base),
        "enclosures": _enclosures(item, context),
        "release_notes": safe_url(_text(item, RELEASE_NOTES), base=context.base),
        "published": one_line(_text(item, "published")),
        "updated": one_line(_text(item, "updated")),
        "language": detail.get("language") or context.language,
    }
    written = ParsedEntry(
        vendor_id=_text(item, "id"),
        title=_title(item, context),
        url=_link(item, context),
        published_at=published_at,
        date_source=date_source,
        html=markup,
        updated_at=None if date_source == "dc:date" else parse_timestamp(_text(item, "updated")),
        raw=raw,
    )
    inner = urljoin(context.base, base)
    return clean_entry(written, context if inner == context.base else replace(context, base=inner))


def clean_entry(written: ParsedEntry, context: FeedContext) -> ParsedEntry:
    """Return an entry of what the vendor wrote: cleaned, bounded, without feed addresses.

    ``html`` of the written one is the body as the vendor has it, ``title`` a line of text. An entry
    without a title gets the first line of its text as title. ``raw`` loses what is empty and gains
    ``html`` and ``date_source``.
    """
    cleaned = clean_html(_with_fragments(written), base=context.base)
    summary = clean_html_to_text(cleaned) or text_of_images(cleaned)
    bounded: Json = _bounded(written.raw)
    title, url, vendor_id = written.title, written.url, written.vendor_id or ""
    texts = (cleaned, summary, title, vendor_id, url or "", dumps(bounded).decode())
    if context.addresses.may_be_in("\n".join(texts)):  # as in few of them
        without = context.addresses.removed_from_markup(cleaned)
        text = summary if without == cleaned else html_to_text(without)
        cleaned, summary = without, context.addresses.removed_from(text)
        title = context.addresses.removed_from(title or _first_line(summary))
        bounded = context.addresses.removed_from_all(bounded)
        vendor_id = context.addresses.removed_from(strip_controls(vendor_id))
        url = None if url is None or url in context.addresses else url
    else:
        title = title or _first_line(summary)
    assert isinstance(bounded, dict)
    body = {"html": cleaned} if cleaned else {}
    return replace(
        written,
        vendor_id=strip_controls(vendor_id) or None,
        title=" ".join(title.split()) or UNTITLED,
        url=url,
        summary=summary or None,
        html=cleaned or None,
        raw=bounded | body | {"date_source": written.date_source},
    )


def _with_fragments(written: ParsedEntry) -> str:
    """Return the body, whose links to ``#part`` lead to a part of the entry's page."""
    body = written.html or ""
    if '"#' not in body and "'#" not in body:
        return body
    page = html.escape(urldefrag(written.url or "").url)
    return _FRAGMENT.sub(lambda link: f"{link[1]}{page}#", body)


def _first_line(summary: str) -> str:
    return text_line(summary.partition("\n")[0].lstrip("#- ")[:120])


def _bounded(raw: Mapping[str, Json]) -> dict[str, Json]:
    """Return what is not empty; texts without angle brackets, at most LONGEST_VALUE long."""
    return {
        key: _NO_MARKUP.sub("", strip_controls(value))[:LONGEST_VALUE]
        if isinstance(value, str) and not _is_bounded(value)
        else value
        for key, value in raw.items()
        if value not in (None, "", [])
    }


def _is_bounded(value: str) -> bool:
    short = len(value) <= LONGEST_VALUE
    return short and value.isprintable() and "<" not in value and ">" not in value


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    return value.strip() if isinstance(value, str) else ""


def _date(item: Mapping[str, Any], context: FeedContext) -> tuple[datetime | None, str]:
    """Return when it was published, and the field it was read from (docs/decisions/0016)."""
    for field in ("published", "updated", "created"):
        moment = parse_timestamp(_text(item, field))
        if moment is not None:
            renamed = not context.is_atom and (field != "updated" or context.has_dublin_core)
            return moment, _RSS_NAMES[field] if renamed else field
    return None, "none"


def _link(item: Mapping[str, Any], context: FeedContext) -> str | None:
    for link in item.get("links") or ():
        if link.get("rel") == "alternate":
            url = safe_url(link.get("href"), base=context.base)
            if url is not None:
                return url
    # A guid is a link unless it says otherwise (RSS 2.0), rdf:about is one (RSS 1.0); an Atom
    # id never is (RFC 4287 §4.2.6).
    if context.id_is_link or (item.get("guidislink") and not context.is_atom):
        return safe_url(_text(item, "id"), base=None)
    return None


def _title(item: Mapping[str, Any], context: FeedContext) -> str:
    """Return the item's title; only Atom says whether it is text or markup."""
    title = _text(item, "title") or _foreign(item, ("title",))
    kind = (item.get("title_detail") or {}).get("type")
    is_text = context.is_atom and kind not in _MARKUP_TYPES
    return text_line(title) if is_text else one_line(with_characters(title))


def _foreign(item: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the first text that the item has in another vocabulary (``feed_markup``)."""
    endings = tuple(f"_x-{name}" for name in names)
    texts = (_text(item, key) for key in item if key.endswith(endings))
    return next(filter(None, texts), "")


def _body(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return the fullest markup the item has, its content, else its summary, and its base."""
    contents = [
        content for content in item.get("content") or () if content.get("value", "").strip()
    ]
    marked_up = [content for content in contents if content.get("type") in _MARKUP_TYPES]
    for content in (*marked_up, *contents):
        if content.get("type", "text/plain").startswith("text/") or content in marked_up:
            is_plain = content.get("type") == "text/plain"
            return as_markup(content["value"], is_plain=is_plain), content.get("base") or ""
    detail = item.get("summary_detail") or {}
    text = _text(item, "summary") or _foreign(item, ("summary", "description"))
    is_plain = detail.get("type") == "text/plain"
    return as_markup(text, is_plain=is_plain), detail.get("base") or ""


def as_markup(value: str, *, is_plain: bool) -> str:
    """Return a body as markup: plain text keeps its lines, what is escaped twice is unescaped.

    What vendors call plain text is often markup, and the other way round: so the text decides.
    Beside code ``&amp;amp;`` stays, for the text may be about it.
    """
    markup = with_characters(_as_markup(value[:MARKUP_LIMIT], is_plain=is_plain))
    if "&amp;" in markup and not _CODE.search(markup):
        return _ESCAPED_TWICE.sub(r"&\1;", markup)
    return markup


def _as_markup(value: str, *, is_plain: bool) -> str:
    if _CLOSING_TAG.search(value) or (not is_plain and _TAG.search(value)):
        return value
    if _ESCAPED_TAG.search(value):
        return html.unescape(value)
    if is_markdown(value):
        return render_notes(value)
    paragraphs = re.split(r"\n[ \t]*\n\s*", html.escape(value) if is_plain else value)
    return "".join(
        f"<p>{paragraph.replace(chr(10), '<br>')}</p>"
        for paragraph in paragraphs
        if paragraph.strip()
    )


def _categories(item: Mapping[str, Any]) -> list[Json]:
    tags = (item.get("tags") or ())[:MOST_VALUES]
    names = (one_line(str(tag.get("label") or tag.get("term") or "")) for tag in tags)
    return list(dict.fromkeys(name for name in names if name))


def _enclosures(item: Mapping[str, Any], context: FeedContext) -> list[Json]:
    """Return the attached files; ``length`` in bytes where it is a number."""
    enclosures: list[Json] = []
    for link in (item.get("links") or ())[:MOST_VALUES]:
        is_enclosure = link.get("rel") == "enclosure"
        url = safe_url(link.get("href"), base=context.base) if is_enclosure else None
        if url is not None:
            length = str(link.get("length") or "")
            enclosures.append(
                {
                    "url": url,
                    "type": one_line(link.get("type") or ""),
                    "length": int(length) if re.fullmatch(r"[0-9]{1,15}", length) else None,
                }
            )
    return enclosures
