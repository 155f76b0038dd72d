"""The visitor of a page: the session of the request, opened, prolonged and ended."""

from dataclasses import dataclass
from datetime import datetime

from flask import Response, g, redirect, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.auth import session_cookie
from handlers.http.origin import is_https
from handlers.site.services import site_services
from openapi.vocabulary import Plan
from storage.models import Account
from storage.people.sessions import (
    LIFETIME,
    SEEN_PRECISION,
    end_session,
    extend_session,
    find_session,
)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in."""

    account_id: int
    email: str
    plan: Plan
    diffs_addon: bool
    created_at: datetime

    @property
    def has_diffs(self) -> bool:
        """Whether the account may read diffs: the add-on works on the All plan only."""
        return self.diffs_addon and self.plan is Plan.ALL


def cookie_name() -> str:
    """Return the name of this site's session cookie."""
    return session_cookie(site_services().site_url)


def visitor() -> Visitor | None:
    """Return who is signed in, asked of the database at most once a request."""
    if "visitor" not in g:
        g.visitor = _find_visitor()
    current = g.visitor
    assert current is None or isinstance(current, Visitor)
    return current


def signed_in() -> Visitor:
    """Return who is signed in, on a page that requires it."""
    current = visitor()
    assert current is not None
    return current


def require_sign_in() -> AnyResponse | None:
    """Redirect to the sign-in page unless somebody is signed in, and back afterwards."""
    if visitor() is not None:
        return None
    wanted = request.full_path.rstrip("?") if request.method in ("GET", "HEAD") else None
    return redirect(url_for("sign_in.login", next=wanted), code=303)


def _find_visitor() -> Visitor | None:
    token = request.cookies.get(cookie_name())
    if not token:
        return None
    services = site_services()
    now = services.now()
    with services.db.read() as db:
        stored = find_session(db, token, now=now)
        if stored is None:
            return None
        seen = _as_visitor(stored.account)
        stale = now - stored.last_seen_at >= SEEN_PRECISION
    if stale:
        with services.db.write() as db:
            again = find_session(db, token, now=now)
            if again is not None and extend_session(db, again, now=now):
                g.session_token = token
    return seen


def _as_visitor(account: Account) -> Visitor:
    return Visitor(account.id, account.email, account.plan, account.diffs_addon, account.created_at)


def enter(token: str) -> None:
    """Start a new session: set its cookie with this response, and renew the CSRF tokens."""
    session.clear()
    g.session_token = token


def leave() -> None:
    """End the session of this browser, if it has one."""
    token = request.cookies.get(cookie_name())
    if token:
        with site_services().db.write() as db:
            end_session(db, token)
    session.clear()
    g.visitor, g.session_token = None, None


def send_cookie(response: Response) -> Response:
    """Set or delete the session cookie where the request opened, prolonged or ended a session."""
    if "session_token" not in g:
        return response
    name, secure = cookie_name(), is_https(site_services().site_url)
    if g.session_token is None:
        response.delete_cookie(name, secure=secure, httponly=True, samesite="Lax")
    else:
        response.set_cookie(
            name,
            g.session_token,
            max_age=LIFETIME,
            secure=secure,
            httponly=True,
            samesite="Lax",
        )
    return response
