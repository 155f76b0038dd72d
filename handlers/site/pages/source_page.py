"""The page of a source for people who are signed in: how it is, and all that it published."""

from typing import Final

from flask import Blueprint, abort, render_template, request, url_for
from sqlalchemy.orm import Session

from handlers.site.forms import parse_offset
from handlers.site.pages.diffs import newest_heads
from handlers.site.pages.reading import days_of
from handlers.site.services import site_services
from handlers.site.session import SignedInUser, require_sign_in, signed_in_user
from handlers.site.words import KIND_NAMES
from openapi.vocabulary import Kind
from storage.catalog.catalog_items import find_item
from storage.entries.entry_pages import newest_feed_entries
from storage.people.keys import account_choices, is_live, list_keys
from storage.people.plans import PLANS

source_pages = Blueprint("source_pages", __name__, url_prefix="/sources")
source_pages.before_request(require_sign_in)
PAGE: Final = 40
NEWEST_DIFFS: Final = 6


@source_pages.get("/<slug>")
def show(slug: str) -> str:
    """Show a source with its entries and, with the add-on, what was changed afterwards."""
    services, viewer = site_services(), signed_in_user()
    now, offset = services.now(), parse_offset(request.args.get("offset"))
    with services.db.read() as session:
        item = find_item(session, slug, now=now)
        if item is None:
            abort(404)
        entries = newest_feed_entries(
            session,
            most=PAGE + 1,
            now=now,
            only_important=False,
            source_id=item.id,
            offset=offset,
        )
        diffs = newest_heads(session, item.id, most=NEWEST_DIFFS) if viewer.has_diffs else None
        keys = _keys(session, viewer, slug)
    return render_template(
        "source.html",
        item=item,
        health=services.judge(item, now),
        kind=KIND_NAMES[Kind(item.kind)],
        tags=item.tags,
        days=days_of(entries[:PAGE], now=now),
        total=item.entry_count,
        offset=offset,
        older=_page_at(slug, offset + PAGE) if len(entries) > PAGE else None,
        newer=_page_at(slug, max(0, offset - PAGE)) if offset else None,
        diffs=diffs,
        keys=keys,
        slots=PLANS[viewer.plan].slots,
    )


def _keys(
    session: Session, viewer: SignedInUser, slug: str
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the live keys of an account by whether they select a source: name and public id."""
    now = site_services().now()
    live = [key for key in list_keys(session, viewer.account_id) if is_live(key, now=now)]
    choices = account_choices(session, viewer.account_id, now=now)
    chosen = {key_id for choice, key_id in choices if choice == slug}
    return [
        (words, [(key.name, key.public_id) for key in live if (key.id in chosen) is selected])
        for words, selected in (("Selected for", True), ("Select it for", False))
    ]


def _page_at(slug: str, offset: int) -> str:
    return url_for("source_pages.show", slug=slug, offset=offset or None)
