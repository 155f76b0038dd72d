"""The browser that asks for a sign-in link: a cookie, and the only browser that the link signs in.

Somebody who reads the mail on another device types its code here, or asks again on that device.
"""

import re
from typing import Final

from flask import after_this_request, request

from handlers.site.cookies import host_cookie, write_cookie
from storage.people.credentials import new_token
from storage.people.sign_in import LINK_LIFETIME

_COOKIE: Final = "asking"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def sign_in_browser() -> str | None:
    """Return the token of this browser, if it has asked for a link lately."""
    token = request.cookies.get(host_cookie(_COOKIE), "")
    return token if _TOKEN.fullmatch(token) else None


def mark_browser() -> str:
    """Return the token of this browser, which the response lets it keep as long as a link lives."""
    token: str = sign_in_browser() or new_token()
    _send(token)
    return token


def forget_browser() -> None:
    """Let the response take the token back: somebody has signed in."""
    _send(None)


def _send(token: str | None) -> None:
    name = host_cookie(_COOKIE)
    after_this_request(lambda response: write_cookie(response, name, token, max_age=LINK_LIFETIME))
