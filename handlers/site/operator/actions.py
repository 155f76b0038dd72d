"""What all actions of operators share: a record, a log line and the redirect back."""

from typing import Any, Final

import structlog
from flask import abort, flash, redirect, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.context import OperatorServices
from handlers.site.services import site_services
from handlers.site.session import signed_in_user
from storage.people.operator_log import note_action

log = structlog.get_logger(__name__)
PAGE: Final = 50
LONGEST_REASON: Final = 1000


def record(session: Session, action: str, subject: str) -> None:
    """Record an action with the transaction that does it, and log it.

    ``subject`` is an id or a slug: logs hold no mail addresses.
    """
    account_id = signed_in_user().account_id
    note_action(session, account_id, action, subject, now=site_services().now())
    log.info("operator action", action=action, subject=subject, account=account_id)


def back(notice: str, endpoint: str, *, fault: bool = False, **values: Any) -> AnyResponse:
    """Show a notice on the page that an action leads back to."""
    flash(notice, "fault" if fault else "message")
    return redirect(url_for(endpoint, **values), code=303)


def written(name: str, longest: int = LONGEST_REASON) -> str:
    """Return a field of the submitted form as one clean text."""
    return request.form.get(name, "").replace("\x00", "").strip()[:longest]


def operator_services() -> OperatorServices:
    """Return the functions that pages share with commands; respond 503 without them."""
    provided = site_services().operator_services
    if provided is None:
        abort(503)
    return provided
