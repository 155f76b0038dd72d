"""Cookies that recognise a browser at sign-in; none of them grants access.

One marks the browser that asked for a link, the only one that the link signs in. The other says
which addresses were proved with this browser, so that it may ask for links that others used up.
"""

import re
from typing import Final

from flask import after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from handlers.site.session import host_cookie, write_cookie
from storage.people.credentials import digest_of, new_token
from storage.people.sign_in import LINK_LIFETIME

ASKING: Final = "asking"
KNOWN: Final = "known"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")
KNOWN_FOR_SECONDS: Final = 365 * 24 * 3600
MOST_KNOWN: Final = 5
"""Addresses that one browser is remembered for, the last first."""


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
    keys = current_app.config["WTF_CSRF_SECRET_KEY"]
    return URLSafeTimedSerializer(keys, salt="known browser")


def _send(cookie: str, value: str | None, seconds: float) -> None:
    name = host_cookie(cookie)
    after_this_request(lambda response: write_cookie(response, name, value, max_age=int(seconds)))
