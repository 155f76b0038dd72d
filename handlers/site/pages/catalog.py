"""The catalog for people who are signed in: browse, search, and one page a source."""

from dataclasses import dataclass
from datetime import datetime

import orjson
from flask import Blueprint, abort, render_template, request
from sqlalchemy.orm import Session

from handlers.site.forms import parse_offset, parse_word
from handlers.site.pages.diff_summary import DiffView, diff_view
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from handlers.site.words import KIND_NAMES, TIER_NAMES
from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.catalog_items import find_item, page_items
from storage.catalog.source_filter import SourceFilter
from storage.entries.diffs import newest_diffs
from storage.entries.documents import shortened
from storage.entries.entry_pages import page_entries
from storage.people.keys import account_choices, is_live, list_keys
from storage.people.plans import PLANS

catalog = Blueprint("catalog", __name__, url_prefix="/app/sources")
catalog.before_request(require_sign_in)
PAGE = 50
NEWEST = 20


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry as pages show it: everything is text but the url, which may be a link."""

    headline: str
    title: str
    url: str | None
    summary: str | None
    published_at: datetime


def entry_view(document: bytes) -> EntryView:
    """Read a stored entry."""
    entry = orjson.loads(document)
    return EntryView(
        entry.get("headline", entry["title"]),
        entry["title"],
        entry["url"],
        shortened(entry["summary"]),
        datetime.fromisoformat(entry["published_at"]),
    )


@catalog.get("")
def browse() -> str:
    """List the catalog, filtered by the query."""
    services = site_services()
    now = services.now()
    source_filter = SourceFilter(
        q=parse_word(request.args.get("q")),
        vendor=parse_word(request.args.get("vendor")),
        kind=parse_word(request.args.get("kind")),
        adapter_type=_adapter(request.args.get("adapter")),
        tier=_tier(request.args.get("tier")),
    )
    offset = parse_offset(request.args.get("offset"))
    with services.db.read() as session:
        page = page_items(
            session, source_filter, limit=PAGE, offset=offset, now=now, products_first=True
        )
        return render_template(
            "sources.html",
            page=page,
            source_filter=source_filter,
            offset=offset,
            size=PAGE,
            kinds=KIND_NAMES,
            adapters=list(AdapterType),
            tiers=TIER_NAMES,
            health=services.judge,
            at=now,
        )


@catalog.get("/<slug>")
def source(slug: str) -> str:
    """Show a source with its newest entries and, with the add-on, its diffs."""
    services, viewer = site_services(), signed_in_user()
    now = services.now()
    with services.db.read() as session:
        item = find_item(session, slug, now=now)
        if item is None:
            abort(404)
        newest = page_entries(session, frozenset({item.id}), limit=NEWEST, offset=0)
        live = [key for key in list_keys(session, viewer.account_id) if is_live(key, now=now)]
        choices = account_choices(session, viewer.account_id, now=now)
        return render_template(
            "source.html",
            item=item,
            health=services.judge(item, now),
            kind=KIND_NAMES[Kind(item.kind)],
            tags=item.tags,
            entries=[entry_view(document) for document in newest.documents],
            total=newest.total,
            diffs=_diffs(session, item.id) if viewer.has_diffs else None,
            live_keys=live,
            chosen={key_id for chosen, key_id in choices if chosen == slug},
            slots=PLANS[viewer.plan].slots,
        )


def _diffs(session: Session, source_id: int) -> list[DiffView]:
    return [diff_view(document) for document in newest_diffs(session, source_id).documents]


def _adapter(text: str | None) -> AdapterType | None:
    return AdapterType(text) if text in list(AdapterType) else None


def _tier(text: str | None) -> Tier | None:
    return Tier(text) if text in list(Tier) else None
