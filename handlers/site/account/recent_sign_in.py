"""A recent sign-in, asked before keys are made or the account is deleted.

A page offers its form for an hour after the sign-in; the form is taken for an hour more, so that
nobody fills one in that is then refused.
"""

from datetime import timedelta
from typing import Final

from flask import abort, redirect, url_for

from handlers.site.services import site_services
from handlers.site.session import signed_in_user

OFFERED_WITHIN: Final = timedelta(hours=1)
TAKEN_WITHIN: Final = timedelta(hours=2)


def is_recent(within: timedelta = OFFERED_WITHIN) -> bool:
    """Return True if the user signed in recently with this browser."""
    return site_services().now() - signed_in_user().signed_in_at < within


def require_recent_sign_in(destination: str) -> None:
    """Redirect to the page that asks for a sign-in and leads on, unless there was one lately."""
    if not is_recent(TAKEN_WITHIN):
        abort(redirect(url_for("sign_in.again", next=destination), code=303))
