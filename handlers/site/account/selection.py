"""Choosing sources: from the whole catalog, from a pasted file, and as OPML in and out."""

from datetime import datetime, timedelta
from typing import Any, Final

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_request
from handlers.site.account.account_log import log_event
from handlers.site.account.keys import note_key, own_key, own_live_key, shown_once
from handlers.site.account.source_choice import newest_key, source_choice_page, view_of
from handlers.site.error_pages import or_404
from handlers.site.feeds.opml import OPML, as_opml, look_up, read_opml
from handlers.site.forms import WrongForm
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import (
    TAKEN_WITHIN,
    is_recent,
    require_recent_sign_in,
    require_sign_in,
    signed_in_user,
)
from handlers.site.words import in_time
from openapi.text import counted
from openapi.vocabulary import Scope
from package_versions.component import of_purl
from storage.catalog.addresses import directory, selected_sources
from storage.catalog.requests import add_request
from storage.catalog.sources import ids_of
from storage.models import ApiKey
from storage.models.people import AccountEventKind
from storage.people.account_events import has_event_since
from storage.people.accounts import Refused, lock_account
from storage.people.keys import TooManySelections, add_key, add_selections, drop_selection
from storage.people.throttle import Limit

selection = Blueprint("selection", __name__, url_prefix="/app")
selection.before_request(require_sign_in)
OF_KEY: Final = "/api-keys/<public_id>/sources"
FIRST_KEY: Final = "my sources"
PER_ACCOUNT: Final = (Limit(20, timedelta(minutes=1)), Limit(200, timedelta(days=1)))
MOST_ASKED: Final = 300  # parts of one request
NAMED: Final = 10  # lines that a notice names; a cookie carries it
NO_SLOT = "All {slots} source slots of your plan are in use. Remove a source or upgrade."
USED_SLOT = (
    "All {slots} source slots of your plan are in use. "
    "You can change a source after 24 hours; the next slot is free {when}."
)


@selection.get(OF_KEY)
def choose(public_id: str) -> str:
    """Show the key's sources and the catalog to choose more from."""
    with read() as session:
        return source_choice_page(session, own_live_key(session, public_id))


@selection.post(OF_KEY)
def change(public_id: str) -> AnyResponse:
    """Add a source to the key or take one away."""
    slug = request.form.get("slug", "")
    adding = request.form.get("change") == "add"
    with write() as session:
        key = own_live_key(session, public_id, lock=True)
        source_id = or_404(ids_of(session, [slug]).get(slug))
        try:
            if adding:
                add_selections(session, key, [source_id], now=current_time())
            else:
                drop_selection(session, key, source_id)
        except TooManySelections as error:
            flash(no_slot(error, now=current_time()), "fault")
        else:
            flash(f"{slug} is {'selected' if adding else 'removed'}.")
    query: dict[str, Any] = {**view_of(request.form).as_query()}
    return redirect(url_for("selection.choose", public_id=public_id, **query), code=303)


def no_slot(error: TooManySelections, *, now: datetime) -> str:
    """Say why nothing more can be selected, and when it can."""
    if error.frees_at is None:
        return NO_SLOT.format(slots=error.slots)
    return USED_SLOT.format(slots=error.slots, when=in_time(error.frees_at - now))


@selection.get(f"{OF_KEY}.opml")
def export(public_id: str) -> Response:
    """Serve the key's sources as a file for feed readers."""
    services = site_services()
    with read() as session:
        key = own_key(session, public_id)
        sources = selected_sources(session, key.id)
        title = f"Changewire: {key.name}"
    body = as_opml(sources, title=title, site_url=services.site_url, now=current_time())
    note_export(title)
    answer = Response(body, mimetype=OPML)
    answer.headers["Content-Disposition"] = 'attachment; filename="changewire.opml"'
    return answer


def note_export(what: str) -> None:
    """Record an export; exports of the same list are recorded once an hour."""
    owner = signed_in_user().account_id
    since, kind = current_time() - timedelta(hours=1), AccountEventKind.EXPORTED
    with read() as session:
        if has_event_since(session, owner, kind, what, since=since):
            return
    with write() as session:
        log_event(session, kind, what)


