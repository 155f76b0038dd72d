"""What has to be true of everything an adapter gives, whatever it was given.

The checks share no code with what they check: cleaning is judged by another parser and by
plain patterns.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urlsplit

import orjson

from changelog_reader.adapters.base import ParsedDocument, ParsedEntry
from openapi.vocabulary import Json

ADDRESS: Final = "https://feeds.acme.example/hidden/changelog.xml?token=secret"
"""Where every document is said to come from; a feed's must not come out again."""

LONGEST_TITLE: Final = 500
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
_LINE_END: Final = re.compile("[\t\n\r\x85\u2028\u2029]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HARMFUL: Final = frozenset(
    {"base", "embed", "form", "iframe", "link", "math", "meta", "object", "script", "style", "svg"}
)
# Not where it goes on: what lies below a feed has addresses of its own.
_DISCLOSED: Final = re.compile(
    rf"(?:(?<![\w./@-])|//){re.escape(ADDRESS.partition('//')[2])}(?![\w/?&=%~+#-]|\.\w)"
)
_SCHEMES: Final = {"http", "https", "mailto"}


class Broken(AssertionError):
    """Something came out that must not."""


def check_document(document: ParsedDocument, *, hides_address: bool) -> None:
    """Raise Broken when anything of a document is not as it has to be.

    ``hides_address``: the address it came from must not stand in what customers get.
    """
    _require(document.title is None or bool(document.title), "an empty title of the document")
    _check_texts((document.title or "",))
    if document.ttl is not None:
        _require(timedelta() < document.ttl <= timedelta(days=31), f"a ttl of {document.ttl}")
    for block in document.blocks:
        _check_texts((*block.heading, block.text))
    for entry in document.entries:
        check_entry(entry)
        if hides_address:
            given = orjson.dumps(
                [entry.vendor_id, entry.title, entry.url, entry.summary, entry.html, entry.raw]
            )
            found = _DISCLOSED.search(given.decode())
            _require(found is None, f"the feed's address: {found}")


def check_entry(entry: ParsedEntry) -> None:
    """Raise Broken when anything of an entry is not as it has to be."""
    _require(bool(entry.title.strip()), "no title")
    _require(len(entry.title) <= LONGEST_TITLE, f"a title of {len(entry.title)} characters")
    _require(not _LINE_END.search(entry.title), f"a title of several lines: {entry.title!r}")
    _require(entry.vendor_id is None or bool(entry.vendor_id), "an empty id")
    for moment in (entry.published_at, entry.updated_at):
        _check_moment(moment)
    _check_url(entry.url)
    _check_markup(entry.html or "")
    raw = dict(entry.raw)
    _check_texts((entry.title, entry.vendor_id or "", entry.summary or "", entry.html or ""))
    _check_texts(_texts(raw))
    _require(orjson.loads(orjson.dumps(raw)) == raw, "raw is no JSON")


def _check_moment(moment: datetime | None) -> None:
    if moment is not None:
        _require(moment.utcoffset() is not None, f"a date without a zone: {moment}")


def _check_url(url: str | None) -> None:
    if url is not None:
        parts = urlsplit(url)
        _require(parts.scheme in {"http", "https"} and bool(parts.netloc), f"the link {url!r}")
        _require(url.isascii() and not re.search(r"[\s<>\"]", url), f"the link {url!r}")
        _require("@" not in parts.netloc, f"credentials in {url!r}")


def _check_markup(markup: str) -> None:
    reader = _HarmFinder()
    reader.feed(markup)
    reader.close()


class _HarmFinder(HTMLParser):
    """Reads markup and raises Broken at anything that a browser would run or load as code."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        _require(tag not in _HARMFUL, f"an element {tag}")
        for name, value in attrs:
            _require(not name.startswith("on") and name != "style", f"an attribute {name}")
            if name in {"href", "src"}:
                scheme = (value or "").partition(":")[0].strip().lower()
                _require(scheme in _SCHEMES, f"a link to {value!r}")


def _check_texts(texts: Iterator[str] | tuple[str, ...]) -> None:
    for text in texts:
        _require(not _CONTROL.search(text), f"a control character in {text!r}")
        _require(not _SURROGATE.search(text), f"half a character in {text!r}")


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for key, each in value.items():
                yield key
                yield from _texts(each)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Broken(otherwise)
