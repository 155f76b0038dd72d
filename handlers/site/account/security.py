"""The page of sessions and of what happened to the account."""

from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.account_log import log_event
from handlers.site.services import site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.models.people import AccountEventKind, Actor
from storage.people.account_events import newest_events
from storage.people.sessions import end_session_of, list_sessions

security = Blueprint("security", __name__, url_prefix="/app/security")
security.before_request(require_sign_in)
SHOWN: Final = 100
EVENTS: Final = {
    AccountEventKind.SIGNED_IN: "Signed in",
    AccountEventKind.SIGNED_OUT: "Session ended",
    AccountEventKind.SIGNED_OUT_ALL: "Signed out everywhere",
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
    """List where the user is signed in, and the newest events."""
    services, owner = site_services(), signed_in_user()
    with services.db.read() as session:
        return render_template(
            "security.html",
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
