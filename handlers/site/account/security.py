"""The page of sessions, passkeys, and of what happened to the account."""

from typing import Final

from fido2.utils import websafe_encode
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.account_log import log_event, this_browser
from handlers.site.account.recent_sign_in import is_recent, require_recent_sign_in
from handlers.site.account.webauthn import (
    WrongPasskey,
    options_to_add,
    passkeys_work,
    read_added,
)
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.models.people import AccountEventKind, Actor
from storage.people.account_events import newest_events
from storage.people.keys import lock_account
from storage.people.passkeys import (
    PASSKEYS_PER_ACCOUNT,
    add_passkey,
    list_passkeys,
    remove_passkey,
)
from storage.people.sessions import end_session_of, list_sessions

security = Blueprint("security", __name__, url_prefix="/app/security")
security.before_request(require_sign_in)
SHOWN: Final = 100
EVENTS: Final = {
    AccountEventKind.SIGNED_IN: "Signed in",
    AccountEventKind.SIGNED_OUT: "Session ended",
    AccountEventKind.SIGNED_OUT_ALL: "Signed out everywhere",
    AccountEventKind.PASSKEY_ADDED: "Passkey added",
    AccountEventKind.PASSKEY_REMOVED: "Passkey removed",
    AccountEventKind.KEY_MADE: "Key made",
    AccountEventKind.KEY_ROTATED: "Key rotated",
    AccountEventKind.KEY_REVOKED: "Key revoked",
    AccountEventKind.PLAN_ASKED: "Plan asked for",
    AccountEventKind.PLAN_SET: "Plan set",
    AccountEventKind.WEBHOOK_MADE: "Webhook made",
    AccountEventKind.WEBHOOK_CHANGED: "Webhook changed",
    AccountEventKind.WEBHOOK_ROTATED: "New secret of a webhook",
    AccountEventKind.WEBHOOK_OFF: "Webhook switched off",
    AccountEventKind.WEBHOOK_ON: "Webhook switched on",
    AccountEventKind.WEBHOOK_DELETED: "Webhook deleted",
    AccountEventKind.FEED_MADE: "Private feed made",
    AccountEventKind.FEED_REVOKED: "Private feed revoked",
    AccountEventKind.EXPORTED: "Sources exported",
    AccountEventKind.DELETION_ASKED: "Deletion asked with a wrong address",
}
ACTORS: Final = {
    Actor.KEY: "by one of your keys",
    Actor.OPERATOR: "by the operator",
    Actor.SERVICE: "by the service itself",
}


@security.get("")
def overview() -> str:
    """List where the user is signed in, by which passkeys, and the newest events."""
    services, owner = site_services(), signed_in_user()
    with services.db.read() as session:
        passkeys = list_passkeys(session, owner.account_id)
        may_add = passkeys_work() and is_recent() and len(passkeys) < PASSKEYS_PER_ACCOUNT
        return render_template(
            "security.html",
            passkeys=passkeys,
            passkeys_work=passkeys_work(),
            recent=is_recent(),
            most=PASSKEYS_PER_ACCOUNT,
            to_add=options_to_add(owner.account_id, owner.email, passkeys) if may_add else None,
            sessions=list_sessions(session, owner.account_id, now=services.now()),
            own=owner.session_digest,
            events=newest_events(session, owner.account_id, most=SHOWN),
            words=EVENTS,
            actors=ACTORS,
        )


@security.post("/sessions/<digest>/end")
def end(digest: str) -> AnyResponse:
    """Sign another browser out."""
    owner = signed_in_user()
    if digest == owner.session_digest:
        abort(400)  # the form of the menu does that, and takes the cookie back
    with site_services().db.write() as session:
        ended = end_session_of(session, owner.account_id, digest)
        if ended is not None:
            log_event(session, AccountEventKind.SIGNED_OUT, ended.browser)
    flash("That browser is signed out.")
    return redirect(url_for("security.overview"), code=303)


@security.post("/passkeys")
def add() -> AnyResponse:
    """Store the passkey that this browser has made."""
    there = url_for("security.overview")
    require_recent_sign_in(there)
    services, owner, here = site_services(), signed_in_user(), this_browser()
    try:
        added = read_added(request.form.get("credential", ""))
    except WrongPasskey:
        flash("The passkey could not be added. Try again.", "fault")
        return redirect(there, code=303)
    credential, name = added.credential_data, request.form.get("name", "").strip()[:80]
    assert credential is not None
    with services.db.write() as session:
        is_new = add_passkey(
            session,
            lock_account(session, owner.account_id),
            websafe_encode(credential.credential_id),
            credential=bytes(credential),
            name=name or here.browser,
            counter=added.counter,
            now=services.now(),
        )
        if is_new:
            log_event(session, AccountEventKind.PASSKEY_ADDED, name or here.browser)
    flash("The passkey is added. Sign in with it next time." if is_new else "It was not added.")
    return redirect(there, code=303)


@security.post("/passkeys/<digest>/remove")
def remove(digest: str) -> AnyResponse:
    """Take a passkey away."""
    with site_services().db.write() as session:
        name = remove_passkey(session, signed_in_user().account_id, digest)
        if name is not None:
            log_event(session, AccountEventKind.PASSKEY_REMOVED, name)
    flash("The passkey is removed. Delete it on its device, too.")
    return redirect(url_for("security.overview"), code=303)
