"""Recorded feeds of a folder, and each of them as it was before its newest item came."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

SUFFIXES = frozenset({".xml", ".atom", ".rss"})
_HAS_ID = re.compile(rb"<(?:guid|id|link)[\s>]")  # reader refuses a feed with an item without
ITEM = re.compile(rb"<(item|entry)[\s>].*?</\1>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RecordedFeed:
    """A recorded document (``whole``), and the same without its first item (``before``)."""

    whole: bytes
    before: bytes


def recorded_feeds(folder: Path) -> list[RecordedFeed]:
    """Return the feeds below a folder that any program can read, in the order of their paths.

    Those are well-formed documents with two items or more; of equal documents the first. Of a
    folder with versions of one feed (``001.xml``, ``002.xml``, ...) it is the last version.
    """
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    versions = {path.parent: path for path in paths if path.stem.isdigit()}
    chosen = [path for path in paths if not path.stem.isdigit()] + sorted(versions.values())
    documents = dict.fromkeys(path.read_bytes() for path in chosen)
    return [feed for document in documents if (feed := _feed(document)) is not None]


def _feed(document: bytes) -> RecordedFeed | None:
    items = list(ITEM.finditer(document))
    if len(items) < 2 or b"<rdf:RDF" in document:  # RDF lists its items once more
        return None
    if not all(_HAS_ID.search(item[0]) for item in items):
        return None
    before = document[: items[0].start()] + document[items[0].end() :]
    if not (_is_well_formed(document) and _is_well_formed(before)):
        return None
    return RecordedFeed(document, before)


def _is_well_formed(document: bytes) -> bool:
    try:
        expat.ParserCreate().Parse(document, True)
    except expat.ExpatError:
        return False
    return True
