"""Authentication: the account of an API key, in one of two headers, or of a session cookie.

Cookies are read by the alphabet of the ones that this site sets. No parser of a library sees the
header as it was sent: ``http.cookies`` unquotes a value in time that is quadratic in its length on
Python before 3.11.10 and 3.12.6 (CVE-2024-7592).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final, TypeAlias

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from starlette.datastructures import Headers as RequestHeaders
from starlette.types import Scope

from handlers.context import Context
from handlers.http.limiter import note_account, note_wrong_credential
from handlers.http.origin import host_of, is_https, is_own_request
from handlers.http.refusals import OutageLog, unauthorized
from openapi.vocabulary import Plan
from openapi.vocabulary import Scope as KeyScope
from storage.people.follows import account_follows, key_sources, removed_slugs
from storage.people.keys import LAST_USED_PRECISION, find_live_key, record_use
from storage.people.plans import PLANS
from storage.people.sessions import find_session

Headers: TypeAlias = Iterable[tuple[bytes, bytes]]
_COOKIE: Final = re.compile(rb"([\w-]+)=([\w.-]*)")
NOT_NOTED = OutageLog("use of a key not noted")
KEY_HEADERS = frozenset({b"x-api-key", b"authorization"})
SESSION_COOKIE = "__Host-session"
PLAIN_SESSION_COOKIE = "session"  # browsers refuse the __Host- prefix over plain http
SESSION_COOKIES = (SESSION_COOKIE, PLAIN_SESSION_COOKIE)
PRIVATE_FEEDS: Final = "/private/"


@dataclass(frozen=True, slots=True)
class Reader:
    """An account holder and the permissions of the plan."""

    account_id: int
    plan: Plan
    diffs_addon: bool

    @property
    def reads_everything(self) -> bool:
        """Return True if the plan includes every source of the catalog."""
        return PLANS[self.plan].slots is None

    @property
    def has_diffs(self) -> bool:
        """Return True if the account may read diffs: the add-on needs a plan that it goes with."""
        return self.diffs_addon and PLANS[self.plan].diffs_addon


@dataclass(frozen=True, slots=True)
class Caller(Reader):
    """Somebody whose key or session is valid. ``key_id`` is None for a session.

    ``key_used_at``: when a use of the key was last noted. ``narrowed``: whether the key reads its
    own sources only.
    """

    scopes: frozenset[str]
    key_id: int | None
    key_used_at: datetime | None = None
    narrowed: bool = False

    @property
    def reads_everything(self) -> bool:
        """Return True if the caller may read every source of the catalog."""
        return PLANS[self.plan].slots is None and not self.narrowed

    def sources(self, session: Session) -> tuple[set[str], int]:
        """Return the sources that it may read, and how many the account follows.

        A plan with slots must have at least as many of them, or it may read none.
        """
        follows = account_follows(session, self.account_id)
        if not self.narrowed or self.key_id is None:
            return follows, len(follows)
        own = key_sources(session, self.key_id)
        return own if PLANS[self.plan].slots is None else own & follows, len(follows)

    def removed(self, session: Session) -> set[str]:
        """Return those of its sources that were removed from the catalog."""
        return removed_slugs(
            session, self.account_id, key_id=self.key_id if self.narrowed else None
        )


def cookies_sent(headers: Headers) -> dict[str, str]:
    """Return the well-formed cookies of a request; the first of each name counts."""
    cookies: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            for pair in value.split(b";"):
                if cookie := _COOKIE.fullmatch(pair.strip()):
                    cookies.setdefault(cookie[1].decode(), cookie[2].decode())
    return cookies


def with_plain_cookies(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request with one Cookie header, of its well-formed cookies alone."""
    if b"cookie" not in dict(headers):
        return headers
    others = [header for header in headers if header[0] != b"cookie"]
    cookies = "; ".join(f"{name}={text}" for name, text in cookies_sent(headers).items())
    return [*others, (b"cookie", cookies.encode())] if cookies else others


def keys_sent(headers: Headers) -> set[str]:
    """Return the different keys that a request carries, whichever header they came in.

    An Authorization header of another kind is a wrong key too: nobody sends one by chance.
    """
    keys = set()
    for name, value in headers:
        text = value.decode("latin-1").strip()
        if name == b"x-api-key":
            keys.add(text)
        elif name == b"authorization":
            scheme, _, credential = text.partition(" ")
            keys.add(credential.strip() if scheme.lower() == "bearer" else "")
    return keys


def session_cookie(site_url: str) -> str:
    """Return the name of a site's session cookie: __Host- where browsers allow it, over https."""
    return SESSION_COOKIE if is_https(site_url) else PLAIN_SESSION_COOKIE


def is_anonymous(headers: Headers) -> bool:
    """Return whether a request carries no credentials, so that its response is the same for all."""
    if not KEY_HEADERS.isdisjoint(dict(headers)):
        return False
    return cookies_sent(headers).keys().isdisjoint(SESSION_COOKIES)


def credential_of(scope: Scope) -> str | None:
    """Return an identifier of a request's key, session or private address; it is not a secret."""
    headers = scope["headers"]
    secret = next(iter(keys_sent(headers)), None)
    if secret is None and b"cookie" in dict(headers):
        cookies = cookies_sent(headers)
        secret = next((cookies[name] for name in SESSION_COOKIES if cookies.get(name)), None)
    if secret is None and scope["path"].startswith(PRIVATE_FEEDS):
        secret = scope["path"].removeprefix(PRIVATE_FEEDS).partition("/")[0]
    return blake2b(secret.encode(), digest_size=12).hexdigest() if secret else None


def caller_of_key(services: Context, text: str) -> Caller:
    """Return whose key this is. Raises a Refusal for an invalid one."""
    with services.db.read() as session:
        key = find_live_key(session, text, now=services.now())
    if key is None:
        note_wrong_credential()
        raise unauthorized()
    note_account(key.account_id)
    return Caller(
        account_id=key.account_id,
        plan=key.plan,
        diffs_addon=key.diffs_addon,
        scopes=frozenset(key.scopes),
        key_id=key.id,
        key_used_at=key.last_used_at,
        narrowed=key.narrowed,
    )


def note_use(services: Context, caller: Caller) -> None:
    """Remember that the key of a caller was used.

    A database that can be read and not written, as on a full disk, costs the caller no answer.
    """
    now, before = services.now(), caller.key_used_at
    is_noted = before is not None and now - before < LAST_USED_PRECISION
    if caller.key_id is None or is_noted:
        return
    try:
        with services.db.write() as session:
            record_use(session, caller.key_id, now=now)
    except DBAPIError as error:
        NOT_NOTED.note(error)


def caller_of_session(services: Context, scope: Scope) -> Caller | None:
    """Return whose session the cookie of a request names, if any."""
    cookie = cookies_sent(scope["headers"]).get(session_cookie(services.site_url))
    if cookie is None or not _is_own(scope, services):
        return None
    with services.db.read() as session:
        signed_in = find_session(session, cookie, now=services.now())
        if signed_in is None:
            note_wrong_credential()
            return None
        account = signed_in.account
        note_account(account.id)
        return Caller(account.id, account.plan, account.diffs_addon, frozenset(KeyScope), None)


def _is_own(scope: Scope, services: Context) -> bool:
    """Return whether a cookie counts: browsers send it along with other sites' requests too."""
    headers = RequestHeaders(scope=scope)
    return is_own_request(
        scope["method"],
        fetch_site=headers.get("sec-fetch-site"),
        origin=headers.get("origin"),
        hosts={headers.get("host", "").lower(), host_of(services.site_url)},
    )
