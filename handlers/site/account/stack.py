"""/app/stack: what an account runs, from a pasted file (docs/decisions/0142)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from components.component import Unreadable, of_purl
from components.read import FORMATS
from handlers.site.account.catalog import count_upload, named_key
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.catalog.proposals import known_sources, propose
from storage.catalog.search.catalog_search import search_index
from storage.people.keys import account_selection
from storage.people.plans import PLANS
from storage.people.stacks import (
    PARTS_PER_ACCOUNT,
    SavedPart,
    TooManyParts,
    delete_part,
    delete_stack,
    list_parts,
    save_parts,
)

STACK_PATH: Final = "/app/stack"
PROPOSALS_PATH: Final = "/app/stack/proposals"
MISSING_SHOWN: Final = 300
LONGEST_SAVED: Final = 500


@dataclass(frozen=True, slots=True)
class PartView:
    """A remembered part as its owner sees it; ``purl`` has the version."""

    name: str
    type: str
    version: str
    purl: str


stack = Blueprint("stack", __name__, url_prefix=STACK_PATH)
stack.before_request(require_sign_in)


@stack.get("")
def show() -> str:
    """Show what the account runs, and a form to paste a file into."""
    return stack_page()


@stack.post("/proposals")
def proposals() -> Response | str | tuple[str, int]:
    """Show what a file has in the catalog, and what not. Nothing of it is kept."""
    refused = count_upload()
    if refused is not None:
        return refused
    services, owner = site_services(), signed_in_user()
    with services.db.read() as session:
        key = named_key(session)
    try:
        components = services.read_components(_document())
    except Unreadable as error:
        return render_template("proposals.html", fault=str(error), key=key), 400
    with services.db.read() as session:
        chosen = account_selection(session, owner.account_id, now=services.now())
        made = propose(components, known_sources(session), chosen)
        return render_template(
            "proposals.html",
            fault=None,
            key=key,
            made=made,
            names={each.slug: each.name for each in search_index(session).sources},
            parts=len({(part.type, part.name) for part in components}),
            used=len(chosen),
            slots=PLANS[owner.plan].slots,
            missing_shown=MISSING_SHOWN,
            most=PARTS_PER_ACCOUNT,
        )


@stack.post("")
def save() -> AnyResponse | tuple[str, int]:
    """Remember the parts that were confirmed."""
    services = site_services()
    try:
        with services.db.write() as session:
            parts = list(_confirmed())
            count = save_parts(session, signed_in_user().account_id, parts, now=services.now())
    except TooManyParts as error:
        return stack_page(fault=str(error)), 400
    flash(f"{count:,} version{'' if count == 1 else 's'} remembered.")
    return redirect(url_for("stack.show"), code=303)


@stack.post("/remove")
def remove() -> AnyResponse:
    """Forget one part."""
    part = next(_confirmed(), None)
    if part is None:
        abort(404)
    with site_services().db.write() as session:
        delete_part(session, signed_in_user().account_id, part)
    return redirect(url_for("stack.show"), code=303)


@stack.post("/delete")
def delete() -> AnyResponse:
    """Forget everything."""
    with site_services().db.write() as session:
        delete_stack(session, signed_in_user().account_id)
    flash("Your stack is deleted.")
    return redirect(url_for("stack.show"), code=303)


def stack_page(fault: str | None = None) -> str:
    """Return the page of what the account runs."""
    with site_services().db.read() as session:
        return render_template(
            "stack.html",
            fault=fault,
            parts=_remembered(session),
            most=PARTS_PER_ACCOUNT,
            formats=FORMATS,
        )


def _remembered(session: Session) -> list[PartView]:
    views = [
        PartView(part.name, part.type, saved.version, part.purl or "")
        for saved in list_parts(session, signed_in_user().account_id)
        if (part := of_purl(saved.purl, version=saved.version)) is not None
    ]
    return sorted(views, key=lambda view: (view.name.lower(), view.type, view.version))


def _document() -> bytes:
    """Return the file, or the text that was pasted."""
    file = request.files.get("file")
    uploaded = file.read() if file is not None else b""
    return uploaded or request.form.get("text", "").encode(errors="replace")


def _confirmed() -> Iterator[SavedPart]:
    """Yield the parts that a form names, by their package URLs with versions."""
    for text in request.form.getlist("part")[: PARTS_PER_ACCOUNT + 1]:
        found = of_purl(text)
        purl = None if found is None else replace(found, version=None).purl
        if found is None or purl is None or found.version is None or len(purl) > LONGEST_SAVED:
            abort(400)
        yield SavedPart(purl, found.version)
