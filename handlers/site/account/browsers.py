"""The browser that sends a request: its cookies at sign-in, its name, and the log of an account.

No cookie grants access. One marks the browser that asked for a link, the only one that the link
signs in. The other says which addresses were proved with this browser, so that it may ask for links
that others used up.
"""

import re
from typing import Final

from flask import after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy.orm import Session

from handlers.site.services import client_address, current_time
from handlers.site.session import host_cookie, signed_in_user, write_cookie
from storage.models.people import AccountEventKind, Actor
from storage.people.account_events import Doer, note_event
from storage.people.credentials import digest_of, new_token
from storage.people.sign_in import LINK_LIFETIME

ASKING: Final = "asking"
KNOWN: Final = "known"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")
KNOWN_FOR_SECONDS: Final = 365 * 24 * 3600
MOST_KNOWN: Final = 5
"""Addresses that one browser is remembered for, the last first."""
_BROWSERS: Final = (
    ("Edge", r"Edg(?:A|iOS)?/"),
    ("Opera", r"OPR/|Opera"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Vivaldi", r"Vivaldi/"),
    ("Firefox", r"Firefox/|FxiOS/"),
    ("Chrome", r"Chrome/|CriOS/|Chromium/"),
    ("Safari", r"Safari/"),
    ("curl", r"^curl/"),
)
"""What names a browser; those that also carry the name of another come first."""
_SYSTEMS: Final = (
    ("Android", r"Android"),
    ("iPhone", r"iPhone"),
    ("iPad", r"iPad"),
    ("Windows", r"Windows"),
    ("macOS", r"Mac OS X|Macintosh"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux|X11"),
)
UNKNOWN: Final = "Unknown browser"


def sign_in_browser() -> str | None:
    """Return the token of this browser, if it has asked for a link lately."""
    token = request.cookies.get(host_cookie(ASKING), "")
    return token if _TOKEN.fullmatch(token) else None


def mark_browser() -> str:
    """Return the token of this browser, which the response lets it keep as long as a link lives."""
    token: str = sign_in_browser() or new_token()
    _send(ASKING, token, LINK_LIFETIME.total_seconds())
    return token


def is_known(address: str) -> bool:
    """Return whether somebody has signed in with this browser and this address."""
    return digest_of(address.casefold()) in _known()


def note_sign_in(address: str) -> None:
    """Let the response remember the address, and take the token of the link back."""
    digest = digest_of(address.casefold())
    known = [digest, *(other for other in _known() if other != digest)][:MOST_KNOWN]
    _send(KNOWN, _signer().dumps(known), KNOWN_FOR_SECONDS)
    _send(ASKING, None, 0)


def _known() -> list[str]:
    cookie = request.cookies.get(host_cookie(KNOWN), "")
    try:
        digests = _signer().loads(cookie, max_age=KNOWN_FOR_SECONDS)
    except BadSignature:
        return []
    return [digest for digest in digests if isinstance(digest, str)]


def _signer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(current_app.config["WTF_CSRF_SECRET_KEY"], salt="known browser")


def _send(cookie: str, value: str | None, seconds: float) -> None:
    name = host_cookie(cookie)
    after_this_request(lambda response: write_cookie(response, name, value, max_age=int(seconds)))


def browser_name(user_agent: str) -> str:
    """Return a browser and its system in words, as far as its User-Agent says."""
    browser = _first(_BROWSERS, user_agent) or UNKNOWN
    system = _first(_SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def _first(names: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((name for name, pattern in names if re.search(pattern, text)), None)


def this_browser() -> Doer:
    """Return the sender of this request: the account's owner, with the browser and the address."""
    client, browser = client_address(), browser_name(request.user_agent.string)
    return Doer(Actor.OWNER, browser, "" if client is None else str(client))


def log_event(session: Session, kind: AccountEventKind, subject: str = "") -> None:
    """Record what the signed-in user does, in the transaction in which it is done."""
    account_id, now = signed_in_user().account_id, current_time()
    note_event(session, account_id, kind, subject, by=this_browser(), now=now)
