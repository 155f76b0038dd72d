"""Who is calling: keys in two headers, sessions in a cookie (specification 5)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from starlette.datastructures import Headers as RequestHeaders
from starlette.requests import cookie_parser
from starlette.types import Scope

from handlers.context import Context
from handlers.http.origin import host_of, is_https, is_own_request
from handlers.http.refusals import Unauthorized
from openapi.vocabulary import Plan
from openapi.vocabulary import Scope as KeyScope
from storage.people.keys import (
    LAST_USED_PRECISION,
    account_choices,
    account_selection,
    find_live_key,
    note_use,
    selected_slugs,
)
from storage.people.sessions import find_session

log = structlog.get_logger(__name__)

KEY_HEADERS = frozenset({b"x-api-key", b"authorization"})
SESSION_COOKIE = "__Host-session"
PLAIN_SESSION_COOKIE = "session"  # browsers refuse the __Host- prefix over plain http
SESSION_COOKIES = frozenset({SESSION_COOKIE, PLAIN_SESSION_COOKIE})
Headers: TypeAlias = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody whose key or session lives. ``key_id`` is None for a session.

    ``worth_noting``: the key's last use was noted too long ago.
    """

    account_id: int
    plan: Plan
    diffs_addon: bool
    scopes: frozenset[str]
    key_id: int | None
    worth_noting: bool = False

    def selection(self, session: Session, *, now: datetime) -> set[str]:
        """Return the slugs selected for the key, or for all keys of a session's account."""
        if self.key_id is None:
            return account_selection(session, self.account_id, now=now)
        return selected_slugs(session, self.key_id)

    def choices(self, session: Session, *, now: datetime) -> tuple[set[str], int]:
        """Return its selection, and how many sources the whole account has selected."""
        chosen = account_choices(session, self.account_id, now=now)
        every = {slug for slug, _ in chosen}
        if self.key_id is None:
            return every, len(every)
        return {slug for slug, key_id in chosen if key_id == self.key_id}, len(every)


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


def session_cookie(site_url: str) -> str:
    """Return the name of a site's session cookie: __Host- where browsers allow it, over https."""
    return SESSION_COOKIE if is_https(site_url) else PLAIN_SESSION_COOKIE


def cookies_sent(headers: Headers) -> dict[str, str]:
    """Return the cookies of a request; one that is not well formed costs no other."""
    found: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            found |= cookie_parser(value.decode("latin-1"))
    return found


def is_anonymous(headers: Headers) -> bool:
    """Tell whether a request carries nothing that could make its answer somebody's own."""
    return KEY_HEADERS.isdisjoint([name for name, _ in headers]) and SESSION_COOKIES.isdisjoint(
        cookies_sent(headers)
    )


def authenticate(scope: Scope, services: Context) -> Caller | None:
    """Return who is calling, by key or session; None for an anonymous caller.

    Raises Unauthorized for a key that was sent and does not live, wherever the operation is
    public: it must not pass for an anonymous call (docs/decisions/0005).
    """
    keys = keys_sent(scope["headers"])
    if keys:
        if len(keys) > 1:
            raise Unauthorized
        return _caller_of_key(services, keys.pop())
    cookie = cookies_sent(scope["headers"]).get(session_cookie(services.site_url))
    if cookie is None or not _is_own(scope, services):
        return None
    return _caller_of_cookie(services, cookie)


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
    unused = key.last_used_at is None or now - key.last_used_at >= LAST_USED_PRECISION
    return Caller(
        account_id=key.account_id,
        plan=key.plan,
        diffs_addon=key.diffs_addon,
        scopes=frozenset(key.scopes),
        key_id=key.id,
        worth_noting=unused,
    )


def _caller_of_cookie(services: Context, cookie: str) -> Caller | None:
    with services.db.read() as session:
        found = find_session(session, cookie, now=services.now())
        if found is None:
            return None
        account = found.account
        return Caller(account.id, account.plan, account.diffs_addon, frozenset(KeyScope), None)


def note_caller(caller: Caller | None, services: Context) -> None:
    """Remember that a key was used, at most once a minute.

    A database that can be read and not written, as on a full disk, costs the caller no answer.
    """
    if caller is not None and caller.key_id is not None and caller.worth_noting:
        try:
            with services.db.write() as session:
                note_use(session, caller.key_id, now=services.now())
        except DBAPIError as error:
            log.warning("use of a key not noted", reason=str(error.orig))


TokenInfo: TypeAlias = dict[str, Caller]


def caller_of(token_info: TokenInfo) -> Caller | None:
    """Return the caller that an operation is told of; None for an anonymous one."""
    return token_info.get("caller")
