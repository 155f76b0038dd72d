"""Feeds and calendars for readers: the public ones (specification 4.7), and those of an account.

An account's are at addresses that only their owner knows.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from handlers.http.limiter import note_account
from handlers.part_lookups import running_parts
from handlers.site.error_pages import or_404
from handlers.site.feeds.calendar import calendar_of
from handlers.site.feeds.formats import (
    ATOM,
    IMPORTANT,
    JSON_FEED,
    TYPES,
    UPDATES,
    Channel,
    Item,
    feeds_of,
    items_of,
    last_change,
    source_feed,
    write_feed,
)
from handlers.site.services import current_time, read, site_services
from handlers.site.words import stack_title
from openapi.requests import QUERY, InvalidRequest
from openapi.text import writable
from openapi.violations import MOST, Violation, unknown_name
from openapi.vocabulary import DeadlineKind
from storage.catalog.catalog_items import find_item
from storage.delivery.subscriptions import followed_slugs
from storage.entries.deadlines import coming_deadlines
from storage.entries.entry_filter import FILTERS, EntryFilter, filter_text, parse_filter
from storage.entries.entry_pages import newest_announced, newest_feed_entries
from storage.entries.part_deadlines import deadlines_of_parts
from storage.models import PrivateFeed
from storage.people.private_feeds import find_private_feed

PUBLIC_FILTERS: Final = tuple(name for name in FILTERS if name != "sources")
"""Parameters of the public feeds of all sources, and of the calendar."""
feeds = Blueprint("feeds", __name__)
NEWEST: Final = 50
MOST_DEADLINES: Final = 500
CALENDAR: Final = "text/calendar"
FORMATS: Final = {
    path: (channel, TYPES[words])
    for channel, name in ((UPDATES, "updates"), (IMPORTANT, "important"))
    for path, words in feeds_of(name)
}
"""The feeds of all sources: what each is called and its media type."""
FEEDS: Final = (
    *((path, media_type, channel.title) for path, (channel, media_type) in FORMATS.items()),
    ("/deadlines.ics", CALENDAR, "Changewire: deadlines"),
)
"""Path, media type and title of every feed, for the head of the pages."""
private_feeds = Blueprint("private_feeds", __name__, url_prefix="/private/<token>")
FOR_ITS_OWNER: Final = {"Cache-Control": "private, no-cache", "X-Robots-Tag": "noindex"}
OF_ACCOUNT: Final = {"atom": ATOM, "json": JSON_FEED}
CALENDAR_PATH: Final = "/deadlines.ics"


def requested_filter(*others: str) -> tuple[str, EntryFilter]:
    """Return the filter of this request, as a query string in one form too.

    Raises InvalidRequest, also for a parameter that no filter has and that is not of ``others``.
    """
    refuse_unknown((*PUBLIC_FILTERS, *others))
    sent = {name: ",".join(request.args.getlist(name)) for name in PUBLIC_FILTERS}
    text = filter_text(sent)
    return text, parse_filter(text)


def refuse_unknown(names: Collection[str] = ()) -> None:
    """Raise InvalidRequest if the request has other parameters than these."""
    unknown = [name for name in request.args if name not in names][:MOST]
    if unknown:
        kind = "parameter of this feed"
        raise InvalidRequest(QUERY, tuple(unknown_name(name, names, kind=kind) for name in unknown))


def refuse_filter(error: InvalidRequest) -> Response:
    """Answer with what is wrong with a filter, in one line."""
    return Response(f"{error}\n", status=400, mimetype="text/plain")


@feeds.get("/feeds/<slug>.atom")
def atom_of_source(slug: str) -> Response:
    """Serve the newest entries of one source as Atom, as short as the other public feeds."""
    refuse_unknown()
    now = current_time()
    with read() as session:
        item = or_404(find_item(session, slug, now=now))
        entries = newest_feed_entries(
            session, most=NEWEST, now=now, only_important=False, source_id=item.id
        )
    items = items_of(entries)
    channel = Channel(
        f"Changewire: {writable(item.name)}", f"The newest entries of {writable(item.name)}."
    )
    path, page = source_feed(item.slug), writable(item.changelog_url)
    return _feed_response(write_feed(ATOM, channel, items, path=path, page=page), items, ATOM)


@feeds.get("/deadlines.ics")
def deadlines() -> Response:
    """Serve the coming deadlines as a calendar, narrowed by the filter in its address."""
    (_, filter_), now = requested_filter("ends"), current_time()
    ends = [each for each in request.args.get("ends", "").split(",") if each]
    if not set(ends) <= set(DeadlineKind):
        wrong = Violation("ends", f"ends must be of {', '.join(DeadlineKind)}.")
        raise InvalidRequest(QUERY, (wrong,))
    kinds = [*map(DeadlineKind, ends)]
    with read() as session:
        coming = coming_deadlines(session, filter_, now=now, most=MOST_DEADLINES, kinds=kinds)
    return Response(calendar_of(coming), mimetype=CALENDAR)


@feeds.after_request
def for_everybody(response: Response) -> Response:
    """Let caches keep feeds for a minute, and scripts of other sites read them."""
    response.headers["Cache-Control"] = "public, max-age=60"
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def serve_feed() -> Response:
    """Serve a feed of all sources, narrowed by the filter in its address."""
    text, filter_ = requested_filter()
    channel, media_type = FORMATS[request.path]
    with read() as session:
        entries = newest_feed_entries(
            session, filter_, most=NEWEST, now=current_time(), only_important=channel.only_important
        )
    items = items_of(entries)
    path = f"{request.path}?{text}" if text else request.path
    return _feed_response(write_feed(media_type, channel, items, path=path), items, media_type)


for feed_path in FORMATS:
    feeds.add_url_rule(feed_path, view_func=serve_feed)


def _feed_response(body: str | bytes, items: list[Item], media_type: str) -> Response:
    response = Response(body, mimetype=media_type)
    if (changed_at := last_change(items)) is not None:
        response.last_modified = changed_at
    return response


for blueprint in (feeds, private_feeds):
    blueprint.register_error_handler(InvalidRequest, refuse_filter)
private_feeds.before_request(refuse_unknown)


@private_feeds.get("/entries.<any(atom, json):form>")
def entries(token: str, form: str) -> Response:
    """Serve the newest entries that notifications include, with their whole texts."""
    media_type, now = OF_ACCOUNT[form], current_time()
    with read() as session:
        followed = _followed(session, token)
        or_404(followed.stack is None or None)
        filter_ = own_filter(session, followed, now=now)
        newest = newest_announced(session, filter_, most=NEWEST, now=now)
        channel = channel_of(followed)
    body = write_feed(media_type, channel, items_of(newest), path=request.path)
    return Response(body, mimetype=media_type, headers=FOR_ITS_OWNER)


@private_feeds.get(CALENDAR_PATH)
def private_deadlines(token: str) -> Response:
    """Serve the coming deadlines, or those of what runs in a stack, as a calendar."""
    services, now = site_services(), current_time()
    with read() as session:
        followed = _followed(session, token)
        if (stack := followed.stack) is not None:
            owner = followed.account
            running = running_parts(services, session, owner.id, owner.plan, stack)
            coming = deadlines_of_parts(session, running, now=now)
        else:
            filter_ = own_filter(session, followed, now=now)
            coming = coming_deadlines(session, filter_, now=now, most=MOST_DEADLINES)
        name = f"{channel_of(followed).title}: deadlines"
    return Response(calendar_of(coming, name), mimetype=CALENDAR, headers=FOR_ITS_OWNER)


def own_filter(session: Session, followed: PrivateFeed, *, now: datetime) -> EntryFilter:
    """Return the filter of an account's selection as it is now, narrowed by its saved filter.

    The sources are those that are pushed to the account (docs/decisions/0040).
    """
    filter_ = parse_filter("" if followed.filter is None else followed.filter.query)
    return filter_.among(followed_slugs(session, followed.account_id, now=now))


def channel_of(followed: PrivateFeed) -> Channel:
    """Return what a feed is called."""
    if followed.stack is not None:
        return Channel(f"Changewire: {stack_title(followed.stack)}", "")
    if followed.filter is None:
        return Channel("Changewire: your selection", "The newest entries of your sources.")
    name = writable(followed.filter.name)
    description = f"The newest entries of your sources that match the filter “{name}”."
    return Channel(f"Changewire: {name}", description)


def _followed(session: Session, token: str) -> PrivateFeed:
    followed = or_404(find_private_feed(session, token))
    note_account(followed.account_id)
    return followed
