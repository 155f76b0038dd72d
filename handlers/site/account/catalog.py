"""/app/sources: where choosing begins, with or without a key, and with a pasted file."""

from datetime import timedelta
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_request
from handlers.site.account.keys import note_key, own_key, own_locked_key, shown_once
from handlers.site.account.recent_sign_in import TAKEN_WITHIN, is_recent, require_recent_sign_in
from handlers.site.account.selection import no_slot
from handlers.site.account.source_choice import newest_key, source_choice_page
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from openapi.vocabulary import Scope
from package_versions.component import Component
from storage.catalog.requests import add_request
from storage.catalog.sources import ids_of
from storage.models import ApiKey
from storage.models.people import AccountEventKind
from storage.people.accounts import Refused, lock_account
from storage.people.keys import (
    TooManySelections,
    add_key,
    is_live,
)
from storage.people.selection import add_selections
from storage.people.throttle import Limit

catalog = Blueprint("catalog", __name__, url_prefix="/app/sources")
catalog.before_request(require_sign_in)
FIRST_KEY: Final = "my sources"
PER_ACCOUNT: Final = (Limit(20, timedelta(minutes=1)), Limit(200, timedelta(days=1)))


@catalog.get("")
def browse() -> str:
    """Show the catalog, to choose from for the key that was made last."""
    with site_services().db.read() as session:
        return source_choice_page(session, newest_key(session))


@catalog.post("")
def choose_first() -> AnyResponse | tuple[str, int]:
    """Choose sources for a key; who has none yet gets one, which is shown once."""
    services = site_services()
    now = services.now()
    slugs = list(dict.fromkeys(request.form.getlist("slug")))
    _require_recent_sign_in_for_first_key()
    try:
        with services.db.write() as session:
            ids = ids_of(session, slugs)
            if not slugs or len(ids) != len(slugs):
                abort(404)
            key, text = _key_to_choose_for(session)
            more = add_selections(session, key, ids.values(), now=now)
            public_id, name = key.public_id, key.name
    except TooManySelections as error:
        flash(f"{no_slot(error, now=now)} Nothing was selected.", "fault")
        return redirect(url_for("catalog.browse"), code=303)
    except Refused as error:
        flash(str(error), "fault")
        return redirect(url_for("catalog.browse"), code=303)
    if text is not None:
        return shown_once(text, public_id, name, slugs=slugs), 201
    flash(f"{more} source{'' if more == 1 else 's'} selected.")
    return redirect(url_for("selection.choose", public_id=public_id), code=303)


@catalog.post("/request")
def ask() -> str:
    """Ask for a source of a part that has none: the page about it goes to the operator."""
    count_upload()
    part = Component(
        request.form.get("type", "")[:40],
        request.form.get("name", "").replace("\x00", "")[:300],
        request.form.get("repository", "")[:200] or None,
    )
    if part.page is None or not part.page.isprintable() or " " in part.page:
        abort(400)
    with site_services().db.write() as session:
        note = f"{part.type}: {part.name}"
        add_request(session, url=part.page, note=note, now=site_services().now())
    return render_template("asked.html", name=part.name)


def _require_recent_sign_in_for_first_key() -> None:
    """Ask users without a key who signed in long ago to sign in again before one is made."""
    if is_recent(TAKEN_WITHIN):
        return
    with site_services().db.read() as session:
        has_key = (named_key(session) or newest_key(session)) is not None
    if not has_key:
        require_recent_sign_in(url_for("catalog.browse"))


def _key_to_choose_for(session: Session) -> tuple[ApiKey, str | None]:
    """Return a key of the user, and its text if it was made for this."""
    named = named_key(session) or newest_key(session)
    if named is not None:
        return own_locked_key(session, named.public_id), None
    account = lock_account(session, signed_in_user().account_id)
    scopes = (Scope.READ_ENTRIES,)
    now = site_services().now()
    key, text = add_key(session, account, name=FIRST_KEY, scopes=scopes, now=now)
    note_key(session, AccountEventKind.KEY_MADE, key)
    return key, text


def named_key(session: Session) -> ApiKey | None:
    """Return the key that a form is about, if it names one; answer 404 for one that is not live."""
    public_id = request.form.get("key")
    key = own_key(session, public_id) if public_id else None
    if key is not None and not is_live(key, now=site_services().now()):
        abort(404)
    return key


def count_upload() -> None:
    """Count a file or a request of the account. Raises RateLimited."""
    count_request(site_services(), f"proposals/{signed_in_user().account_id}", PER_ACCOUNT)
