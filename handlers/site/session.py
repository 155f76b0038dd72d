"""The session of a request: find, start, extend and end it."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from flask import Response, abort, flash, g, redirect, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.auth import Reader, session_cookie
from handlers.http.limiter import note_account, note_wrong_credential
from handlers.http.origin import is_https
from handlers.site.services import current_time, read, site_services, write
from storage.people.follows import account_follows, locked_slots
from storage.people.sessions import (
    LIFETIME,
    SEEN_PRECISION,
    end_session,
    extend_session,
    find_session,
)

URL_ENCODED: Final = "application/x-www-form-urlencoded"
FORMS: Final = frozenset({URL_ENCODED, "multipart/form-data"})
ORDINARY_FORM_BYTES: Final = 64 * 1024
"""Bytes of a form that is read for anybody; reading millions of fields takes seconds."""
MOST_FIELDS: Final = 200_000
"""How many fields and escaped characters a form may have that is not multipart."""
MOST_PARTS: Final = 100
PART_HEADER_BYTES: Final = 8 * 1024
"""Bytes of the header of a part of a multipart form; the parser takes a second for a million."""
BLANK_LINE: Final = re.compile(rb"\r\n\r\n|\r\r|\n\n")
OFFERED_WITHIN: Final = timedelta(hours=1)
TAKEN_WITHIN: Final = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class SignedInUser(Reader):
    """A signed-in user."""

    email: str
    signed_in_at: datetime
    session_digest: str


def cookie_name() -> str:
    """Return the name of this site's session cookie."""
    return session_cookie(site_services().site_url)


def current_user() -> SignedInUser | None:
    """Return the signed-in user, or None; read from the database once a request."""
    if "user" not in g:
        g.user = _find_user()
    user: SignedInUser | None = g.user
    return user


def signed_in_user() -> SignedInUser:
    """Return the signed-in user, on a page that requires it."""
    user = current_user()
    assert user is not None
    return user


def own_follows() -> set[str]:
    """Return the slugs that the signed-in user follows; read from the database once a request."""
    if "follows" not in g:
        user = current_user()
        with read() as session:
            g.follows = set() if user is None else account_follows(session, user.account_id)
    follows: set[str] = g.follows
    return follows


def own_locked_slots() -> list[datetime]:
    """Return when slots of the signed-in user are free that sources still hold, in order."""
    with read() as session:
        return locked_slots(session, signed_in_user().account_id, now=current_time())


def done(notice: str, endpoint: str, **values: Any) -> AnyResponse:
    """Redirect to a page, which shows a notice."""
    flash(notice)
    return redirect(url_for(endpoint, **values), code=303)


def require_sign_in() -> AnyResponse | None:
    """Redirect to the sign-in page, which leads back, unless a user is signed in."""
    if current_user() is not None:
        return None
    destination = request.full_path.rstrip("?") if request.method in ("GET", "HEAD") else None
    return redirect(url_for("sign_in.login", next=destination), code=303)


def refuse_costly_forms() -> AnyResponse | None:
    """Redirect to the sign-in page, or answer 413, before a form is read that takes long to read.

    It has to come before the check of the CSRF token, which is a field of the form.
    """
    if (request.content_length or 0) <= ORDINARY_FORM_BYTES or request.mimetype not in FORMS:
        return None
    refused = require_sign_in()
    if refused is None and _is_costly(request.get_data()):
        abort(413)
    return refused


def _is_costly(form: bytes) -> bool:
    if request.mimetype == URL_ENCODED:
        return form.count(b"&") + form.count(b"%") > MOST_FIELDS
    delimiter = f"--{request.mimetype_params.get('boundary', '')}".encode()
    if form.count(delimiter) > MOST_PARTS:
        return True
    places = (match.end() for match in re.finditer(re.escape(delimiter), form))
    begins = (place for place in places if not form.startswith(b"--", place))  # the last one ends
    return any(
        BLANK_LINE.search(form, place, place + PART_HEADER_BYTES) is None for place in begins
    )


def _find_user() -> SignedInUser | None:
    token = request.cookies.get(cookie_name())
    if not token:
        return None
    now = current_time()
    with read() as db:
        stored = find_session(db, token, now=now)
        if stored is None:
            note_wrong_credential()
            return None
        account = stored.account
        note_account(account.id)
        user = SignedInUser(
            account.id,
            account.plan,
            account.diffs_addon,
            account.email,
            stored.created_at,
            stored.digest,
        )
        stale = now - stored.last_seen_at >= SEEN_PRECISION
    if stale:
        with write() as db:
            current = find_session(db, token, now=now)
            if current is not None and extend_session(db, current, now=now):
                g.session_token = token
    return user


def start_session(token: str) -> None:
    """Start a new session: set its cookie with this response, and renew the CSRF tokens."""
    session.clear()
    g.session_token = token


def end_own_session() -> None:
    """End the session of this browser, if it has one."""
    token = request.cookies.get(cookie_name())
    if token:
        with write() as db:
            end_session(db, token)
    session.clear()
    g.user, g.session_token = None, None


def send_cookie(response: Response) -> Response:
    """Set or delete the session cookie if the request started, extended or ended a session."""
    if "session_token" not in g:
        return response
    return write_cookie(response, cookie_name(), g.session_token, max_age=LIFETIME)


def host_cookie(name: str) -> str:
    """Return the name under which a cookie is kept: __Host- where browsers allow it."""
    return f"__Host-{name}" if is_https(site_services().site_url) else name


def write_cookie(
    response: Response, name: str, value: str | None, *, max_age: timedelta | int
) -> Response:
    """Set a cookie with a response; None deletes it."""
    secure = is_https(site_services().site_url)
    if value is None:
        response.delete_cookie(name, secure=secure, httponly=True, samesite="Lax")
    else:
        response.set_cookie(
            name, value, max_age=max_age, secure=secure, httponly=True, samesite="Lax"
        )
    return response


def is_recent(within: timedelta = OFFERED_WITHIN) -> bool:
    """Return True if the user signed in recently with this browser."""
    return current_time() - signed_in_user().signed_in_at < within


def require_recent_sign_in(destination: str) -> None:
    """Redirect to the page that asks for a sign-in and leads on, unless there was one lately."""
    if not is_recent(TAKEN_WITHIN):
        abort(redirect(url_for("sign_in.again", next=destination), code=303))
