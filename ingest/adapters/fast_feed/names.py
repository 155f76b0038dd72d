"""feedparser's names for the elements of a feed, and the elements that may be ignored.

feedparser names an element by the usual prefix of its namespace, an underscore and its local name.
``tests/ingest/adapters/fast_feed/test_names.py`` holds these tables against feedparser's own.
"""

from collections.abc import Mapping
from typing import Final

from ingest.adapters.fast_feed.fallback import FallBackToFeedparser

ATOM: Final = "http://www.w3.org/2005/Atom"
PREFIXES: Final[Mapping[str, str]] = {
    ATOM.lower(): "",
    "http://creativecommons.org/ns#license": "cc",
    "http://web.resource.org/cc/": "cc",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://cyber.law.harvard.edu/rss/creativecommonsrssmodule.html": "creativecommons",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://www.georss.org/georss": "georss",
    "http://www.opengis.net/gml": "gml",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://search.yahoo.com/mrss": "media",
    "http://search.yahoo.com/mrss/": "media",
    "http://podlove.org/simple-chapters": "psc",
    "http://www.w3.org/1999/xhtml": "xhtml",
}
"""Namespaces, in lower case, whose elements mean something to feedparser."""

_USUAL_PREFIXES: Final = frozenset(PREFIXES.values()) - {""}
OTHER_FEEDS: Final = frozenset(
    {
        *("http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"),
        *("http://purl.org/rss/1.0/modules/rss091#", "http://blogs.law.harvard.edu/tech/rss"),
        *("http://purl.org/atom/ns#", "http://purl.org/echo/", "uri/of/echo/namespace#"),
        *("http://purl.org/pie/", "http://example.com/necho", "http://example.com/newformat#"),
        "http://example.com/dtds/podcast-1.0.dtd",
    }
)
"""Namespaces, in lower case, of other kinds of feeds, which are left to feedparser."""
_OTHER_HOST: Final = "backend.userland.com"  # of more such namespaces

_IGNORED: Final = frozenset(
    {
        *("media_content", "media_thumbnail", "itunes_block", "itunes_explicit", "itunes_image"),
        *("itunes_duration", "itunes_episode", "itunes_episodetype", "itunes_season"),
        *("contributor", "rights", "dc_rights", "dc_publisher", "dc_identifier", "dc_type"),
        *("feedburner_origlink", "post-id"),
    }
)
"""Elements, in lower case, that change nothing of what is used."""


class ElementNames:
    """feedparser's names of the elements of one document, as its namespaces are declared."""

    def __init__(self) -> None:
        self.declarations: set[tuple[str, str]] = set()
        self._prefixes: dict[str, str] = {}  # of namespaces without a usual prefix
        self._uris: dict[str, str] = {}  # the other way round
        self._names: dict[str, str] = {}  # met since the last declaration

    @property
    def has_dublin_core(self) -> bool:
        """Whether the document declares Dublin Core anywhere."""
        return any(PREFIXES.get(uri.lower()) == "dc" for _, uri in self.declarations)

    def declare(self, prefix: str | None, uri: str | None) -> None:
        """Take a declaration of a namespace; raises FallBackToFeedparser for an unclear one."""
        uri = uri or ""
        self.declarations.add((prefix or "", uri))
        self._names.clear()
        lowered = uri.lower()
        if " " in uri or lowered in OTHER_FEEDS or _OTHER_HOST in lowered:
            raise FallBackToFeedparser
        usual = PREFIXES.get(lowered)
        if prefix and prefix.lower() in _USUAL_PREFIXES and prefix.lower() != usual:
            raise FallBackToFeedparser  # a name that stands for something else
        if usual is not None or not prefix:
            return
        if self._uris.setdefault(prefix, uri) != uri:
            raise FallBackToFeedparser  # what a name means depends on where it stands
        if self._prefixes.setdefault(uri, prefix) != prefix:
            raise FallBackToFeedparser

    def name_of(self, expanded: str) -> str:
        """Return feedparser's name of an element; ``expanded`` is its namespace and name."""
        name = self._names.get(expanded)
        if name is None:
            uri, _, local = expanded.rpartition(" ")
            prefix = PREFIXES.get(uri.lower(), self._prefixes.get(uri, "")) if uri else ""
            name = self._names[expanded] = (f"{prefix}_{local}" if prefix else local).lower()
        return name

    def is_ignored(self, expanded: str) -> bool:
        """Return whether feedparser's reading of an element changes nothing that is used."""
        name = self.name_of(expanded)
        is_foreign = expanded.rpartition(" ")[0] in self._prefixes
        return name in _IGNORED or (is_foreign and not name.endswith("_detail"))
