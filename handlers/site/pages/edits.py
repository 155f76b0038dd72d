"""What vendors changed in entries after publication, word by word."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final

import orjson
from flask import Blueprint, render_template, request

from handlers.site.forms import parse_offset
from handlers.site.lines import history_days
from handlers.site.pages.diff_view import Piece, readable
from handlers.site.pages.lists import LATEST, requested_filter, saved_filters, tabs_of
from handlers.site.services import current_time, read
from handlers.site.words import beside
from storage.entries.addresses import entry_path
from storage.entries.edits import EntryEdit, newest_edits

edits_page = Blueprint("edits", __name__)
PATH: Final = "/edits"
PAGE: Final = 40
FARTHEST: Final = 4_000  # edits
PUBLIC_CHARACTERS: Final = 500  # of a text that everybody may read
COMPARED_CHARACTERS: Final = 1_500  # so that what only moved beyond these is not taken for removed
MOST_WORDS: Final = 1_200  # of a text that is compared; the rest of a longer one is left out
_WORDS: Final = re.compile(r"\S+\s*")
Entry = dict[str, Any]
EditDiff = tuple[datetime, list[Piece] | None, list[Piece] | None]
"""When an entry was edited, and the words of its title and its text, None where they stayed."""


@edits_page.get(PATH)
def show() -> str:
    """Show the newest edits of all entries."""
    offset = min(parse_offset(request.args.get("offset")), FARTHEST)
    with read() as session:
        found = newest_edits(session, most=PAGE + 1, offset=offset)
        tabs = tabs_of(requested_filter(LATEST), saved_filters(session))
    edits = [public_edit(edit) for edit in found[:PAGE]]
    has_older = len(found) > PAGE and offset < FARTHEST
    return render_template(
        "edits.html",
        tabs=tabs,
        days=history_days(edits, today=current_time().date(), at=itemgetter("edited_at")),
        newer=f"{PATH}?offset={max(0, offset - PAGE)}" if offset else None,
        older=f"{PATH}?offset={offset + PAGE}" if has_older else None,
    )


def public_edit(edit: EntryEdit) -> dict[str, Any]:
    """Return the last edit of an entry as everybody may see it: title and first 500 characters.

    ``title`` and ``text`` are None where they stayed or changed only behind these characters.
    """
    after, before = orjson.loads(edit.document), orjson.loads(edit.before)
    for entry in (after, before):
        entry["summary"] = (entry["summary"] or "")[:COMPARED_CHARACTERS]
    _, title, text = _edit(before, after, edit.edited_at, most=PUBLIC_CHARACTERS)
    if text == title or {piece.op for piece in text or ()} <= {"equal", "fold"}:
        text = None  # as in the title, or the same as far as it is shown
    headline = beside(edit.source_name, after["title"])
    if " " not in headline:  # a version
        headline = f"{edit.source_name} {headline}"
    path = entry_path(edit.source, edit.address)
    return edit._asdict() | {"path": path, "headline": headline, "title": title, "text": text}


def edits_of(now: bytes, former: Sequence[tuple[datetime, bytes]]) -> list[EditDiff]:
    """Return the edits of an entry, the newest first."""
    texts = [orjson.loads(now), *(orjson.loads(document) for _, document in former)]
    both = zip((at for at, _ in former), pairwise(texts), strict=True)
    return [_edit(before, after, at) for at, (after, before) in both]


def _edit(before: Entry, after: Entry, at: datetime, most: int = sys.maxsize) -> EditDiff:
    title, text = (
        list(readable(_begun(word_diff(before[field] or "", after[field] or ""), most)))
        if before[field] != after[field]
        else None
        for field in ("title", "summary")
    )
    return at, title, text


def _begun(pieces: Iterable[Piece], most: int) -> Iterator[Piece]:
    """Yield words as far as they are among the first characters of the text that had them."""
    old = new = 0
    for piece in pieces:
        begins = {"equal": max(old, new), "delete": old, "insert": new}[piece.op]
        if begins < most:
            yield Piece(piece.op, piece.text[: most - begins])
        old += len(piece.text) * (piece.op != "insert")
        new += len(piece.text) * (piece.op != "delete")


def word_diff(before: str, after: str) -> Iterator[Piece]:
    """Yield two texts as one: what stayed, went and came."""
    old, new = (_WORDS.findall(text)[:MOST_WORDS] for text in (before, after))
    for op, start, end, new_start, new_end in SequenceMatcher(None, old, new, False).get_opcodes():
        if op == "equal":
            yield Piece("equal", "".join(old[start:end]))
            continue
        if end > start:
            yield Piece("delete", "".join(old[start:end]))
        if new_end > new_start:
            yield Piece("insert", "".join(new[new_start:new_end]))
