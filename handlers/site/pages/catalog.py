"""The catalog for people who are signed in: browse and search."""

from dataclasses import dataclass
from datetime import datetime

import orjson
from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.forms import parse_offset, parse_word
from handlers.site.services import site_services
from handlers.site.session import require_sign_in
from handlers.site.words import KIND_NAMES, TIER_NAMES
from openapi.vocabulary import AdapterType, Tier
from storage.catalog.catalog_items import page_items
from storage.catalog.source_filter import SourceFilter
from storage.entries.documents import shortened

catalog = Blueprint("catalog", __name__, url_prefix="/app/sources")
catalog.before_request(require_sign_in)
PAGE = 50


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
def source(slug: str) -> AnyResponse:
    """Redirect to the page of a source, which was here once."""
    return redirect(url_for("source_pages.show", slug=slug), code=301)


def _adapter(text: str | None) -> AdapterType | None:
    return AdapterType(text) if text in list(AdapterType) else None


def _tier(text: str | None) -> Tier | None:
    return Tier(text) if text in list(Tier) else None
