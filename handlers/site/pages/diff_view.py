"""Edits after publication: the diffs of a source, before and after or word by word.

Whatever a vendor wrote, the page stays small: a text is cut, and a page ends, after so much.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final, NamedTuple

import orjson
from flask import Blueprint, abort, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.forms import parse_day, parse_offset
from handlers.site.pages.diff_facts import sentences
from handlers.site.services import current_time, read, site_services
from handlers.site.session import require_sign_in, signed_in_user
from handlers.site.words import day
from openapi.text import cut
from openapi.vocabulary import ChangeOp
from storage.catalog.catalog_items import find_item
from storage.entries.diffs import diff_of_day, diffs_beside, find_diff, page_diff_heads

MOST_CHANGES: Final = 10  # on a page
MOST_OF_A_TEXT: Final = 4_000  # characters, marks counted
_MARK: Final = 24  # characters that the marks around a piece take, about
_LONG: Final = 320  # characters of an equal part that is folded
_SHOWN: Final = 110  # ... of which so many are shown at either side
_FOLDED: Final = 2_000  # ... and so many can be unfolded
_SLACK: Final = 60  # characters beyond, for which no text is cut
_LEAST: Final = 280  # characters of what came or went as a whole
_SPACE: Final = re.compile(r"\s")
_HEAD: Final = re.compile(rb',\s*"changes"\s*:')
_TITLE: Final = re.compile(rb'"title"\s*:\s*("(?:[^"\\]|\\.)+")')
diffs = Blueprint("diffs", __name__, url_prefix="/sources/<slug>/diffs")
diffs.before_request(require_sign_in)
PAGE: Final = 50
LONGEST_ID: Final = 100


class Piece(NamedTuple):
    """A run of words. ``op``: equal, delete, insert, fold (of equal words) or cut (words left)."""

    op: str
    text: str
    words: int = 0


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field before and after, and both as one text; a side is None where there was nothing."""

    name: str
    before: tuple[Piece, ...] | None
    after: tuple[Piece, ...] | None
    words: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One change: ``op`` for style sheets, the rest for people."""

    op: str
    title: str
    sentences: tuple[str, ...]
    fields: tuple[FieldView, ...]


@dataclass(frozen=True, slots=True)
class DiffHead:
    """Which two states a diff compares, and its counts in words.

    ``is_edit``: whether something that was there changed. ``title``: of the first entry that
    changed; None where the beginning that was read has none.
    """

    id: str
    before_at: datetime
    after_at: datetime
    counts: str
    truncated: bool
    title: str | None = None
    is_edit: bool = False


def read_head(document: bytes) -> DiffHead:
    """Read the head of a stored diff. ``document`` may be cut off behind it."""
    head, *changes = _HEAD.split(document, maxsplit=1)
    read = _head(orjson.loads(head + b"}" if changes else document))
    title = _TITLE.search(changes[0]) if changes else None
    return replace(read, title=cut(orjson.loads(title[1]))) if title else read


def diff_view(document: bytes, start: int = 0) -> tuple[DiffHead, list[ChangeView], int]:
    """Return the head of a stored diff, a page of its changes, and how many it has in all."""
    diff = orjson.loads(document)
    shown = diff["changes"][start : start + MOST_CHANGES]
    return _head(diff), [_change(change) for change in shown], len(diff["changes"])


def _head(diff: Mapping[str, Any]) -> DiffHead:
    return DiffHead(
        diff["id"],
        datetime.fromisoformat(diff["before"]["fetchedAt"]),
        datetime.fromisoformat(diff["after"]["fetchedAt"]),
        _counts(diff["stats"]),
        bool(diff["truncated"]),
        is_edit=bool(diff["stats"]["changed"] or diff["stats"]["removed"]),
    )


def _counts(stats: Mapping[str, int]) -> str:
    words = (
        (stats["changed"], "edited"),
        (stats["removed"], "removed"),
        (stats["added"], "added"),
        (stats["rolledOff"], "no longer listed"),
    )
    return ", ".join(f"{count} {word}" for count, word in words if count) or "order changed"


def _change(change: Mapping[str, Any]) -> ChangeView:
    return ChangeView(change["op"], _title(change), sentences(change), tuple(_fields(change)))


def _title(change: Mapping[str, Any]) -> str:
    """Return the title of an entry; of a part of a page the headings above it, or how it begins."""
    item = change["after"] or change["before"] or {}
    headings = " / ".join(map(str, item.get("heading") or ()))
    title = item.get("title") or headings or change.get("entryId")
    return cut(str(title)) if title else cut(str(item.get("text") or "A part of the page"), 80)


def _fields(change: Mapping[str, Any]) -> Iterator[FieldView]:
    if change["op"] == ChangeOp.CHANGED:
        shown = (field for field in change["fields"] if field["path"] != "index")
        yield from map(_edited, shown)
    elif change["op"] != ChangeOp.MOVED:
        item = change["after"] or change["before"] or {}
        text = item.get("summary") or item.get("text")
        title = str(item.get("title"))
        if isinstance(text, str) and text and text.strip(" .") != title.strip(" ."):
            whole = tuple(_cut_off([Piece("equal", text)], _LEAST))
            is_new = change["op"] == ChangeOp.ADDED
            yield FieldView("text", None if is_new else whole, whole if is_new else None, whole)


def _edited(field: Mapping[str, Any]) -> FieldView:
    is_date = field["path"] == "published_at"
    write = _moment if is_date else _text
    old, new = write(field["before"]), write(field["after"])
    spans = () if is_date else field.get("spans", ())
    pieces = [Piece(span["op"], span["text"]) for span in spans]
    pieces = pieces or [Piece(op, text) for op, text in (("delete", old), ("insert", new)) if text]
    return FieldView(
        field["path"],
        tuple(readable(piece for piece in pieces if piece.op != "insert")) if old else None,
        tuple(readable(piece for piece in pieces if piece.op != "delete")) if new else None,
        tuple(readable(pieces)),
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _moment(value: Any) -> str:
    """Write a date for people; other text stays as it is."""
    try:
        at = datetime.fromisoformat(value).astimezone(UTC)
    except (TypeError, ValueError):
        return _text(value)
    return f"{day(at)}, {at:%H:%M} UTC" if at.time() != datetime.min.time() else day(at)


def readable(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces as a page shows them: long equal ones folded, the text not longer than fits."""
    return _cut_off(list(_folded(list(pieces))), MOST_OF_A_TEXT)


