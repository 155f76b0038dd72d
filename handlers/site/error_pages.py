"""Error responses of the site: a page for people, the Error object for programs under /api."""

from collections.abc import Callable
from typing import Final, TypeVar

from flask import Flask, Response, abort, g, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response as PlainResponse
from werkzeug.exceptions import HTTPException

from handlers.http.errors import error_body, error_response, refusal_of, request_id
from handlers.http.refusals import RateLimited, Refusal, not_found
from handlers.site.protection import HEADERS
from handlers.site.session import current_user
from handlers.site.words import in_time

WORDS: Final = {
    400: ("Bad request", "This request could not be processed."),
    403: ("Form expired", "This form was not sent from a page of this site."),
    404: ("Page not found", "There is no page at this address."),
    405: ("Method not allowed", "This address does not accept this kind of request."),
    413: ("Too large", "The request is too large."),
    429: ("Too many requests", "Please wait a moment and try again."),
    500: ("Something went wrong", "This is our fault. The error was logged."),
    503: ("Temporarily unavailable", "Please try again in a moment."),
}
GUARDED: Final = (413, 429, 503)
"""What the guard refuses."""
SERVER_ERROR: Final = 500
MARK: Final = "[when]"
FoundT = TypeVar("FoundT")


def register_error_pages(site: Flask) -> None:
    """Register the error handlers of an application."""
    site.register_error_handler(CSRFError, _form_too_old)
    site.register_error_handler(HTTPException, _refused)
    site.register_error_handler(Exception, _failed)


def refusal_page(
    status: int, *, title: str, text: str, way_on: tuple[str, str] | None = None
) -> Response:
    """Return an error page, which names the user if one is known to be signed in.

    ``way_on``: the address and the words of what to do instead.
    """
    page = render_template(
        "refusal.html",
        status=status,
        title=title,
        text=text,
        way_on=way_on,
        request_id=request_id() if status >= SERVER_ERROR else None,
        look_up_user=_user_is_known(status),
    )
    return Response(page, status=status, mimetype="text/html")


def or_404(found: FoundT | None) -> FoundT:
    """Return what was found; answer with the 404 page if that is nothing."""
    if found is None:
        abort(404)
    return found


def _user_is_known(status: int) -> bool:
    """Return whether the user is known; after a server error do not query the database for it."""
    if "user" in g:
        return True
    try:
        if status < SERVER_ERROR:
            current_user()
    except SQLAlchemyError:
        return False
    return "user" in g


def guard_pages(site: Flask) -> Callable[[Refusal], PlainResponse]:
    """Return a function that gives the page of what the guard refuses; each is rendered once."""
    pages: dict[int, tuple[str, str]] = {}
    for status in GUARDED:
        with site.test_request_context("/auth/login"):
            g.user = None
            title, text = WORDS[status]
            page = refusal_page(status, title=title, text=f"{text} {MARK}")
            before, _, after = page.get_data(as_text=True).partition(MARK)
            pages[status] = (before, after)

    def page_of(refusal: Refusal) -> PlainResponse:
        status = int(refusal.status)
        if status not in pages:
            return error_response(refusal)
        before, after = pages[status]
        return PlainResponse(
            f"{before}{refusal.hint or ''}{after}",
            status,
            {"Cache-Control": "no-store", **HEADERS, **refusal.headers},
            "text/html",
        )

    return page_of


def _refused(error: HTTPException) -> Response:
    plain = error.get_response()
    if error.code is None or error.code < 400:  # a redirect of the router
        return Response(plain.get_data(), status=plain.status, headers=plain.headers)
    if request.path == "/api" or request.path.startswith("/api/"):
        missing = not_found()
        return Response(error_body(missing), status=missing.status, mimetype="application/json")
    title, text = WORDS.get(error.code, WORDS[400])
    page = refusal_page(error.code, title=title, text=text)
    if "Allow" in plain.headers:
        page.headers["Allow"] = plain.headers["Allow"]
    return page


def _form_too_old(_error: CSRFError) -> Response:
    text = "Go back, reload the page and send the form again. Cookies must be enabled."
    return refusal_page(400, title="This form has expired", text=text)


def _failed(error: Exception) -> Response:
    refusal = refusal_of(error)
    title, text = WORDS.get(refusal.status, WORDS[500])
    if isinstance(refusal, RateLimited):
        text = f"Please try again {in_time(refusal.retry_after)}."
    page = refusal_page(int(refusal.status), title=title, text=text)
    page.headers.update(refusal.headers)
    return page
