"""/app/stream: what one's own sources published, day by day, and what of it is unread."""

from datetime import date, datetime
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, redirect, render_template, request, session
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.own_stream import (
    MARKED_AT_ONCE,
    OwnStream,
    mark_all,
    mark_day,
    mark_one,
    own_stream,
)
from handlers.site.account.stream_chips import chosen_chips, first_chips, menus
from handlers.site.account.stream_view import (
    StreamView,
    both,
    parse_stream_view,
    parse_view_text,
)
from handlers.site.forms import parse_key, parse_offset
from handlers.site.marked_words import SearchedWords, searched_words
from handlers.site.radar import moved_days
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from handlers.site.stream import StreamDay, stream_days, stream_line
from handlers.site.stream_filter import filter_query
from openapi.counts import counted
from storage.catalog.search.catalog_search import search_index
from storage.catalog.search.index import IndexedSource
from storage.entries.deadlines import stated_by_entries
from storage.entries.entry_filter import EVERYTHING
from storage.entries.own_pages import OwnEntry, OwnPage, newest_own, unread_entries
from storage.entries.search.query import parse_query
from storage.people.saved_filters import list_filters
from storage.people.unread import EntryKey, new_moment, newest_key, read_marks, undo_marks

my_stream = Blueprint("my_stream", __name__, url_prefix="/app/stream")
my_stream.before_request(require_sign_in)
PAGE: Final = 40
FARTHEST: Final = 4_000  # entries; older ones are found by a day
LAST_MARK: Final = "last_mark"
"""What the session keeps until the next page: the words about a mark, and its moment."""


@my_stream.get("")
def show() -> str:
    """Show a page of a view."""
    services = site_services()
    now, view = services.now(), parse_stream_view(request.args)
    offset = min(parse_offset(request.args.get("offset")), FARTHEST)
    words = view.narrowed.q and searched_words(parse_query(view.narrowed.q))
    with services.db.read() as db:
        stream = own_stream(db, view, now=now)
        views = list_filters(db, signed_in_user().account_id)
        page = OwnPage([]) if stream.is_empty else _page(db, stream, offset, now)
        entries = page.entries
        days = days_of(db, entries[:PAGE], stream, words or None, now=now)
        is_all = not offset and len(entries) <= PAGE
        if is_all or stream.filter.q:  # searching once more for what is unread costs too much
            unread = sum(line.unread for day in days for line in day.lines)
        else:
            unread = len(_unread(db, stream, now))
        return render_template(
            "my_stream.html",
            stream=stream,
            view=view,
            views=[(filter_.name, StreamView(saved=filter_.public_id)) for filter_ in views],
            everything=StreamView(),
            days=days,
            words=words or None,
            unread=unread,
            of_page=not is_all and stream.filter.q is not None,
            marked_at_once=MARKED_AT_ONCE,
            seen=newest_key(db),
            first=first_chips(view),
            chosen=chosen_chips(view),
            menus=menus(view, sources_of(db, stream), stream.said),
            ways=ways_of(stream),
            offset=offset,
            newer=view.link(max(0, offset - PAGE)) if offset else None,
            older=view.link(offset + PAGE) if len(entries) > PAGE else None,
            looked_back_to=page.looked_back_to,
            last_mark=session.pop(LAST_MARK, None),
        )


@my_stream.post("/marks")
def mark() -> AnyResponse:
    """Mark an entry, a day or all of a view, or undo that."""
    services = site_services()
    now, view = services.now(), parse_view_text(request.form.get("view", ""))
    with services.db.read() as db:
        stream = own_stream(db, view, now=now)
    with services.db.write() as db:
        now = new_moment(db, stream.state.account_id, now=now)
        words, near = _mark(db, stream, now)
    if request.accept_mimetypes.best == "application/json":
        return Response(status=204)
    session[LAST_MARK] = {"words": words, "at": now.isoformat() if near != "undone" else ""}
    offset = min(parse_offset(request.form.get("offset")), FARTHEST)
    return redirect(view.link(offset) + (f"#{near}" if near.startswith("e") else ""), code=303)


