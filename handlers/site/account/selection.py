"""Choosing the sources of a key, by search over the whole catalog."""

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.keys import own_key, own_locked_key
from handlers.site.forms import parse_offset, parse_word
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.catalog.catalog_items import page_items
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import ids_of
from storage.people.keys import TooManySelections, account_selection, is_live, selected_slugs
from storage.people.plans import PLANS
from storage.people.selection import add_selection, drop_selection

selection = Blueprint("selection", __name__, url_prefix="/app/api-keys/<public_id>/sources")
selection.before_request(require_sign_in)
PAGE = 20
NO_SLOT = "All {slots} source slots of your plan are taken. Remove a source, or see the plans."


@selection.get("")
def choose(public_id: str) -> str:
    """Show the key's sources and search the catalog for more."""
    services, owner = site_services(), signed_in_user()
    now = services.now()
    query = parse_word(request.args.get("q"))
    offset = parse_offset(request.args.get("offset"))
    with services.db.read() as session:
        key = own_key(session, public_id)
        if not is_live(key, now=now):
            abort(404)
        page = page_items(
            session, SourceFilter(q=query), limit=PAGE, offset=offset, now=now, products_first=True
        )
        chosen = selected_slugs(session, key.id)
        everywhere = account_selection(session, owner.account_id, now=now)
        mine = page_items(
            session, SourceFilter(slugs=frozenset(chosen)), limit=len(chosen), offset=0, now=now
        )
        return render_template(
            "selection.html",
            key=key,
            page=page,
            mine=mine.items,
            chosen=chosen,
            everywhere=everywhere,
            used=len(everywhere),
            slots=PLANS[owner.plan].slots,
            query=query or "",
            offset=offset,
            size=PAGE,
            health=services.judge,
            at=now,
        )


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
                add_selection(session, key, source_id, now=services.now())
            else:
                drop_selection(session, key, source_id)
        except TooManySelections as error:
            flash(NO_SLOT.format(slots=error.slots), "fault")
        else:
            flash(f"{slug} is {'selected' if adding else 'removed'}.")
    query = parse_word(request.form.get("q"))
    offset = parse_offset(request.form.get("offset")) or None
    url = url_for("selection.choose", public_id=public_id, q=query, offset=offset)
    return redirect(url, code=303)
