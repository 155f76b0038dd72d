"""/app/stack: what an account runs, from a pasted file (docs/decisions/0141)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.part_lookups import fulfil
from handlers.site.account.follows import count_upload
from handlers.site.account.stack_table import Row, stack_table
from handlers.site.error_pages import or_404
from handlers.site.services import read, site_services, write
from handlers.site.session import require_sign_in, signed_in_user
from openapi.text import counted
from package_versions.component import Unreadable, of_purl
from package_versions.read import FORMATS
from storage.catalog.search.catalog_search import search_index
from storage.people.accounts import Refused, lock_account, looks_up
from storage.people.follows import account_follows
from storage.people.plans import PLANS
from storage.people.stacks import (
    PAGE,
    PARTS_PER_ACCOUNT,
    SavedPart,
    delete_part,
    delete_stack,
    list_parts,
    save_parts,
    stack_names,
)

STACK_PATH: Final = "/app/stack"
PROPOSALS_PATH: Final = "/app/stack/proposals"
UNREAD_SHOWN: Final = 300
LONGEST_SAVED: Final = 500
stack = Blueprint("stack", __name__, url_prefix=STACK_PATH)
stack.before_request(require_sign_in)


@stack.get("")
def show(fault: str | None = None) -> str:
    """Show what the account runs, and a form to paste a file into; or one of its named stacks."""
    owner, name = signed_in_user(), request.args.get("stack", PAGE)
    with read() as session:
        saved = list_parts(session, owner.account_id, name)
        names = [PAGE, *(each for each in stack_names(session, owner.account_id) if each != PAGE)]
        parts = filter(None, (of_purl(each.purl, version=each.version) for each in saved))
        rows, wishes = stack_table(session, parts)
        is_on = looks_up(session, owner.account_id) if site_services().looks_up else None
    if name not in names:
        abort(404)
    fulfil(site_services(), wishes)
    return render_template(
        "stack.html",
        rows=rows,
        fault=fault,
        is_file=False,
        name=name,
        names=names,
        looks_up=is_on,
        formats=FORMATS,
    )


@stack.post("/proposals")
def proposals() -> str | tuple[str, int]:
    """Show what a file has in the catalog, and what not. Nothing of it is kept."""
    count_upload()
    services, owner = site_services(), signed_in_user()
    try:
        parts = services.read_components(_document())
    except Unreadable as error:
        return show(fault=str(error)), 400
    with read() as session:
        rows, wishes = stack_table(session, parts.components)
        chosen = account_follows(session, owner.account_id)
        names = {source.slug: source.name for source in search_index(session).sources}
    fulfil(services, wishes)
    return render_template(
        "stack.html",
        rows=rows,
        fault=None,
        is_file=True,
        followable=_followable(rows, chosen, names),
        free=None if (slots := PLANS[owner.plan].slots) is None else slots - len(chosen),
        unread=parts.unread,
        unread_shown=UNREAD_SHOWN,
        most=PARTS_PER_ACCOUNT,
    )


def _followable(rows: list[Row], chosen: set[str], names: dict[str, str]) -> dict[str, str]:
    """Return the names of sources that could be followed: of a part with several, one."""
    slugs = [it["sources"] for row in rows if (it := row.covered) and "on_demand" not in it]
    firsts = sorted({of_part[0] for of_part in slugs if chosen.isdisjoint(of_part)})
    return {slug: names[slug] for slug in firsts if slug in names}


@stack.post("")
def save() -> AnyResponse | tuple[str, int]:
    """Remember the parts that were confirmed."""
    try:
        parts = list(_confirmed())
        with write() as session:
            count = save_parts(session, signed_in_user().account_id, parts)
    except Refused as error:
        return show(fault=str(error)), 400
    flash(f"{counted(count, 'version')} saved.")
    return redirect(url_for("stack.show"), code=303)


@stack.post("/remove")
def remove() -> AnyResponse:
    """Forget the versions of a package."""
    parts = list(_confirmed())
    or_404(next(iter(parts), None))
    with write() as session:
        for part in parts:
            delete_part(session, signed_in_user().account_id, part)
    return redirect(url_for("stack.show"), code=303)


@stack.post("/delete")
def delete() -> AnyResponse:
    """Forget a stack."""
    with write() as session:
        delete_stack(session, signed_in_user().account_id, request.form.get("stack", PAGE))
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
