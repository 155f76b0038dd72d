"""What vendors changed in entries after publication, word by word."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any, Final

import orjson
from flask import Blueprint, render_template, request

from handlers.site.forms import parse_offset
from handlers.site.pages.diff_view import Piece, readable
from handlers.site.pages.lists import LATEST, requested_filter, saved_filters, tabs_of
from handlers.site.services import read
from handlers.site.words import beside
from storage.entries.addresses import entry_path
from storage.entries.edits import EntryEdit, newest_edits

edits_page = Blueprint("edits", __name__)
PATH: Final = "/edits"
PAGE: Final = 40
FARTHEST: Final = 4_000  # edits
PUBLIC_CHARACTERS: Final = 500  # of a text that everybody may read
MOST_WORDS: Final = 1_200  # of a text that is compared; the rest of a longer one is left out
_WORDS: Final = re.compile(r"\S+\s*")
EditDiff = tuple[datetime, list[Piece] | None, list[Piece] | None]
"""When an entry was edited, and the words of its title and its text, None where they stayed."""


@edits_page.get(PATH)
def show() -> str:
    """Show the newest edits of all entries."""
    offset = min(parse_offset(request.args.get("offset")), FARTHEST)
    with read() as session:
        found = newest_edits(session, most=PAGE + 1, offset=offset)
        tabs = tabs_of(requested_filter(LATEST), saved_filters(session))
    has_older = len(found) > PAGE and offset < FARTHEST
    return render_template(
        "edits.html",
        tabs=tabs,
        edits=[public_edit(edit) for edit in found[:PAGE]],
        newer=f"{PATH}?offset={max(0, offset - PAGE)}" if offset else None,
        older=f"{PATH}?offset={offset + PAGE}" if has_older else None,
    )


def public_edit(edit: EntryEdit) -> dict[str, Any]:
    """Return the last edit of an entry as everybody may see it: title and first 500 characters.

    ``title`` and ``text`` are None where they stayed or changed only behind these characters.
    """
    after, before = orjson.loads(edit.document), orjson.loads(edit.before)
    for entry in (after, before):
        entry["summary"] = (entry["summary"] or "")[:PUBLIC_CHARACTERS]
    _, title, text = _edit(before, after, edit.edited_at)
    path = entry_path(edit.source, edit.address)
    headline = beside(edit.source_name, after["title"])
    return edit._asdict() | {"path": path, "headline": headline, "title": title, "text": text}


def edits_of(now: bytes, former: Sequence[tuple[datetime, bytes]]) -> list[EditDiff]:
    """Return the edits of an entry, the newest first."""
    edits = []
    after = orjson.loads(now)
    for replaced_at, document in former:
        before = orjson.loads(document)
        edits.append(_edit(before, after, replaced_at))
        after = before
    return edits


def _edit(before: dict[str, Any], after: dict[str, Any], at: datetime) -> EditDiff:
    title, text = (
        list(readable(word_diff(before[field] or "", after[field] or "")))
        if before[field] != after[field]
        else None
        for field in ("title", "summary")
    )
    return at, title, text


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
