"""Following sources, and what a key reads of them (docs/decisions/0013)."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_request
from handlers.site.account.account_log import log_event
from handlers.site.account.keys import own_live_key
from handlers.site.account.sign_in import FIRST, local_path
from handlers.site.account.source_choice import source_choice_page
from handlers.site.feeds.opml import OPML, as_opml, look_up, read_opml
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import done, require_sign_in, signed_in_user
from openapi.vocabulary import Tier
from package_versions.component import of_purl
from storage.catalog.addresses import directory, public_sources
from storage.catalog.requests import add_request
from storage.catalog.search.catalog_search import search_index
from storage.catalog.sources import ids_of
from storage.models.people import AccountEventKind
from storage.people.accounts import Refused
from storage.people.follows import (
    TooManySources,
    account_follows,
    follow_sources,
    key_sources,
    narrow_key,
    unfollow_sources,
    widen_key,
)
from storage.people.throttle import Limit

follows = Blueprint("follows", __name__, url_prefix="/app")
follows.before_request(require_sign_in)
OF_KEY: Final = "/api-keys/<public_id>/sources"
PER_ACCOUNT: Final = (Limit(20, timedelta(minutes=1)), Limit(200, timedelta(days=1)))
MOST_ASKED: Final = 300  # parts of one request
NAMED: Final = 10  # slugs and lines that a notice names; a cookie carries it


@follows.get("/sources")
def browse() -> str:
    """Show the catalog, and what the account follows."""
    with read() as session:
        return source_choice_page(session)


@follows.post("/sources")
def change() -> AnyResponse:
    """Follow or unfollow sources, or follow the products of a vendor; return to the page."""
    with read() as session:
        wanted = _products(session) if "all" in request.form else _slugs()
        found = ids_of(session, wanted)
    ids = {slug: found[slug] for slug in wanted if slug in found}
    if not ids:
        abort(404)
    if request.form.get("change") == "remove":
        with write() as session:
            unfollow_sources(session, signed_in_user().account_id, ids.values())
        flash(f"Unfollowed {_named(ids)}.")
    else:
        _follow(ids)
    return redirect(local_path(request.form.get("next"), FIRST), code=303)


def _products(session: Session) -> list[str]:
    vendor = request.form.get("vendor", "")
    index = search_index(session)
    products = index.listed(lambda each: each.vendor == vendor and each.tier == Tier.PRODUCT)
    return [source.slug for source in products]


def _slugs() -> list[str]:
    return list(dict.fromkeys(request.form.getlist("slug")))


def _follow(ids: dict[str, int]) -> None:
    """Follow sources in their order, as far as the slots of the plan reach, and say which."""
    new, left, fault = [], [], ""
    with write() as session:
        for slug, source_id in ids.items():
            try:
                if follow_sources(
                    session, signed_in_user().account_id, [source_id], now=current_time()
                ):
                    new.append(slug)
            except TooManySources as error:
                left.append(slug)
                fault = str(error)
    if new or not left:
        flash(f"Following {_named(new or ids)}.")
    if left:
        flash(f"{fault} Not followed: {_named(left)}.", "fault")


def _named(slugs: Iterable[str]) -> str:
    every = list(slugs)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


@follows.get(OF_KEY)
def narrow(public_id: str) -> str:
    """Show what a key reads: all that the account follows, or some of it."""
    with read() as session:
        key = own_live_key(session, public_id)
        own = key_sources(session, key.id)
        offered = own | account_follows(session, key.account_id)
        sources = public_sources(session, offered)
    return render_template("narrow.html", key=key, own=own, sources=sources)


@follows.post(OF_KEY)
def set_sources(public_id: str) -> AnyResponse:
    """Narrow a key to sources, which the account follows then, or end that."""
    with write() as session:
        key = own_live_key(session, public_id, lock=True)
        ids = ids_of(session, _slugs())
        if request.form.get("reads") == "all":
            widen_key(session, key)
        elif ids:
            narrow_key(session, key, ids.values(), now=current_time())
        else:
            raise Refused("Choose at least one source.")
        name = key.name
    return done(f"Key “{name}” updated.", "keys.overview")


@follows.errorhandler(Refused)
def refused(error: Refused) -> AnyResponse:
    """Lead back to the form, with what is wrong."""
    flash(str(error), "fault")
    form = "follows.narrow" if request.view_args else "follows.browse"
    return redirect(url_for(form, **(request.view_args or {})), code=303)


@follows.get("/sources.opml")
def export() -> Response:
    """Serve what the account follows as a file for feed readers."""
    services = site_services()
    with read() as session:
        followed = account_follows(session, signed_in_user().account_id)
        sources = public_sources(session, followed)
    title = "Changewire: following"
    body = as_opml(sources, title=title, site_url=services.site_url, now=current_time())
    with write() as session:
        log_event(session, AccountEventKind.EXPORTED, title)
    answer = Response(body, mimetype=OPML)
    answer.headers["Content-Disposition"] = 'attachment; filename="changewire.opml"'
    return answer


@follows.post("/sources/import")
def import_list() -> AnyResponse:
    """Follow the sources of an OPML file as far as slots reach; report unknown lines."""
    count_upload()
    file = request.files.get("list")
    document = b"" if file is None else file.read()
    if not document:
        raise Refused("Choose a file first.")
    lines = read_opml(document)
    with read() as session:
        catalog = directory(session)
    slugs, unknown = look_up(lines, catalog, site_url=site_services().site_url)
    if slugs:
        _follow({slug: catalog.by_slug[slug] for slug in slugs})
    if unknown:
        others = f"; and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        flash(f"Not found: {'; '.join(unknown[:NAMED])}{others}.", "fault")
    return redirect(url_for("follows.browse"), code=303)


@follows.post("/sources/request")
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


def count_upload() -> None:
    """Count a file or a request of the account. Raises RateLimited."""
    count_request(site_services(), f"proposals/{signed_in_user().account_id}", PER_ACCOUNT)
