"""Saved filters of entries, and the private addresses that show them (docs/decisions/0114)."""

from typing import Any, Final

from flask import Blueprint, abort, flash, redirect, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.browsers import log_event
from handlers.site.error_pages import or_404
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import done, require_sign_in, signed_in_user
from handlers.site.words import stack_title
from openapi.requests import InvalidRequest
from openapi.vocabulary import Category
from storage.delivery.digests import find_digest, save_digest
from storage.entries.entry_filter import FILTERS, filter_text
from storage.models import Digest, SavedFilter
from storage.models.people import AccountEventKind
from storage.models.webhooks import DigestFrequency
from storage.people.accounts import Refused, name_for
from storage.people.private_feeds import (
    FEEDS_PER_ACCOUNT,
    add_private_feed,
    list_private_feeds,
    revoke_private_feed,
)
from storage.people.saved_filters import (
    FILTERS_PER_ACCOUNT,
    add_filter,
    delete_filter,
    find_filter,
    followers_of_filters,
    list_filters,
)
from storage.people.stacks import stack_names

filters = Blueprint("filters", __name__, url_prefix="/app/filters")
filters.before_request(require_sign_in)
THEN: Final = {
    "list": "/following?{query}",
    "feed": "/app/filters?feed={id}#feeds",
    "webhook": "/app/webhooks?filter={id}#new",
    "digest": "/app/webhooks?digest={id}#digest",
}
"""Where saving a filter leads, by what it is saved for."""


@filters.get("")
def overview(fault: str | None = None) -> str:
    """List the account's filters, and offer a form with what the address says."""
    services, owner = site_services(), signed_in_user()
    is_new_form = request.endpoint in ("filters.overview", "filters.create")
    with read() as session:
        return render_template(
            "filters.html",
            saved=list_filters(session, owner.account_id),
            followers=followers_of_filters(session, owner.account_id),
            api_url=services.api_url,
            most=FILTERS_PER_ACCOUNT,
            stacks=stack_names(session, owner.account_id),
            addresses=list_private_feeds(session, owner.account_id),
            most_addresses=FEEDS_PER_ACCOUNT,
            fault=fault,
            name=request.values.get("name", "") if is_new_form else "",
            then=request.values.get("then", "") if is_new_form else "",
            feed_of=request.args.get("feed", ""),
            written=written_parameters(),
            categories=list(Category),
        )


for refusal in (Refused, InvalidRequest):
    filters.register_error_handler(refusal, lambda error: (overview(str(error)), 400))


@filters.post("")
def create() -> AnyResponse:
    """Save a filter, or reuse an equal one; for a digest, create the digest if there is none."""
    then, now = request.values.get("then", ""), current_time()
    name = name_for("filter", request.values.get("name", ""))
    query = filter_text(written_parameters())
    if not query:
        raise Refused("Fill in at least one field.")
    with write() as session:
        owner = signed_in_user().account_id
        known = [] if then in ("", "list") else list_filters(session, owner)
        same = (each for each in known if each.query == query)
        saved = next(same, None) or add_filter(session, owner, name=name, query=query, now=now)
        public_id, said = saved.public_id, f"Filter “{saved.name}” saved."
        digest = find_digest(session, owner)
        if then == "digest" and digest is None:
            daily = Digest(frequency=DigestFrequency.DAILY, hour=6, only_important=False)
            save_digest(session, owner, daily, now=now).filter_id = saved.id
            said = f"Your digest now sends “{saved.name}”."
        elif then == "digest" and digest is not None and digest.filter_id != saved.id:
            said = f"Save the digest below to send “{saved.name}” instead of what it sends now."
    flash(said)
    return redirect(THEN.get(then, "/app/filters").format(id=public_id, query=query), code=303)


@filters.post("/<public_id>/rename")
def rename(public_id: str) -> AnyResponse:
    """Give a filter another name."""
    name = name_for("filter", request.form.get("name", ""))
    with write() as session:
        own_filter(session, public_id).name = name
    return done(f"Filter renamed to “{name}”.", "filters.overview")


@filters.post("/<public_id>/delete")
def delete(public_id: str) -> AnyResponse:
    """Delete a filter that no webhook and no digest follows."""
    with write() as session:
        saved = own_filter(session, public_id)
        name = saved.name
        delete_filter(session, saved)
    return done(f"Filter “{name}” deleted.", "filters.overview")


@filters.post("/feeds")
def create_feed() -> tuple[str, int]:
    """Make a private address of a filter, a stack or the whole selection, and show it, once."""
    services, owner = site_services(), signed_in_user().account_id
    kind, _, stack = request.form.get("filter", "").partition(":")
    named: dict[str, Any] = {}
    name = None
    with write() as session:
        if stack:
            or_404(stack in stack_names(session, owner) or None)
            named, name = {"stack": stack}, stack_title(stack)
        elif kind:
            saved = own_filter(session, kind)
            named, name = {"filter_id": saved.id}, saved.name
        token = add_private_feed(session, owner, **named, now=current_time())
        log_event(session, AccountEventKind.FEED_MADE, name or "")
    address = f"{services.site_url}/private/{token}"
    shown = {"name": name, "address": address, "is_calendar": bool(stack)}
    return render_template("private_feed_made.html", **shown), 201


@filters.post("/feeds/<int:id_>/revoke")
def revoke_feed(id_: int) -> AnyResponse:
    """End a private address."""
    with write() as session:
        if not revoke_private_feed(session, signed_in_user().account_id, id_):
            abort(404)
        log_event(session, AccountEventKind.FEED_REVOKED)
    return done("Private feed revoked.", "filters.overview")


def own_filter(session: Session, public_id: str) -> SavedFilter:
    """Return a filter of the user; answer 404 for any other."""
    return or_404(find_filter(session, signed_in_user().account_id, public_id))


def written_parameters() -> dict[str, str]:
    """Return the parameters of a filter as they are in the form or in the address."""
    return {name: ",".join(request.values.getlist(name)) for name in FILTERS}
