"""Choosing the sources of a key, by search over the whole catalog."""

from datetime import datetime
from typing import Any

from flask import Blueprint, abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.keys import own_key, own_locked_key
from handlers.site.account.source_choice import source_choice_page, view_of
from handlers.site.services import site_services
from handlers.site.session import require_sign_in
from handlers.site.words import in_time
from storage.catalog.sources import ids_of
from storage.people.keys import TooManySelections, is_live
from storage.people.selection import add_selections, drop_selection

selection = Blueprint("selection", __name__, url_prefix="/app/api-keys/<public_id>/sources")
selection.before_request(require_sign_in)
NO_SLOT = "All {slots} source slots of your plan are taken. Remove a source, or see the plans."
USED_SLOT = (
    "All {slots} source slots of your plan are taken: a slot that was used is free again after a "
    "day. The next is free {when}."
)


@selection.get("")
def choose(public_id: str) -> str:
    """Show the key's sources and the catalog to choose more from."""
    services = site_services()
    with services.db.read() as session:
        key = own_key(session, public_id)
        if not is_live(key, now=services.now()):
            abort(404)
        return source_choice_page(session, key)


@selection.post("")
def change(public_id: str) -> AnyResponse:
    """Add a source to the key or take one away."""
    services = site_services()
    slug = request.form.get("slug", "")
    adding = request.form.get("change") == "add"
    with services.db.write() as session:
        key = own_locked_key(session, public_id)
        source_id = ids_of(session, [slug]).get(slug)
        if source_id is None or not is_live(key, now=services.now()):
            abort(404)
        try:
            if adding:
                add_selections(session, key, [source_id], now=services.now())
            else:
                drop_selection(session, key, source_id)
        except TooManySelections as error:
            flash(no_slot(error, now=services.now()), "fault")
        else:
            flash(f"{slug} is {'selected' if adding else 'removed'}.")
    query: dict[str, Any] = {**view_of(request.form).as_query()}
    return redirect(url_for("selection.choose", public_id=public_id, **query), code=303)


def no_slot(error: TooManySelections, *, now: datetime) -> str:
    """Say why nothing more can be selected, and when it can."""
    if error.frees_at is None:
        return NO_SLOT.format(slots=error.slots)
    return USED_SLOT.format(slots=error.slots, when=in_time(error.frees_at - now))
