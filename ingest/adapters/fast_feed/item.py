"""One item of a feed in plain words, as feedparser would read it.

feedparser says what a feed means; this says the same of the elements that nearly all items are
made of, thirty times as fast. What it is not sure of it refuses (``Unusual``), and feedparser
reads that item. Each method names what it repeats: the handlers of feedparser 6's namespaces.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from feedparser.api import StrictFeedParser
from feedparser.util import FeedParserDict

Attributes: TypeAlias = dict[str, str]


class Unusual(Exception):
    """An element that has to be left to feedparser."""


USED: Final = frozenset(
    {
        *("id", "guidislink", "author", "author_detail", "authors", "tags", "comments"),
        *("links", "link", "published", "updated", "created", "title", "content"),
        *("summary", "summary_detail"),
    }
)
"""What entries are made of (``feed_entry``); all else in an item may be passed over."""

LONGEST_AUTHOR: Final = 500
"""Characters of an author; the search for a mail address in a longer text is slow."""

_CP1252: Final = {
    code: bytes([code]).decode("cp1252")
    for code in range(0x80, 0xA0)
    if code not in {0x81, 0x8D, 0x8F, 0x90, 0x9D}
}
_C1: Final = re.compile("[\x80-\x9f]")
_TEXT_TYPES: Final = {
    "text": "text/plain",
    "plain": "text/plain",
    "text/plain": "text/plain",
    "html": "text/html",
    "text/html": "text/html",
}
_QUERY: Final = re.compile(r"&([A-Za-z0-9_]+);")
_MAIL: Final = re.compile(
    r"(([a-zA-Z0-9\_\-\.\+]+)@((\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.)|(([a-zA-Z0-9\-]+\.)+))"
    r"([a-zA-Z]{2,4}|[0-9]{1,3})(\]?))(\?subject=\S+)?"
)
_HANDLED: Final = frozenset(
    name.partition("_")[2].partition("_")[2]
    for name in dir(StrictFeedParser)
    if name.startswith(("_start_", "_end_"))
)
_HARMLESS: Final = frozenset(
    {
        *("media_content", "media_thumbnail", "itunes_block", "itunes_explicit", "itunes_image"),
        *("contributor", "rights", "dc_rights", "dc_publisher"),
    }
)


def is_passed_over(name: str) -> bool:
    """Tell whether feedparser's reading of an element changes nothing that is used.

    ``name`` is feedparser's: the usual prefix of the namespace, an underscore, the local name.
    """
    if name in _HARMLESS:
        return True
    said = FeedParserDict.keymap.get(name, name)
    keys = set(said) if isinstance(said, list) else {said}
    return name not in _HANDLED and not keys & USED


class Item:
    """What the elements of an item say, gathered in their order."""

    def __init__(self, language: str | None, *, is_atom: bool) -> None:
        """Begin an item whose language is ``language``."""
        self.found: dict[str, Any] = {}
        self._language = language.replace("_", "-") if language else language
        self._is_atom = is_atom
        self._has_content = False
        self._has_title = False
        self._guid_is_link = False

    def title(self, attributes: Attributes, text: str) -> None:
        """_start_title, _end_title: the first that says something stays."""
        _text_type(attributes, "text/plain")
        if not self._has_title:
            self.found["title"] = _mended(text)
        self._has_title = self._has_title or bool(_mended(text))

    def source(self, _: Attributes, __: str) -> None:
        """_start_source: where the item was taken from; a title behind it counts again."""
        self._has_title = False

    def link(self, attributes: Attributes, text: str) -> None:
        """_start_link, _end_link."""
        link = _with_href(attributes)
        link.setdefault("rel", "alternate")
        is_self = link["rel"] == "self"
        link.setdefault("type", "application/atom+xml" if is_self else "text/html")
        self.found.setdefault("links", []).append(link)
        if "href" in link:
            link["href"] = _resolved(link["href"])
            is_page = link["type"] in {"text/html", "html", "application/xhtml+xml", "xhtml"}
            if link["rel"] == "alternate" and is_page:
                self.found["link"] = link["href"]
            return
        if attributes:
            raise Unusual
        url = _mended(_resolved(text)).replace("&amp;", "&")
        self.found["link"] = url = _QUERY.sub(r"&\g<1>", url)
        if url:
            link["href"] = url

    def guid(self, attributes: Attributes, text: str) -> None:
        """_start_guid, _end_guid, which are those of Atom's id too."""
        self._guid_is_link = attributes.get("ispermalink", "true") == "true"
        value = _mended(_resolved(text) if self._guid_is_link else text)
        self.found["id"] = value
        self.found.setdefault("guidislink", self._guid_is_link and "link" not in self.found)
        if self._guid_is_link:
            self.found.setdefault("link", value)

    def published(self, _: Attributes, text: str) -> None:
        """_end_published."""
        self.found["published"] = _mended(text)

    def updated(self, _: Attributes, text: str) -> None:
        """_end_updated."""
        self.found["updated"] = _mended(text)

    def created(self, _: Attributes, text: str) -> None:
        """_end_created."""
        self.found["created"] = _mended(text)

    def comments(self, attributes: Attributes, text: str) -> None:
        """No handler: the text is stored by its name, an element with attributes is not."""
        if attributes:
            raise Unusual
        self.found["comments"] = _mended(_resolved(text))

    def description(self, attributes: Attributes, text: str) -> None:
        """_start_description, _end_description: a second one is content."""
        if "summary" in self.found and not self._has_content:
            self.content(attributes, text)
        else:
            self._summarise(_text_type(attributes, "text/html"), text)

    def summary(self, attributes: Attributes, text: str) -> None:
        """_start_summary, _end_summary: as a description, but plain text unless it says so."""
        if "summary" in self.found and not self._has_content:
            self.content(attributes, text)
        else:
            self._summarise(_text_type(attributes, "text/plain"), text)

    def _summarise(self, type_: str, text: str) -> None:
        detail = self._detail(type_, text)
        self.found["summary"] = detail["value"]
        self.found["summary_detail"] = detail

    def content(self, attributes: Attributes, text: str) -> None:
        """_start_content, _end_content: Atom's content."""
        if "src" in attributes:
            raise Unusual
        self._has_content = True
        self._add_content(_text_type(attributes, "text/plain"), text)

    def content_encoded(self, attributes: Attributes, text: str) -> None:
        """_start_content_encoded, _end_content."""
        self._has_content = True
        self._add_content(_text_type(attributes, "text/html"), text)

    def _add_content(self, type_: str, text: str) -> None:
        detail = self._detail(type_, text)
        self.found.setdefault("content", []).append(detail)
        self.found.setdefault("summary", detail["value"])

    def _detail(self, type_: str, text: str) -> dict[str, Any]:
        """pop: outside Atom, plain text that looks like HTML is HTML."""
        guessed = type_ == "text/plain" and not self._is_atom
        if guessed and StrictFeedParser.looks_like_html(text.strip()):
            type_ = "text/html"
        return {"type": type_, "language": self._language, "base": "", "value": _mended(text)}

    def category(self, attributes: Attributes, text: str) -> None:
        """_start_category, _end_category."""
        scheme = attributes.get("scheme", attributes.get("domain"))
        self._add_tag(attributes.get("term"), scheme, attributes.get("label"))
        value = _mended(text)
        tags = self.found["tags"]
        if value and tags and not tags[-1]["term"]:
            tags[-1]["term"] = value
        elif value:
            self._add_tag(value, None, None)

    def _add_tag(self, term: str | None, scheme: str | None, label: str | None) -> None:
        tags = self.found.setdefault("tags", [])
        tag = {"term": term, "scheme": scheme, "label": label}
        if (term or scheme or label) and tag not in tags:
            tags.append(tag)

    def enclosure(self, attributes: Attributes, _: str) -> None:
        """_start_enclosure."""
        self.found.setdefault("links", []).append(_with_href(attributes) | {"rel": "enclosure"})

    def author(self, _: Attributes, text: str, parts: Sequence[tuple[str, str]] = ()) -> None:
        """_start_author, _end_author; ``parts`` are the name, email and uri in it, in order."""
        if len(text) > LONGEST_AUTHOR:
            raise Unusual
        detail: dict[str, str] = {}
        self.found.setdefault("authors", []).append(detail)
        for key, value in parts:
            self.found.setdefault("author_detail", {})[key] = value
            self._sync_author(detail)
            detail[key] = value
        self.found["author"] = _mended(text)
        self._sync_author(detail)

    def _sync_author(self, detail: dict[str, str]) -> None:
        """_sync_author_detail."""
        if detail:
            name, mail = detail.get("name"), detail.get("email")
            both = f"{name} ({mail})" if name and mail else name or mail
            if both:
                self.found["author"] = both
            return
        author = self.found.get("author")
        if not author:
            return
        match = _MAIL.search(author)
        if match:
            author = _without_mail(author, match[0])
        if author or match:
            self.found.setdefault("author_detail", detail)
        if author:
            detail["name"] = author
        if match:
            detail["email"] = match[0]


