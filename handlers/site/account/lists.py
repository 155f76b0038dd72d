"""Export and import of a key's selection as a list of feeds (OPML)."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from flask import Blueprint, Response, abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.account_log import log_event
from handlers.site.account.catalog import count_upload
from handlers.site.account.keys import own_key, own_locked_key
from handlers.site.account.selection import no_slot
from handlers.site.feeds.opml import OPML, NoOpml, OpmlMatches, as_opml, look_up, read_opml
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.catalog.addresses import directory, selected_sources
from storage.models.people import AccountEventKind
from storage.people.account_events import has_event_since
from storage.people.keys import TooManySelections, is_live
from storage.people.selection import add_selections

lists = Blueprint("lists", __name__, url_prefix="/app/api-keys/<public_id>")
lists.before_request(require_sign_in)
NAMED: Final = 10  # lines that a notice names; a cookie carries it


@lists.get("/sources.opml")
def export(public_id: str) -> Response:
    """Serve the key's sources as a file for feed readers."""
    services = site_services()
    with services.db.read() as session:
        key = own_key(session, public_id)
        sources = selected_sources(session, key.id)
        title = f"Changewire: {key.name}"
    body = as_opml(sources, title=title, site_url=services.site_url, now=services.now())
    note_export(title)
    answer = Response(body, mimetype=OPML)
    answer.headers["Content-Disposition"] = 'attachment; filename="changewire.opml"'
    return answer


def note_export(what: str) -> None:
    """Record an export; exports of the same list are recorded once an hour."""
    services, owner = site_services(), signed_in_user().account_id
    since, kind = services.now() - timedelta(hours=1), AccountEventKind.EXPORTED
    with services.db.read() as session:
        if has_event_since(session, owner, kind, what, since=since):
            return
    with services.db.write() as session:
        log_event(session, kind, what)


@lists.post("/import")
def import_list(public_id: str) -> AnyResponse:
    """Select all sources that a list names, or none if they are too many; report unknown lines."""
    count_upload()
    file = request.files.get("list")
    document = b"" if file is None else file.read()
    try:
        matches, ids = _sources_in(public_id, document)
        more = _select(public_id, ids)
    except NoOpml as error:
        flash(str(error) if document else "Choose a file first.", "fault")
    except TooManySelections as error:
        flash(f"{no_slot(error, now=site_services().now())} Nothing was selected.", "fault")
    else:
        flash_result(matches, more)
    return redirect(url_for("selection.choose", public_id=public_id), code=303)


def _sources_in(public_id: str, document: bytes) -> tuple[OpmlMatches, list[int]]:
    """Return what a list names in the catalog, which is read before anything is written."""
    services = site_services()
    with services.db.read() as session:
        if not is_live(own_key(session, public_id), now=services.now()):
            abort(404)
        lines = read_opml(document)
        catalog = directory(session)
    matches = look_up(lines, catalog, site_url=services.site_url)
    return matches, [catalog.by_slug[slug] for slug in matches.slugs]


def _select(public_id: str, ids: Sequence[int]) -> int:
    services = site_services()
    with services.db.write() as session:
        key = own_locked_key(session, public_id)
        if not is_live(key, now=services.now()):
            abort(404)
        return add_selections(session, key, ids, now=services.now())


def flash_result(matches: OpmlMatches, more: int) -> None:
    """Report the result of an import and the lines that match no source."""
    count = len(matches.slugs)
    flash(f"{count} source{'' if count == 1 else 's'} found, {more} of them new to this key.")
    if matches.unknown:
        more_lines = len(matches.unknown) - NAMED
        lines = "; ".join(matches.unknown[:NAMED]) + (
            f"; and {more_lines} more" if more_lines > 0 else ""
        )
        flash(f"Not found: {lines}.", "fault")
