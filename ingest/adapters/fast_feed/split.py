"""A well-formed RSS 2.0 or Atom 1.0 document, split into its items and the remainder.

expat parses the document once. Items with usual elements only are read here. feedparser reads the
remainder, the document without them: the channel, unusual items, and unusual documents.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.parsers import expat

from ingest.adapters.fast_feed.fallback import FallBackToFeedparser
from ingest.adapters.fast_feed.fingerprint import fingerprint_of
from ingest.adapters.fast_feed.item import ACTIONS, Attributes, ItemReader
from ingest.adapters.fast_feed.names import ATOM, ElementNames

_ROOTS: Final = {"rss": ("channel", "item"), f"{ATOM} feed": (f"{ATOM} entry",)}
_NESTING: Final = frozenset(
    {"image", "textinput", "skipdays", "skiphours", "author", "contributor", "itunes_owner"}
    | {"itunes_category"}
)
"""Elements of a channel that may hold others; after any other, feedparser may stumble."""
_MISPLACED: Final = frozenset({"item", "entry", "content", "content_encoded", "fullitem"})
_PEOPLE: Final = frozenset({"author", "contributor"})
_PERSON_KEYS: Final = {"name": "name", "email": "email", "uri": "href", "url": "href"}


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """``items`` in the document's order, None for those that are left in ``remainder``.

    ``fingerprints`` identify the items, None where an item is left or declares a namespace.
    ``scope`` is what items inherit from where they stand: declarations and language.
    """

    items: tuple[Mapping[str, Any] | None, ...]
    fingerprints: tuple[bytes | None, ...]
    remainder: bytes
    has_dublin_core: bool
    scope: bytes


def split_items(document: bytes) -> SplitDocument | None:
    """Take the usual items out of a document; None when feedparser has to read all of it.

    ``document`` is UTF-8 with an XML declaration and without a document type.
    """
    walk = DocumentWalk()
    if not walk.parse(document):
        return None
    remainder, fingerprints, end = [], [], 0
    for item, (first, _), after in zip(
        walk.items, walk.offsets, walk.end_offsets(document), strict=True
    ):
        fingerprints.append(None if item is None else fingerprint_of(document[first:after]))
        if item is not None:
            remainder.append(document[end:first])
            end = after
    remainder.append(document[end:])
    return SplitDocument(
        tuple(walk.items),
        tuple(fingerprints),
        b"".join(remainder),
        walk.names.has_dublin_core,
        walk.scope,
    )


class DocumentWalk:
    """Walk over a document and gather its items and where they are.

    Raises FallBackToFeedparser out of the parser for what makes the whole document unusual.
    """

    def __init__(self) -> None:
        self.items: list[Mapping[str, Any] | None] = []
        self.offsets: list[tuple[int, int]] = []  # first byte of the start and of the end tag
        self.names = ElementNames()
        self._languages: set[str] = set()
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartNamespaceDeclHandler = self.names.declare
        self.parser.StartElementHandler = self._on_start
        self.parser.EndElementHandler = self._on_end
        self._path: tuple[str, ...] = ()
        self._depth = 0
        self._language: str | None = None
        self._item: ItemReader | None = None
        self._first = 0
        self._is_usual = True
        self._element = ""
        self._attributes: Attributes = {}
        self._person: list[tuple[str, str]] = []
        self._texts: list[str] = []
        self._outer_texts: list[str] = []  # beside the elements of a person

    @property
    def scope(self) -> bytes:
        """All declarations of the document, and the languages above its items."""
        return repr((sorted(self.names.declarations), sorted(self._languages))).encode()

    def parse(self, document: bytes) -> bool:
        """Parse the document; return whether it is well-formed and usual around its items."""
        try:
            self.parser.Parse(document, True)
        except (expat.ExpatError, FallBackToFeedparser):
            return False
        return True

    def end_offsets(self, document: bytes) -> list[int]:
        """Return where the items end."""
        return [document.index(b">", last) + 1 for _, last in self.offsets]

    def _on_start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        if attributes:
            _refuse_base(attributes)
        if self._item is not None:
            self._start_in_item(name, attributes)
        elif self._depth <= len(self._path) or not self._path:
            self._start_outside_item(name, attributes)
        else:
            raise FallBackToFeedparser  # a neighbour of items that holds elements

    def _start_outside_item(self, name: str, attributes: Attributes) -> None:
        """Start an element above the items, an item, or a neighbour of items."""
        if self._depth == 1:
            if name not in _ROOTS:
                raise FallBackToFeedparser
            self._path = (name, *_ROOTS[name])
            self.parser.CharacterDataHandler = None
        if self._depth < len(self._path):
            if name != self._path[self._depth - 1] and self._depth > 1:
                raise FallBackToFeedparser
            self._language = _language(attributes, self._language)
            return
        if name == self._path[-1]:
            self._start_item(attributes)
            return
        element = self.names.name_of(name)
        if element in _MISPLACED or (element.endswith("title") and self.items):
            raise FallBackToFeedparser  # a title behind items counts more than one before them
        if element in _NESTING:
            self._skip_channel_element()

    def _skip_channel_element(self) -> None:
        """Skip an element of the channel and all elements in it."""
        outside = self._depth
        start, end = self.parser.StartElementHandler, self.parser.EndElementHandler

        def started(name: str, attributes: Attributes) -> None:
            self._depth += 1
            _refuse_base(attributes)
            if self.names.name_of(name) in {"item", "entry"}:
                raise FallBackToFeedparser

        def ended(_: str) -> None:
            if self._depth == outside:
                self.parser.StartElementHandler, self.parser.EndElementHandler = start, end
            self._depth -= 1

        self.parser.StartElementHandler, self.parser.EndElementHandler = started, ended

    def _start_item(self, attributes: Attributes) -> None:
        self._first = self.parser.CurrentByteIndex
        self._languages.add(self._language or "")
        self._item = ItemReader(self._language, is_atom=len(self._path) == 2)
        self._is_usual = not attributes
        self.parser.CharacterDataHandler = self._add_text

    def _add_text(self, text: str) -> None:
        self._texts.append(text)

    def _start_in_item(self, name: str, attributes: Attributes) -> None:
        """Start an element of an item, or of a person in it."""
        depth = self._depth - len(self._path)
        if depth == 1:
            self._element, self._attributes = name, _lowered(attributes)
            self._is_usual = self._is_usual and not (attributes and _is_odd(attributes))
            self._person.clear()
            self._outer_texts.clear()
        else:
            is_person = depth == 2 and self.names.name_of(self._element) in _PEOPLE
            is_part = is_person and self.names.name_of(name) in _PERSON_KEYS and not attributes
            self._is_usual = self._is_usual and is_part
            self._outer_texts += self._texts
        self._texts.clear()

    def _on_end(self, name: str) -> None:
        depth = self._depth - len(self._path)
        self._depth -= 1
        if self._item is None or not self._path:
            return
        if depth == 0:
            self._end_item()
        elif depth == 1 and self._is_usual:
            self._end_element(self._item, "".join((*self._outer_texts, *self._texts)))
        elif depth == 2:
            key = _PERSON_KEYS.get(self.names.name_of(name), "")
            self._person.append((key, "".join(self._texts).strip()))
        self._texts.clear()

    def _end_element(self, item: ItemReader, text: str) -> None:
        name = self.names.name_of(self._element)
        action = ACTIONS.get(name)
        try:
            if name == "author":
                item.author(self._attributes, text, self._person)
            elif action is not None:
                action(item, self._attributes, text)
            elif not self.names.is_ignored(self._element):
                self._is_usual = False
        except FallBackToFeedparser:
            self._is_usual = False

    def _end_item(self) -> None:
        assert self._item is not None
        last = self.parser.CurrentByteIndex
        if last == self._first:
            raise FallBackToFeedparser  # an empty element
        self.items.append(self._item.fields if self._is_usual else None)
        self.offsets.append((self._first, last))
        self._item = None
        self.parser.CharacterDataHandler = None


def _lowered(attributes: Attributes) -> Attributes:
    """Return attributes as feedparser normalises them (_normalize_attributes)."""
    if not attributes:
        return attributes
    lowered = {name.lower(): value for name, value in attributes.items()}
    for name in ("rel", "type"):
        if name in lowered:
            lowered[name] = lowered[name].lower()
    return lowered


def _is_odd(attributes: Attributes) -> bool:
    """Return whether attributes change the language, or have other namespaces."""
    return any(
        " " in name or name.lower() == "lang" or name.lower().startswith("xml")
        for name in attributes
    )


def _language(attributes: Attributes, inherited: str | None) -> str | None:
    """Return the language in an element above the items."""
    languages = [value for name, value in attributes.items() if _local(name) == "lang"]
    if len(languages) > 1:
        raise FallBackToFeedparser
    return (languages[0] or None) if languages else inherited


def _refuse_base(attributes: Attributes) -> None:
    """Refuse xml:base: feedparser applies one to everything behind it."""
    if "base" in map(_local, attributes):
        raise FallBackToFeedparser


def _local(name: str) -> str:
    return name.rpartition(" ")[2].lower()
