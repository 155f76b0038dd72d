"""Diffs of recorded histories agree with what an independent reader found in them.

CHANGEWIRE_CORPUS names a folder with ``history/SOURCE/`` in it: successive versions of one
document each, and ``changes.json`` with what changed from one to the next.
"""

import json
import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from snapshot_laws import apply, decode, diff_from_wire, encode, invert

from changelog_reader.adapters.base import Block, ParsedDocument
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.snapshot import snapshot_of
from changelog_reader.snapshots.wire import as_wire
from changelog_reader.vocabulary import AdapterType

CORPUS = os.environ.get("CHANGEWIRE_CORPUS")
SOURCES = sorted(Path(CORPUS, "history").iterdir()) if CORPUS else [Path("none")]
UNDERLINE = re.compile(r"[-=]{4,}")

pytestmark = pytest.mark.skipif(
    not CORPUS, reason="CHANGEWIRE_CORPUS is not set: it names a folder of recorded histories"
)
each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)


def read(path: Path) -> ParsedDocument:
    body = path.read_bytes()
    if path.suffix == ".txt":
        return ParsedDocument((), blocks=tuple(under_headings(body.decode())))
    if path.suffix == ".html":
        kind = AdapterType.HTML
    else:
        kind = AdapterType.ATOM if b"<feed" in body[:1000] else AdapterType.RSS
    return ADAPTERS[kind](body, address="https://acme.example/changes", content_type=None)


def under_headings(text: str):
    """The paragraphs of a text whose headings are underlined."""
    heading: tuple[str, ...] = ()
    for paragraph in re.split(r"\n\n+", text):
        first, _, rest = paragraph.strip().partition("\n")
        if UNDERLINE.fullmatch(rest):
            heading = (first,)
        else:
            yield Block(heading, paragraph)


@cache
def history(source: Path):
    """The changes an independent reader found, and our snapshots of the versions between them."""
    found = json.loads((source / "changes.json").read_text())
    snapshots = []
    for version in found["versions"]:
        document = read(source / version["file"])
        identified = [
            (entry.vendor_id or entry.url or f"{entry.title}|{entry.published_at}", entry)
            for entry in document.entries
        ]
        snapshots.append(snapshot_of(identified, blocks=document.blocks, parser_version="recorded"))
    return found["changes"], snapshots


@each_source
def test_every_diff_leads_from_its_version_to_the_next_and_back(source):
    _, snapshots = history(source)
    for before, after in pairwise(snapshots):
        found = diff(before, after)
        if found is None:
            assert encode(before) == encode(after)
        else:
            assert not found.truncated
            assert encode(apply(before, found.changes)) == encode(after)
            assert apply(after, invert(found.changes)) == before
            assert diff_from_wire(json.loads(json.dumps(as_wire(found)))) == found
        assert decode(encode(after)) == after


@each_source
def test_entries_come_go_and_change_as_an_independent_reader_says(source):
    expected, snapshots = history(source)
    if "edited" not in expected[0]:
        pytest.skip("a page: the reader knows its headings only")
    for expectation, (before, after) in zip(expected, pairwise(snapshots), strict=True):
        found = diff(before, after)
        by_op: dict[str, set[str]] = {}
        for change in found.changes if found else ():
            by_op.setdefault(change.op.value, set()).add(change.placed.item.id)
        gone = by_op.get("removed", set()) | by_op.get("rolled_off", set())
        edited = {edit["id"] for edit in expectation["edited"] if edit["text_changed"]}
        assert by_op.get("added", set()) == set(expectation["added"])
        assert gone == set(expectation["removed"])
        assert by_op.get("changed", set()) == edited
