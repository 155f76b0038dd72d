"""The browser that sends a request, in words, and the log of an account."""

import re
from typing import Final

from flask import request
from sqlalchemy.orm import Session

from handlers.site.services import client_address, current_time
from handlers.site.session import signed_in_user
from storage.models.people import AccountEventKind, Actor
from storage.people.account_events import Doer, note_event

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