Action: TypeAlias = Callable[[Item, Attributes, str], None]
ACTIONS: Final[Mapping[str, Action]] = {
    "title": Item.title,
    "dc_title": Item.title,
    "source": Item.source,
    "link": Item.link,
    "guid": Item.guid,
    "id": Item.guid,
    **dict.fromkeys(("published", "issued", "pubdate", "dcterms_issued"), Item.published),
    **dict.fromkeys(("updated", "modified", "dc_date", "dcterms_modified"), Item.updated),
    **dict.fromkeys(("created", "dcterms_created"), Item.created),
    "comments": Item.comments,
    **dict.fromkeys(("description", "dc_description"), Item.description),
    **dict.fromkeys(("summary", "itunes_summary"), Item.summary),
    "content": Item.content,
    **dict.fromkeys(("content_encoded", "fullitem"), Item.content_encoded),
    **dict.fromkeys(("category", "keywords", "dc_subject"), Item.category),
    "enclosure": Item.enclosure,
    **dict.fromkeys(("author", "dc_creator", "dc_author", "itunes_author"), Item.author),
}
"""What is done with the elements of an item, by feedparser's name for them."""


def _mended(text: str) -> str:
    """pop: trimmed; UTF-8 that was taken for Latin-1 and Windows-1252 put right."""
    text = text.strip()
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("iso-8859-1").decode("utf-8")
    return text.translate(_CP1252) if _C1.search(text) else text


def _resolved(url: str) -> str:
    """resolve_uri without a base: only too many slashes would be changed."""
    if ":///" in url:
        raise Unusual
    return url


def _with_href(attributes: Attributes) -> Attributes:
    """_enforce_href."""
    href = attributes.get("url", attributes.get("uri", attributes.get("href")))
    if not href:
        return dict(attributes)
    return {key: value for key, value in attributes.items() if key not in {"url", "uri"}} | {
        "href": href
    }


def _text_type(attributes: Attributes, default: str) -> str:
    """map_content_type, for text that is no base64 and no inline XML."""
    found = _TEXT_TYPES.get(attributes.get("type", default))
    if found is None or "mode" in attributes:
        raise Unusual
    return found


def _without_mail(author: str, mail: str) -> str:
    for each in (mail, "()", "<>", "&lt;&gt;"):
        author = author.replace(each, "")
    author = author.strip()
    return author.removeprefix("(").removesuffix(")").strip()