@selection.post("/api-keys/<public_id>/import")
def import_list(public_id: str) -> AnyResponse:
    """Select all sources that a list names, or none if they are too many; report unknown lines."""
    count_upload()
    file = request.files.get("list")
    document = b"" if file is None else file.read()
    services = site_services()
    try:
        with read() as session:
            own_live_key(session, public_id)
            lines = read_opml(document)
            catalog = directory(session)
        slugs, unknown = look_up(lines, catalog, site_url=services.site_url)
        ids = [catalog.by_slug[slug] for slug in slugs]
        with write() as session:
            key = own_live_key(session, public_id, lock=True)
            more = add_selections(session, key, ids, now=current_time())
    except WrongForm as error:
        flash(str(error) if document else "Choose a file first.", "fault")
    except TooManySelections as error:
        flash(f"{no_slot(error, now=current_time())} Nothing was selected.", "fault")
    else:
        flash(f"{counted(len(slugs), 'source')} found, {more} added.")
        if unknown:
            others = f"; and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
            flash(f"Not found: {'; '.join(unknown[:NAMED])}{others}.", "fault")
    return redirect(url_for("selection.choose", public_id=public_id), code=303)


@selection.get("/sources")
def browse() -> str:
    """Show the catalog, to choose from for the key that was made last."""
    with read() as session:
        return source_choice_page(session, newest_key(session))


@selection.post("/sources")
def choose_first() -> AnyResponse | tuple[str, int]:
    """Choose sources for a key; who has none and signed in lately gets one, shown once."""
    now = current_time()
    slugs = list(dict.fromkeys(request.form.getlist("slug")))
    if not is_recent(TAKEN_WITHIN):
        with read() as session:
            has_key = (named_key(session) or newest_key(session)) is not None
        if not has_key:
            require_recent_sign_in(url_for("selection.browse"))
    try:
        with write() as session:
            ids = ids_of(session, slugs)
            if not slugs or len(ids) != len(slugs):
                abort(404)
            key, text = _key_to_choose_for(session)
            more = add_selections(session, key, ids.values(), now=now)
            public_id, name = key.public_id, key.name
    except TooManySelections as error:
        flash(f"{no_slot(error, now=now)} Nothing was selected.", "fault")
        return redirect(url_for("selection.browse"), code=303)
    except Refused as error:
        flash(str(error), "fault")
        return redirect(url_for("selection.browse"), code=303)
    if text is not None:
        return shown_once(text, public_id, name, slugs=slugs), 201
    flash(f"{counted(more, 'source')} selected.")
    return redirect(url_for("selection.choose", public_id=public_id), code=303)


@selection.post("/sources/request")
def ask() -> str:
    """Ask for sources of parts that have none: the pages about them go to the operator."""
    count_upload()
    parts = [of_purl(purl) for purl in dict.fromkeys(request.form.getlist("part")[:MOST_ASKED])]
    pages = {it.page: f"{it.type}: {it.name}" for it in parts if it and it.page}
    if not pages or any(not page.isprintable() or " " in page for page in pages):
        abort(400)
    with write() as session:
        for page, note in pages.items():
            add_request(session, url=page, note=note, now=current_time())
    return render_template("asked.html", asked=[*pages.values()])


def _key_to_choose_for(session: Session) -> tuple[ApiKey, str | None]:
    """Return a key of the user, and its text if it was made for this."""
    named = named_key(session) or newest_key(session)
    if named is not None:
        return own_key(session, named.public_id, lock=True), None
    account = lock_account(session, signed_in_user().account_id)
    scopes = (Scope.READ_ENTRIES,)
    now = current_time()
    key, text = add_key(session, account, name=FIRST_KEY, scopes=scopes, now=now)
    note_key(session, AccountEventKind.KEY_MADE, key)
    return key, text


def named_key(session: Session) -> ApiKey | None:
    """Return the key that a form is about, if it names one; answer 404 for one that is not live."""
    public_id = request.form.get("key")
    return own_live_key(session, public_id) if public_id else None


def count_upload() -> None:
    """Count a file or a request of the account. Raises RateLimited."""
    count_request(site_services(), f"proposals/{signed_in_user().account_id}", PER_ACCOUNT)
