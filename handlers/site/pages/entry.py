"""The page of one entry: its text with the evidence marked, its deadlines, edits and neighbours."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, Final

import orjson
from flask import Blueprint, Response, redirect, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.pages.edits import edits_of
from handlers.site.pages.source_drawings import year_of_entries
from handlers.site.radar import DEADLINE_WORDS, deadlines_of
from handlers.site.services import current_time, read, site_services
from handlers.site.session import SignedInUser, current_user, own_follows
from handlers.site.vendor_text import (
    Passage,
    counted_characters,
    line_as_html,
    plain_as_html,
    vendor_html,
)
from handlers.site.words import beside, span
from openapi.text import cut, without_marks
from openapi.vocabulary import DeadlineKind
from storage.entries.addresses import entry_path
from storage.entries.documents import FUTURE_TOLERANCE, with_importance
from storage.entries.single_entry import (
    Neighbour,
    SingleEntry,
    find_entry,
    former_texts,
    neighbours,
    nth_newest,
)

entry_page = Blueprint("entry", __name__)
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
PUBLIC_ENTRIES: Final = 50  # of a source, as in its feed; further ones are not linked for strangers
MOST_EDITS: Final = 10
NeighbourLink = tuple[str, str, datetime]
"""The path, the headline and the time of the entry before or after."""


@entry_page.get("/e/<slug>/<address>")
def page(slug: str, address: str) -> str | AnyResponse:
    """Show an entry: to everybody as much as is public, the whole to who may read its source."""
    services, viewer, now = site_services(), current_user(), current_time()
    whole = may_read_whole(viewer, slug)
    with read() as session:
        entry = find_entry(session, slug, address)
        if entry is None:
            moved = find_entry(session, slug, external_id=entry_id_of(address))
            return redirect(or_404(moved).path, code=301)
        if request.args.get("format") == "json":
            return _as_json(entry, whole=whole)
        former = former_texts(session, entry.key, most=MOST_EDITS) if whole else []
        around = _around(session, entry, now=now, everything=whole)
        year = year_of_entries(session, entry.source_id, now=now)
    detail = entry_detail(entry, whole=whole)
    return render_template(
        "entry.html",
        entry=entry,
        detail=detail,
        edits=edits_of(entry.document, former),
        before=around[0],
        after=around[1],
        year=year,
        address=services.site_url + entry.path,
        description=cut(" ".join(map(without_marks, detail["text"].splitlines()))),
    )


def may_read_whole(viewer: SignedInUser | None, slug: str) -> bool:
    """Return whether somebody may read the whole text of a source: by plan, or by following it."""
    return viewer is not None and (viewer.reads_everything or slug in own_follows())


def entry_detail(entry: SingleEntry, *, whole: bool) -> dict[str, Any]:
    """Return what the page shows of a stored entry.

    ``headline`` and ``body`` are HTML, ``text`` is plain; ``whole``: whether that is all.
    """
    document, public = orjson.loads(entry.document), orjson.loads(entry.public)
    why = orjson.loads(entry.importance or b"{}")
    evidence = why.get("evidence", ())
    everything = document["summary"] or ""
    text = everything if whole else public["summary"] or ""
    heading = beside(entry.source_name, public.get("headline") or public["title"])
    return {
        "heading": heading,
        "headline": vendor_html(line_as_html(heading), passages_of(evidence, "title")),
        "title": public["title"],
        "text": text,
        "body": _body(document, text, passages_of(evidence, "summary")),
        "whole": text == everything,
        "categories": tuple(why.get("categories", ())),
        "url": public["url"],
        "date_source": str(document["raw"].get("date_source")),
        "deadlines": _deadlines(entry.path, why.get("deadlines", ())),
    }


def passages_of(evidence: Iterable[dict[str, Any]], field: str) -> list[Passage]:
    """Return the evidence in a field of an entry."""
    return [Passage(one["text"], one["category"]) for one in evidence if one["field"] == field]


def _body(document: dict[str, Any], text: str, passages: Sequence[Passage]) -> str:
    """Return the shown text of an entry as the vendor wrote it, as far as it is shown."""
    everything = document["summary"] or ""
    markup = document["raw"].get("html")
    if not isinstance(markup, str) or not everything.startswith(text.removesuffix("…").rstrip()):
        return vendor_html(plain_as_html(text), passages)
    most = None if text == everything else counted_characters(text)
    return vendor_html(markup, passages, most=most)


def _deadlines(path: str, stated: Sequence[dict[str, Any]]) -> list[Any]:
    """Return the deadlines of an entry; of one that is not important, what the radar has of it.

    ``current``: as one holds now; it may have been moved by this entry, or by a later one.
    """
    known, views = deadlines_of(path), []
    for each in stated:
        days = date.fromisoformat(each["from"]), date.fromisoformat(each["to"])
        current = next((one for one in known if one.is_stated(path, days)), None)
        what, text = DEADLINE_WORDS[DeadlineKind(each["kind"])], each["evidence"]["text"]
        said = {"what": what, "when": span(*days), "last_day": days[1], "evidence": text}
        views.append({"subject": None, "successor": None, "current": current} | each | said)
    return views or [one for one in known if one.path == path]


def _around(
    session: Session, entry: SingleEntry, *, now: datetime, everything: bool
) -> tuple[NeighbourLink | None, NeighbourLink | None]:
    """Return the entries before and after; for strangers only those in the source's feed."""
    oldest = None if everything else nth_newest(session, entry.source_id, PUBLIC_ENTRIES)
    before, after = neighbours(session, entry, until=now + FUTURE_TOLERANCE, since=oldest)
    if oldest is not None and entry.published_at < oldest:
        after = None
    return _neighbour(before, entry), _neighbour(after, entry)


def _neighbour(neighbour: Neighbour | None, entry: SingleEntry) -> NeighbourLink | None:
    if neighbour is None:
        return None
    public = orjson.loads(neighbour.public)
    return (
        entry_path(entry.source, neighbour.address),
        beside(entry.source_name, public.get("headline") or public["title"]),
        neighbour.published_at,
    )


def _as_json(entry: SingleEntry, *, whole: bool) -> Response:
    """Return the entry as lists of the API have it."""
    document = entry.document if whole else entry.public
    if not whole and entry.importance is not None:
        document = with_importance(document, entry.importance)
    return Response(document, mimetype="application/json")


def entry_id_of(token: str) -> str | None:
    """Return the vendor's id in an address from before: as it is, or as base64 behind a ``~``."""
    if not token.startswith("~"):
        return token if _PLAIN_ID.fullmatch(token) else None
    encoded = token.removeprefix("~")
    try:
        decoded = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        return decoded.decode("utf-8", "surrogatepass").replace("\0", "") or None
    except ValueError:
        return None
