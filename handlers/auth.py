"""Who is calling: keys in two headers, sessions in a cookie (specification 5)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias

from connexion.lifecycle import ConnexionRequest
from connexion.security import NO_VALUE, AbstractSecurityHandler
from sqlalchemy.orm import Session
from starlette.datastructures import Headers as RequestHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.context import Context, context
from handlers.origin import host_of, is_own_request
from handlers.refusals import Unauthorized
from openapi.vocabulary import Plan
from openapi.vocabulary import Scope as KeyScope
from storage.credentials import public_id_of
from storage.keys import (
    LAST_USED_PRECISION,
    account_selection,
    find_live_key,
    note_use,
    scopes_of,
    selected_slugs,
)
from storage.models import Account, ApiKey
from storage.sessions import find_session

SESSION_COOKIE = "__Host-session"
PLAIN_SESSION_COOKIE = "session"  # browsers refuse the __Host- prefix over plain http
CALLER = "changewire.caller"
Headers: TypeAlias = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody whose key or session lives. ``key_id`` is None for a session."""

    account_id: int
    plan: Plan
    diffs_addon: bool
    scopes: frozenset[str]
    key_id: int | None

    def selection(self, session: Session, *, now: datetime) -> set[str]:
        """Return the slugs selected for the key, or for all keys of a session's account."""
        if self.key_id is None:
            return account_selection(session, self.account_id, now=now)
        return selected_slugs(session, self.key_id)


def keys_sent(headers: Headers) -> set[str]:
    """Return the different keys that a request carries, whichever header they came in.

    An Authorization header of another kind is a wrong key too: nobody sends one by chance.
    """
    found = set()
    for name, value in headers:
        text = value.decode("latin-1").strip()
        if name == b"x-api-key":
            found.add(text)
        elif name == b"authorization":
            scheme, _, credential = text.partition(" ")
            found.add(credential.strip() if scheme.lower() == "bearer" else "")
    return found


def cookie_sent(headers: Headers) -> str | None:
    """Return the session cookie of a request, or None."""
    for name, value in headers:
        if name == b"cookie":
            try:
                jar = SimpleCookie(value.decode("latin-1"))
            except CookieError:
                continue
            for cookie in (SESSION_COOKIE, PLAIN_SESSION_COOKIE):
                if cookie in jar:
                    return jar[cookie].value
    return None


def is_anonymous(headers: Headers) -> bool:
    """Tell whether a request carries nothing that could make its answer somebody's own."""
    return not keys_sent(headers) and cookie_sent(headers) is None


class Authentication:
    """ASGI middleware that turns a key or a session into a Caller.

    A key that was sent and does not live is refused here, wherever the operation is public:
    Connexion would fall back to the anonymous answer (docs/decisions, errors).
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the caller, or refuse the key."""
        if scope["type"] == "http":
            scope[CALLER] = await _caller(scope, context())
        await self.app(scope, receive, send)


async def _caller(scope: Scope, services: Context) -> Caller | None:
    keys = keys_sent(scope["headers"])
    if keys:
        if len(keys) > 1 or public_id_of(key := keys.pop()) is None:
            raise Unauthorized
        return await asyncio.to_thread(_caller_of_key, services, key)
    cookie = cookie_sent(scope["headers"]) if _is_own(scope, services) else None
    return await asyncio.to_thread(_caller_of_cookie, services, cookie) if cookie else None


def _is_own(scope: Scope, services: Context) -> bool:
    """Tell whether a cookie counts: browsers send it along with other sites' requests too."""
    headers = RequestHeaders(scope=scope)
    return is_own_request(
        scope["method"],
        fetch_site=headers.get("sec-fetch-site"),
        origin=headers.get("origin"),
        hosts={headers.get("host", "").lower(), host_of(services.site_url)},
    )


def _caller_of_key(services: Context, text: str) -> Caller:
    now = services.now()
    with services.db.read() as session:
        key = find_live_key(session, text, now=now)
        if key is None:
            raise Unauthorized
        caller = _as_caller(key.account, frozenset(scopes_of(key)), key)
        stale = key.last_used_at is None or now - key.last_used_at >= LAST_USED_PRECISION
        key_id = key.id
    if stale:
        with services.db.write() as session:
            note_use(session, key_id, now=now)
    return caller


def _caller_of_cookie(services: Context, cookie: str) -> Caller | None:
    with services.db.read() as session:
        found = find_session(session, cookie, now=services.now())
        return None if found is None else _as_caller(found.account, frozenset(KeyScope), None)


def _as_caller(account: Account, scopes: frozenset[str], key: ApiKey | None) -> Caller:
    return Caller(
        account_id=account.id,
        plan=account.plan,
        diffs_addon=account.diffs_addon,
        scopes=scopes,
        key_id=None if key is None else key.id,
    )


class CallerSecurity(AbstractSecurityHandler):  # type: ignore[misc] # Connexion has no types
    """Connexion's question whether a scheme of the contract is satisfied: is there a Caller?"""

    def get_fn(
        self, security_scheme: dict[str, Any], required_scopes: list[str]
    ) -> Callable[[ConnexionRequest], Awaitable[Any]]:
        """Return the check of one scheme; the authentication above has read all of them."""

        async def check(request: ConnexionRequest) -> Any:
            caller = request.scope[CALLER]
            return NO_VALUE if caller is None else {"caller": caller}

        return check


SECURITY_MAP = {"bearer": CallerSecurity, "apiKey": CallerSecurity}
TokenInfo: TypeAlias = dict[str, Caller]


def caller_of(token_info: TokenInfo) -> Caller | None:
    """Return the caller that Connexion hands to an operation; None for an anonymous one."""
    return token_info.get("caller")