def _mark(db: Session, stream: OwnStream, now: datetime) -> tuple[str, str]:
    """Do what the form says; return the words about it, and the place to go back to."""
    form, seen = request.form, parse_key(request.form.get("seen"))
    for name in ("read", "unread"):
        if name in form:
            key = parse_key(form[name])
            mark_one(db, key, unread=name == "unread", now=now)
            return f"One entry is marked {name}.", f"e{key}"
    if "day" in form:
        marked = mark_day(db, stream, parse_day(form["day"]), seen=seen, now=now)
    elif "all" in form:
        marked = mark_all(db, stream, seen=seen, now=now)
    elif "undo" in form:
        undone = undo_marks(db, stream.state.account_id, parse_moment(form["undo"]))
        return "It is as it was before." if undone else "There is nothing to undo.", "undone"
    else:
        abort(400)
    least = "At least " if marked > MARKED_AT_ONCE else ""
    are = "is" if marked == 1 else "are"
    entries = counted(min(marked, MARKED_AT_ONCE), "entry", "entries")
    return f"{least}{entries} {are} marked read.", ""


def _page(db: Session, stream: OwnStream, offset: int, now: datetime) -> OwnPage:
    unread = stream.state.values() if stream.view.unread else None
    return newest_own(db, stream.filter, most=PAGE + 1, offset=offset, now=now, unread=unread)


def _unread(db: Session, stream: OwnStream, now: datetime) -> list[Any]:
    values = stream.state.values()
    return unread_entries(db, stream.filter, values, most=MARKED_AT_ONCE + 1, now=now)


def days_of(
    db: Session,
    entries: list[OwnEntry],
    stream: OwnStream,
    words: SearchedWords | None,
    *,
    now: datetime,
) -> list[StreamDay]:
    """Return entries as days of a stream, each with whether it is unread.

    ``words`` were searched.
    """
    state, today = stream.state, now.date()
    keys = [entry.id for entry in entries]
    marks, stated = read_marks(db, state.account_id, keys), stated_by_entries(db, keys)
    lines = [
        stream_line(
            entry.public,
            entry.importance,
            source_name=entry.source_name,
            today=today,
            unread=state.is_unread(EntryKey(entry.id, entry.published_at), marks.get(entry.id)),
            key=entry.id,
            words=words,
            deadlines=stated[entry.id].values(),
            moved=moved_days,
        )
        for entry in entries
    ]
    return stream_days(lines, today=today)


def sources_of(db: Session, stream: OwnStream) -> list[IndexedSource]:
    """Return the sources of a stream, as the index of the catalog has them."""
    every = search_index(db).sources
    slugs = stream.slugs
    return every if slugs is None else [source for source in every if source.slug in slugs]


def ways_of(stream: OwnStream) -> list[tuple[str, str]]:
    """Return the ways to follow a view: address and words.

    A view that no saved filter says has to be saved first, which leads on to the way.
    """
    lasting = stream.view.lasting_filter()
    if lasting != EVERYTHING:
        query = filter_query(both(stream.said, lasting))
        save = f"/app/filters?{query}&{urlencode({'name': _suggested_name(stream)})}"
        after = {"Private feed": "feed", "Webhook": "webhook", "Digest": "digest"}
        ways = [(f"{save}&then={then}#new", words) for words, then in after.items()]
        return [*ways, (f"{save}&then=stream#new", "Save this filter")]
    saved = stream.view.saved
    return [
        (f"/app/filters?feed={saved}#feeds" if saved else "/app/filters#feeds", "Private feed"),
        (f"/app/webhooks?filter={saved}#new" if saved else "/app/webhooks#new", "Webhook"),
        (f"/app/webhooks?digest={saved}#digest" if saved else "/app/webhooks#digest", "Digest"),
    ]


def _suggested_name(stream: OwnStream) -> str:
    narrowed, saved = stream.view.narrowed, stream.saved
    words = (saved and saved.name, narrowed.category, narrowed.vendor, narrowed.tag, narrowed.q)
    return ", ".join(str(word) for word in words if word)[:80]


def parse_day(text: str) -> date:
    """Read a day; answer 400 for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        abort(400)


def parse_moment(text: str) -> datetime:
    """Read a moment; answer 400 for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        abort(400)
    if moment.tzinfo is None:
        abort(400)
    return moment
