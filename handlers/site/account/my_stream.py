"""/app/stream: what one's own sources published, day by day."""

from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from sqlalchemy.orm import Session

from handlers.site.account.own_stream import OwnStream, own_stream
from handlers.site.account.stream_chips import chosen_chips, first_chips, menus
from handlers.site.account.stream_view import StreamView, both, parse_stream_view
from handlers.site.forms import parse_offset
from handlers.site.marked_words import SearchedWords, searched_words
from handlers.site.radar import moved_days
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from handlers.site.stream import StreamDay, stream_days, stream_line
from handlers.site.stream_filter import filter_query
from storage.catalog.search.catalog_search import search_index
from storage.catalog.search.index import IndexedSource
from storage.entries.deadlines import stated_by_entries
from storage.entries.entry_filter import EVERYTHING
from storage.entries.own_pages import OwnEntry, newest_own
from storage.entries.search.query import parse_query
from storage.people.saved_filters import list_filters

my_stream = Blueprint("my_stream", __name__, url_prefix="/app/stream")
my_stream.before_request(require_sign_in)
PAGE: Final = 40
FARTHEST: Final = 4_000  # entries; older ones are found by a day


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
        entries: list[OwnEntry] = []
        if not stream.is_empty:
            entries = newest_own(db, stream.filter, most=PAGE + 1, offset=offset, now=now)
        return render_template(
            "my_stream.html",
            stream=stream,
            view=view,
            views=[(filter_.name, StreamView(saved=filter_.public_id)) for filter_ in views],
            everything=StreamView(),
            days=days_of(db, entries[:PAGE], words or None, now=now),
            words=words or None,
            first=first_chips(view),
            chosen=chosen_chips(view),
            menus=menus(view, sources_of(db, stream), stream.said),
            ways=ways_of(stream),
            offset=offset,
            newer=view.link(max(0, offset - PAGE)) if offset else None,
            older=view.link(offset + PAGE) if len(entries) > PAGE else None,
        )


def days_of(
    db: Session, entries: list[OwnEntry], words: SearchedWords | None, *, now: datetime
) -> list[StreamDay]:
    """Return entries as days of a stream; ``words`` were searched."""
    today = now.date()
    stated = stated_by_entries(db, [entry.id for entry in entries])
    lines = [
        stream_line(
            entry.public,
            entry.importance,
            source_name=entry.source_name,
            today=today,
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
