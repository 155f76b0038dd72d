"""Failing sources: their errors, and actions on them."""

from flask import Blueprint, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.forms import parse_offset, parse_word
from handlers.site.operator.actions import PAGE, back, operator_services, record, written
from handlers.site.services import site_services
from handlers.site.session import require_operator
from storage.catalog.catalog_items import CatalogItem, find_item
from storage.catalog.removal import remove_sources
from storage.entries.documents import timestamp
from storage.models import FetchFacts
from storage.scheduling.due import forget_recipe
from storage.scheduling.failures import check_soon, failing_sources, failures_by_reason

operator_sources = Blueprint("operator_sources", __name__, url_prefix="/operator/sources")
operator_sources.before_request(require_operator)
HERE, LIST = "operator_sources.show", "operator_sources.overview"


@operator_sources.get("")
def overview() -> str:
    """List failing sources, all or those with one reason, or redirect to a slug."""
    reason = parse_word(request.args.get("reason"))
    offset = parse_offset(request.args.get("offset"))
    with site_services().db.read() as session:
        return render_template(
            "operator/sources.html",
            reasons=failures_by_reason(session),
            reason=reason,
            sources=failing_sources(session, reason, limit=PAGE, offset=offset),
            offset=offset,
            size=PAGE,
        )


@operator_sources.get("/<slug>")
def show(slug: str, fault: str | None = None) -> str:
    """Explain a source, its feed address included."""
    services = site_services()
    now = services.now()
    with services.db.read() as session:
        item = _item(session, slug)
        facts = session.get_one(FetchFacts, item.id)
        return render_template(
            "operator/source.html",
            item=item,
            facts=facts,
            health=services.judge(item, now),
            sentences=operator_services().explain(session, item, now),
            fault=fault,
        )


@operator_sources.post("/<slug>/check")
def check(slug: str) -> AnyResponse:
    """Make a source due at once, unless its vendor requested a pause."""
    services = site_services()
    now = services.now()
    with services.db.write() as session:
        wait = check_soon(session, _item(session, slug).id, now=now)
        if wait is None:
            record(session, "source due at once", slug)
    if wait is not None:
        when = timestamp(wait)
        return back(f"The vendor asks to be left alone until {when}.", HERE, fault=True, slug=slug)
    return back("The workers check it next.", HERE, slug=slug)


@operator_sources.post("/<slug>/forget-recipe")
def forget(slug: str) -> AnyResponse:
    """Delete the recipe that was learned after its page was redesigned."""
    with site_services().db.write() as session:
        _item(session, slug)
        forgotten = forget_recipe(session, slug)
        if forgotten:
            record(session, "recipe forgotten", slug)
    notice = "It is read without a recipe from its next check on."
    return back(notice if forgotten else "It has no recipe.", HERE, slug=slug)


@operator_sources.post("/<slug>/remove")
def remove(slug: str) -> AnyResponse | tuple[str, int]:
    """Remove a source and its entries, if its slug was typed in as confirmation."""
    services = site_services()
    if written("slug") != slug:
        return show(slug, fault="That is not its slug. Nothing was removed."), 400
    with services.db.write() as session:
        removed = remove_sources(session, [_item(session, slug).id], now=services.now())
        record(session, "source removed", slug)
    gone = f"{slug} is removed with {removed.entries} entries; {removed.keys} keys had selected it."
    return back(gone, LIST)


def _item(session: Session, slug: str) -> CatalogItem:
    return or_404(find_item(session, slug, now=site_services().now()))
