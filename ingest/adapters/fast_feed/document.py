"""A well-formed RSS 2.0 or Atom 1.0 document, taken apart into its items.

expat walks over the document once. Items that are made of nothing unusual are read here; what is
left, the document without them, is for feedparser, which so reads every channel and every
unusual item, and every document that is not as usual. What it gives is what feedparser alone
would give: ``tests/ingest/adapters/test_well_formed.py`` holds the two against each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.parsers import expat

from feedparser.api import StrictFeedParser

from ingest.adapters.fast_feed.fingerprint import mark_of
from ingest.adapters.fast_feed.item import ACTIONS, Attributes, Item, Unusual, is_passed_over

ATOM: Final = "http://www.w3.org/2005/Atom"
_OTHER_FEEDS: Final = {"http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"}
_ROOTS: Final = {"rss": ("channel", "item"), f"{ATOM} feed": (f"{ATOM} entry",)}
_NESTING: Final = frozenset(
    {"image", "textinput", "skipdays", "skiphours", "author", "contributor", "itunes_owner"}
    | {"itunes_category"}
)
"""Elements of a channel that may hold others; after any other, feedparser may stumble."""
_MISPLACED: Final = frozenset({"item", "entry", "content", "content_encoded", "fullitem"})
_PEOPLE: Final = frozenset({"author", "contributor"})
_PARTS: Final = {"name": "name", "email": "email", "uri": "href", "url": "href"}
_PREFIXES: Final[Mapping[str, str]] = {
    uri.lower(): prefix for uri, prefix in StrictFeedParser.namespaces.items()
}
_USUAL_PREFIXES: Final = frozenset(_PREFIXES.values()) - {""}


@dataclass(frozen=True, slots=True)
class TakenApart:
    """``items`` in the document's order, None for those that are left in ``rest``.

    ``marks`` tell the items apart, None where an item is left or declares a namespace.
    ``prefixes`` are feedparser's, of the namespaces declared anywhere in the document, ``scope``
    is what items inherit from where they stand: declarations and language.
    """

    items: tuple[Mapping[str, Any] | None, ...]
    marks: tuple[bytes | None, ...]
    rest: bytes
    prefixes: frozenset[str]
    scope: bytes


def taken_apart(document: bytes) -> TakenApart | None:
    """Take the usual items out of a document; None when feedparser has to read all of it.

    ``document`` is UTF-8 with an XML declaration and without a document type.
    """
    walk = Walk()
    if not walk.goes_over(document):
        return None
    ends = walk.ends(document)
    kept, marks, end = [], [], 0
    for item, (first, _), after in zip(walk.items, walk.places, ends, strict=True):
        marks.append(None if item is None else mark_of(document[first:after]))
        if item is not None:
            kept.append(document[end:first])
            end = after
    kept.append(document[end:])
    return TakenApart(
        tuple(walk.items), tuple(marks), b"".join(kept), frozenset(walk.prefixes), walk.scope
    )


class Walk:
    """Walks over a document and gathers its items and where they are.

    Raises Unusual out of the parser for what makes the whole document unusual.
    """

    def __init__(self) -> None:
        self.items: list[Mapping[str, Any] | None] = []
        self.places: list[tuple[int, int]] = []  # first byte of the start and of the end tag
        self.prefixes: set[str] = set()
        self._declarations: set[tuple[str, str]] = set()
        self._languages: set[str] = set()
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartNamespaceDeclHandler = self._declared
        self.parser.StartElementHandler = self._started
        self.parser.EndElementHandler = self._ended
        self._path: tuple[str, ...] = ()
        self._depth = 0
        self._language: str | None = None
        self._prefixes: dict[str, str] = {}  # of namespaces that feedparser does not know
        self._uris: dict[str, str] = {}  # the other way round
        self._item: Item | None = None
        self._first = 0
        self._is_usual = True
        self._names: dict[str, str] = {}  # as feedparser calls them, of those met since a prefix
        self._name = ""
        self._attributes: Attributes = {}
        self._parts: list[tuple[str, str]] = []
        self._pieces: list[str] = []
        self._outer: list[str] = []  # text beside the parts of a person

    @property
    def scope(self) -> bytes:
        """All declarations of the document, and the languages above its items."""
        return repr((sorted(self._declarations), sorted(self._languages))).encode()

    def goes_over(self, document: bytes) -> bool:
        """Tell whether the document is well-formed and as usual around its items."""
        try:
            self.parser.Parse(document, True)
        except (expat.ExpatError, Unusual):
            return False
        return True

    def ends(self, document: bytes) -> list[int]:
        """Return where the items end."""
        return [document.index(b">", last) + 1 for _, last in self.places]

    def _declared(self, prefix: str | None, uri: str | None) -> None:
        """track_namespace."""
        uri = uri or ""
        self._declarations.add((prefix or "", uri))
        self._names.clear()
        lowered = uri.lower()
        if " " in uri or lowered in _OTHER_FEEDS or "backend.userland.com" in lowered:
            raise Unusual
        known = _PREFIXES.get(lowered)
        if prefix in _USUAL_PREFIXES and prefix != known:
            raise Unusual  # a name that stands for something else
        if known is not None:
            self.prefixes.add(known)
        elif prefix and self._uris.setdefault(prefix, uri) != uri:
            raise Unusual  # what a name means depends on where it stands
        elif prefix and self._prefixes.setdefault(uri, prefix) != prefix:
            raise Unusual

    def _started(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        if attributes:
            _refuse_base(attributes)
        if self._item is not None:
            self._inside(name, attributes)
        elif self._depth <= len(self._path) or not self._path:
            self._above(name, attributes)
        else:
            raise Unusual  # a neighbour of items that holds elements

    def _above(self, name: str, attributes: Attributes) -> None:
        """Start an element above the items, an item, or a neighbour of items."""
        if self._depth == 1:
            if name not in _ROOTS:
                raise Unusual
            self._path = (name, *_ROOTS[name])
            self.parser.CharacterDataHandler = None
        if self._depth < len(self._path):
            if name != self._path[self._depth - 1] and self._depth > 1:
                raise Unusual
            self._language = _language(attributes, self._language)
            return
        if name == self._path[-1]:
            self._begin_item(attributes)
            return
        known = self._known_as(name)
        if known in _MISPLACED or (known.endswith("title") and self.items):
            raise Unusual  # a title behind items counts more than one before them
        if known in _NESTING:
            self._neighbour_may_nest()

    def _neighbour_may_nest(self) -> None:
        """Pass over an element of the channel with all that is in it."""
        outside = self._depth
        start, end = self.parser.StartElementHandler, self.parser.EndElementHandler

        def started(name: str, attributes: Attributes) -> None:
            self._depth += 1
            _refuse_base(attributes)
            if self._known_as(name) in {"item", "entry"}:
                raise Unusual

        def ended(_: str) -> None:
            if self._depth == outside:
                self.parser.StartElementHandler, self.parser.EndElementHandler = start, end
            self._depth -= 1

        self.parser.StartElementHandler, self.parser.EndElementHandler = started, ended

    def _begin_item(self, attributes: Attributes) -> None:
        self._first = self.parser.CurrentByteIndex
        self._languages.add(self._language or "")
        self._item = Item(self._language, is_atom=len(self._path) == 2)
        self._is_usual = not attributes
        self.parser.CharacterDataHandler = self._said

    def _said(self, text: str) -> None:
        self._pieces.append(text)

    def _inside(self, name: str, attributes: Attributes) -> None:
        """Start an element of an item, or of a person in it."""
        depth = self._depth - len(self._path)
        known = self._known_as(name)
        if depth == 1:
            self._name, self._attributes = known, _lowered(attributes)
            self._is_usual = self._is_usual and not (attributes and _is_odd(attributes))
            self._parts.clear()
            self._outer.clear()
        else:
            is_part = depth == 2 and self._name in _PEOPLE and known in _PARTS and not attributes
            self._is_usual = self._is_usual and is_part
            self._outer += self._pieces
        self._pieces.clear()

    def _ended(self, name: str) -> None:
        depth = self._depth - len(self._path)
        self._depth -= 1
        if self._item is None or not self._path:
            return
        if depth == 0:
            self._end_item()
        elif depth == 1 and self._is_usual:
            self._end_element(self._item, "".join((*self._outer, *self._pieces)))
        elif depth == 2:
            self._parts.append((_PARTS.get(self._known_as(name), ""), "".join(self._pieces)))
        self._pieces.clear()

    def _end_element(self, item: Item, text: str) -> None:
        action = ACTIONS.get(self._name)
        try:
            if self._name == "author":
                item.author(self._attributes, text, [(k, v.strip()) for k, v in self._parts])
            elif action is not None:
                action(item, self._attributes, text)
            elif not is_passed_over(self._name):
                self._is_usual = False
        except Unusual:
            self._is_usual = False

    def _end_item(self) -> None:
        assert self._item is not None
        last = self.parser.CurrentByteIndex
        if last == self._first:
            raise Unusual  # an empty element
        self.items.append(self._item.found if self._is_usual else None)
        self.places.append((self._first, last))
        self._item = None
        self.parser.CharacterDataHandler = None

    def _known_as(self, name: str) -> str:
        """Return feedparser's name of an element (startElementNS)."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self._named(name)
        return known

    def _named(self, name: str) -> str:
        uri, _, local = name.rpartition(" ")
        prefix = _PREFIXES.get(uri.lower()) if uri else ""
        if prefix is None:
            prefix = self._prefixes.get(uri, "")
        return (f"{prefix}_{local}" if prefix else local).lower()


def _lowered(attributes: Attributes) -> Attributes:
    """_normalize_attributes."""
    if not attributes:
        return attributes
    lowered = {name.lower(): value for name, value in attributes.items()}
    for name in ("rel", "type"):
        if name in lowered:
            lowered[name] = lowered[name].lower()
    return lowered


def _is_odd(attributes: Attributes) -> bool:
    """Tell whether attributes change the language, or are not what their names say."""
    return any(
        " " in name or name.lower() == "lang" or name.lower().startswith("xml")
        for name in attributes
    )


def _language(attributes: Attributes, inherited: str | None) -> str | None:
    """Return the language in an element above the items."""
    said = [value for name, value in attributes.items() if _local(name) == "lang"]
    if len(said) > 1:
        raise Unusual
    return (said[0] or None) if said else inherited


def _refuse_base(attributes: Attributes) -> None:
    """A base, once named, is that of all that follows, until another is named."""
    if "base" in map(_local, attributes):
        raise Unusual


def _local(name: str) -> str:
    return name.rpartition(" ")[2].lower()
