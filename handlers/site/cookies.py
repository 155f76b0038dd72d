"""Cookies of the site: over https bound to the host, and never seen by scripts."""

from datetime import timedelta

from flask import Response

from handlers.http.origin import is_https
from handlers.site.services import site_services


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
