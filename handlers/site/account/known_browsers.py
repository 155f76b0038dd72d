"""Browsers that have signed in before: a cookie lets them ask for links that others used up.

It says that somebody proved an address with this browser, and opens nothing: who has it may have a
mail sent to that address.
"""

from typing import Final

from flask import after_this_request, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from handlers.site.cookies import host_cookie, write_cookie
from storage.people.credentials import digest_of

_COOKIE: Final = "known"
LIFETIME: Final = 365 * 24 * 3600
MOST: Final = 5
"""Addresses that one browser is remembered for, the last first."""


def is_known(address: str) -> bool:
    """Whether somebody has signed in with this browser and this address."""
    return digest_of(address.casefold()) in _known()


def remember(address: str) -> None:
    """Let the response say that this browser has signed in with this address."""
    digest = digest_of(address.casefold())
    known = [digest, *(other for other in _known() if other != digest)][:MOST]
    name, value = host_cookie(_COOKIE), _signer().dumps(known)
    after_this_request(lambda response: write_cookie(response, name, value, max_age=LIFETIME))


def _known() -> list[str]:
    try:
        digests = _signer().loads(request.cookies.get(host_cookie(_COOKIE), ""), max_age=LIFETIME)
    except BadSignature:
        return []
    return [digest for digest in digests if isinstance(digest, str)]


def _signer() -> URLSafeTimedSerializer:
    keys = current_app.config["WTF_CSRF_SECRET_KEY"]
    return URLSafeTimedSerializer(keys, salt="known browser")
