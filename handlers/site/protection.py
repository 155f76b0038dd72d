"""Headers of pages, for security and caches, and forms accepted from our own pages only."""

import hashlib
from pathlib import Path
from typing import Final

from flask import Flask, Response, abort, request, url_for
from flask_wtf.csrf import CSRFProtect

from handlers.http.caching import etag_of
from handlers.http.origin import host_of, is_https, is_own_request
from handlers.site.services import site_services

POLICY: Final = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "img-src": "'self' data:",
    "script-src": "'self'",
    "style-src": "'self'",
}
HEADERS: Final = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send Origin: null with forms
    "X-Content-Type-Options": "nosniff",
}
FOREIGN_READERS: Final = ("/rss/", "/feeds/", "/deadlines.ics", "/status.json", "/.well-known/")
YEAR: Final = 365 * 24 * 3600
PUBLIC, PRIVATE, FOR_EVER = "public, max-age=60", "private, no-store", f"public, max-age={YEAR}"
_STATIC: Final = Path(__file__).with_name("static")
_VERSIONS: Final = {
    file.relative_to(_STATIC).as_posix(): hashlib.blake2b(
        file.read_bytes(), digest_size=6
    ).hexdigest()
    for file in _STATIC.rglob("*")
    if file.is_file()
}
"""The version of each shipped file. A name from a request is only ever looked up here."""


def protect(site: Flask, *, https: bool) -> None:
    """Make an application refuse forms of other sites, by their origin and by CSRF token."""
    site.config.update(
        SESSION_COOKIE_NAME="__Host-forms" if https else "forms",  # CSRF tokens and notices
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,  # as long as the cookie that it belongs to
        WTF_CSRF_SSL_STRICT=False,  # the origin is checked below, by better headers than Referer
    )
    site.before_request(refuse_unknown_asset)
    site.before_request(refuse_foreign_forms)
    CSRFProtect(site)


def refuse_foreign_forms() -> None:
    """Refuse a request that changes something and was sent by another site's page."""
    hosts = {request.host.lower(), host_of(site_services().site_url)}
    fetch_site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if not is_own_request(request.method, fetch_site=fetch_site, origin=origin, hosts=hosts):
        abort(403)


def add_response_headers(response: Response) -> Response:
    """Set the caching and security headers of a response, and answer If-None-Match."""
    if request.endpoint == "static" or "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = cache_policy(response)
    if response.mimetype == "text/html":
        response.vary.add("Cookie")
    storable = "no-store" not in response.headers["Cache-Control"]
    if request.method in ("GET", "HEAD") and response.status_code == 200 and storable:
        if "ETag" not in response.headers:
            response.headers["ETag"] = etag_of(response.get_data())
        response.make_conditional(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if is_https(site_services().site_url):
        response.headers.setdefault("Strict-Transport-Security", f"max-age={YEAR}")
    if "/openapi." in request.path or request.path.startswith(FOREIGN_READERS):
        response.headers["Access-Control-Allow-Origin"] = "*"
    else:
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def cache_policy(response: Response) -> str:
    """Return the Cache-Control of a response: personal pages and errors are not cached."""
    if request.endpoint == "static" and response.status_code in (200, 304):
        return f"{FOR_EVER}, immutable" if is_current_asset() else PUBLIC
    personal = request.path.startswith(("/app", "/auth")) or bool(request.cookies)
    return PRIVATE if personal or response.status_code >= 400 else PUBLIC


def asset(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    return url_for("static", filename=name, v=_VERSIONS[name])


def refuse_unknown_asset() -> None:
    """Answer 404 for a static file that is not shipped, whatever the method."""
    if request.endpoint == "static" and _requested_asset() not in _VERSIONS:
        abort(404)


def is_current_asset() -> bool:
    """Return whether the address of this request names what the static file has in it now.

    During an upgrade a page of one version may ask a process of another.
    """
    return request.args.get("v") == _VERSIONS[_requested_asset()]


def _requested_asset() -> str:
    name: str = (request.view_args or {})["filename"]
    return name