def _folded(pieces: Sequence[Piece]) -> Iterator[Piece]:
    for place, piece in enumerate(pieces):
        if piece.op != "equal" or len(piece.text) <= _LONG or len(pieces) == 1:
            yield piece
            continue
        start = 0 if place == 0 else _break(piece.text, _SHOWN)
        last = place == len(pieces) - 1
        end = len(piece.text) if last else _break(piece.text, len(piece.text) - _SHOWN)
        middle = piece.text[start:end]
        parts = ("equal", piece.text[:start]), ("fold", middle), ("equal", piece.text[end:])
        yield from (Piece(op, text, len(text.split())) for op, text in parts if text)


def _break(text: str, near: int) -> int:
    """Return where words part near a place of a text."""
    space = _SPACE.search(text, near, near + 40)
    return space.end() if space else near


def _cut_off(pieces: Sequence[Piece], most: int) -> Iterator[Piece]:
    """Yield pieces until a text is long enough; what is left out is counted."""
    room = most
    for place, piece in enumerate(pieces):
        limit = _FOLDED if piece.op == "fold" else room
        length = len(piece.text)
        if length > limit + _SLACK:
            length = piece.text.rfind(" ", limit // 2, limit) + 1 or limit
        room -= length + _MARK
        is_cut = length < len(piece.text)
        ended = "…" if is_cut and piece.op == "fold" else ""
        yield piece._replace(text=piece.text[:length].rstrip() + ended if is_cut else piece.text)
        if room <= 0 or (is_cut and piece.op != "fold"):
            left = sum(len(other.text.split()) for other in pieces[place + 1 :])
            left += len(piece.text[length:].split())
            if left:
                yield Piece("cut", "", left)
            return


@diffs.get("")
def listed(slug: str) -> AnyResponse | str | tuple[str, int]:
    """List the diffs of a source; with ``day``, lead to what the vendor said on it."""
    offset = parse_offset(request.args.get("offset"))
    with read() as session:
        item = or_404(find_item(session, slug, now=current_time()))
        if not signed_in_user().has_diffs:
            return render_template("diffs_locked.html", item=item), 403
        day = parse_day(request.args.get("day"))
        if day is not None:
            until = datetime.combine(day, time(), tzinfo=UTC) + timedelta(days=1)
            head = diff_of_day(session, item.id, until=until)
            if head is not None:
                diff_id = read_head(head).id
                return redirect(url_for("diffs.show", slug=slug, diff_id=diff_id), code=303)
        shown, total = newest_heads(session, item.id, most=PAGE, offset=offset)
    return render_template(
        "diffs.html", item=item, diffs=shown, total=total, offset=offset, size=PAGE
    )


@diffs.get("/<diff_id>")
def show(slug: str, diff_id: str) -> str | tuple[str, int]:
    """Show what changed between two states, before and after or word by word."""
    services = site_services()
    with read() as session:
        item = or_404(find_item(session, slug, now=current_time()))
        if not signed_in_user().has_diffs:
            return render_template("diffs_locked.html", item=item), 403
        fits = len(diff_id) <= LONGEST_ID
        stored = or_404(find_diff(session, item.id, diff_id) if fits else None)
        before, after = (
            None if head is None else read_head(head)
            for head in diffs_beside(session, stored, item.id)
        )
    start = parse_offset(request.args.get("from"))
    diff, changes, total = diff_view(stored.document, start)
    if not changes:
        abort(404)
    return render_template(
        "diff.html",
        item=item,
        diff=diff,
        changes=changes,
        total=total,
        start=start,
        by_words=request.args.get("view") == "words",
        before=before,
        after=after,
        canonical=f"{services.site_url}/sources/{item.slug}/diffs/{diff.id}",
    )


def newest_heads(
    session: Session, source_id: int, *, most: int, offset: int = 0
) -> tuple[list[DiffHead], int]:
    """Return the newest diffs of a source, and how many it has."""
    page = page_diff_heads(session, source_id, limit=most, offset=offset)
    return [read_head(head) for head in page.documents], page.total
