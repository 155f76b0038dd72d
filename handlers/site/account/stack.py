"""/app/stack: what an account runs, from a pasted file (docs/decisions/0141)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import orjson
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.part_lookups import Wishes, fulfil, remark_without_source, wishes_of
from handlers.site.account.selection import count_upload, named_key
from handlers.site.error_pages import or_404
from handlers.site.lines import list_line
from handlers.site.radar import moved_days
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import require_sign_in, signed_in_user
from openapi.vocabulary import Category, UpgradeReason
from package_versions.component import Component, Unreadable, of_purl
from package_versions.package_urls import PackageUrl
from package_versions.read import FORMATS
from storage.catalog.packages import PartSources
from storage.catalog.proposals import propose, sources_of_components
from storage.catalog.search.catalog_search import search_index
from storage.catalog.stack_plans import StackPlan, plan_stack, ranges_of
from storage.entries.deadlines import stated_by_entries
from storage.entries.upgrades import upgrade_documents
from storage.people.accounts import Refused, lock_account, looks_up
from storage.people.keys import account_selection
from storage.people.plans import PLANS
from storage.people.stacks import (
    PAGE,
    PARTS_PER_ACCOUNT,
    SavedPart,
    delete_part,
    delete_stack,
    list_parts,
    save_parts,
)

STACK_PATH: Final = "/app/stack"
PROPOSALS_PATH: Final = "/app/stack/proposals"
MISSING_SHOWN: Final = 300
RELEASES_SHOWN: Final = 50
LONGEST_SAVED: Final = 500


stack = Blueprint("stack", __name__, url_prefix=STACK_PATH)
stack.before_request(require_sign_in)


@stack.get("")
def show(fault: str | None = None) -> str:
    """Show what the account runs, and a form to paste a file into."""
    today = current_time().date()
    with read() as session:
        parts = _remembered(session)
        plan = _plan(session, parts)
        wishes = _wishes(session, plan.sources)
        is_looking_up = looks_up(session, signed_in_user().account_id)
        important = [release for release in plan.important_first if release.categories]
        shown = list(dict.fromkeys(release.key for release in important))[:RELEASES_SHOWN]
        documents = upgrade_documents(session, shown)
        stated = stated_by_entries(session, shown)
        names = {source.slug: source.name for source in search_index(session).sources}
        lines = [
            list_line(
                *documents[key],
                source_name=_source_name(documents[key][0], names),
                today=today,
                deadlines=stated[key].values(),
                moved=moved_days,
            )
            for key in shown
        ]
    fulfil(site_services(), wishes)
    return render_template(
        "stack.html",
        fault=fault,
        parts=[(part, _state(part, plan)) for part in parts],
        lines=lines,
        breaking=plan.count(Category.BREAKING),
        more=len({release.key for release in important}) - len(lines),
        formats=FORMATS,
        looks_up=is_looking_up,
    )


@stack.post("/proposals")
def proposals() -> str | tuple[str, int]:
    """Show what a file has in the catalog, and what not. Nothing of it is kept."""
    count_upload()
    services, owner = site_services(), signed_in_user()
    with read() as session:
        key = named_key(session)
    try:
        parts = services.read_components(_document())
    except Unreadable as error:
        return render_template("proposals.html", fault=str(error), key=key), 400
    with read() as session:
        chosen = account_selection(session, owner.account_id, now=current_time())
        known = sources_of_components(session, parts.components)
        wishes = _wishes(session, known)
        names = {source.slug: source.name for source in search_index(session).sources}
    fulfil(services, wishes)
    return render_template(
        "proposals.html",
        fault=None,
        key=key,
        made=propose(parts.components, known, chosen, looks_up=services.looks_up),
        names=names,
        unread=parts.unread,
        parts=len({(part.type, part.name) for part in parts.components}),
        used=len(chosen),
        slots=PLANS[owner.plan].slots,
        missing_shown=MISSING_SHOWN,
        most=PARTS_PER_ACCOUNT,
    )


@stack.post("")
def save() -> AnyResponse | tuple[str, int]:
    """Remember the parts that were confirmed."""
    try:
        parts = list(_confirmed())
        with write() as session:
            count = save_parts(session, signed_in_user().account_id, parts)
    except Refused as error:
        return show(fault=str(error)), 400
    flash(f"{count:,} version{'' if count == 1 else 's'} saved.")
    return redirect(url_for("stack.show"), code=303)


@stack.post("/remove")
def remove() -> AnyResponse:
    """Forget one part."""
    part = or_404(next(_confirmed(), None))
    with write() as session:
        delete_part(session, signed_in_user().account_id, part)
    return redirect(url_for("stack.show"), code=303)


@stack.post("/delete")
def delete() -> AnyResponse:
    """Forget everything."""
    with write() as session:
        delete_stack(session, signed_in_user().account_id, PAGE)
    flash("Stack deleted.")
    return redirect(url_for("stack.show"), code=303)


@stack.post("/lookups")
def look_up() -> AnyResponse:
    """Turn on or off that unknown packages are looked up."""
    is_on = request.form.get("lookups") == "on"
    with write() as session:
        lock_account(session, signed_in_user().account_id).looks_up = is_on
    flash(f"Lookups are {'on' if is_on else 'off'}.")
    return redirect(url_for("stack.show"), code=303)


def _plan(session: Session, parts: Sequence[Component]) -> StackPlan:
    """Return what lies between the remembered versions and the newest ones."""
    return plan_stack(
        session, ranges_of([purl for part in parts if (purl := part.placed_purl)], None)
    )


def _wishes(session: Session, found: dict[str, PartSources]) -> Wishes:
    owner = signed_in_user()
    return wishes_of(site_services(), session, found, owner.account_id, owner.plan)


def _source_name(document: bytes, names: Mapping[str, str]) -> str:
    slug: str = orjson.loads(document)["source"]
    return names.get(slug, slug)


def _state(part: Component, plan: StackPlan) -> str:
    """Say in a few words how many newer versions there are."""
    parsed = PackageUrl.parse(part.purl or "")
    name = "" if parsed is None else parsed.part
    found = plan.sources.get(name, PartSources())
    if not found.slugs or found.is_looked_up:
        remark = remark_without_source(site_services(), name, found)
        return "being looked up" if remark.reason is UpgradeReason.BEING_LOOKED_UP else remark.text
    newer = [release for release in plan.releases if release.part == name]
    breaking = sum(Category.BREAKING in release.categories for release in newer)
    unknown = next((remark.text for known, remark in plan.unknown if known == name), None)
    if not newer:
        return unknown or "up to date"
    sure = "" if found.is_certain else f" (likely from {found.repository})"
    return f"{len(newer):,} newer" + (f", {breaking:,} of them breaking" if breaking else "") + sure


def _remembered(session: Session) -> list[Component]:
    saved = list_parts(session, signed_in_user().account_id, PAGE)
    parts = (of_purl(each.purl, version=each.version) for each in saved)
    return sorted(
        filter(None, parts), key=lambda part: (part.name.lower(), part.type, part.version)
    )


def _document() -> bytes:
    """Return the file, or the text that was pasted."""
    file = request.files.get("file")
    uploaded = file.read() if file is not None else b""
    return uploaded or request.form.get("text", "").encode(errors="replace")


def _confirmed() -> Iterator[SavedPart]:
    """Yield the parts that a form names, by their package URLs with versions."""
    for text in request.form.getlist("part")[: PARTS_PER_ACCOUNT + 1]:
        part = of_purl(text)
        purl = None if part is None else replace(part, version=None).placed_purl
        if part is None or purl is None or part.version is None or len(purl) > LONGEST_SAVED:
            abort(400)
        yield SavedPart(purl, part.version)
