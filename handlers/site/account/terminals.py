"""Keys for terminals: a terminal requests one, its owner allows it on a page, it fetches it once.

Two ways lead back: the browser takes a one-time code to a port of the
machine that it runs on, or a terminal without a browser asks until somebody has typed its code.
"""

import re
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.auth import keys_sent
from handlers.http.client_ip import bucket_of
from handlers.http.errors import error_body
from handlers.http.rate_limits import count_request
from handlers.http.refusals import (
    InvalidRequest,
    NoTerminal,
    PlanLimitExceeded,
    Refusal,
    Unauthorized,
)
from handlers.site.account.account_log import this_browser
from handlers.site.account.recent_sign_in import is_recent, require_recent_sign_in
from handlers.site.error_pages import refusal_page
from handlers.site.services import client_address, site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.models import ApiKey
from storage.models.people import AccountEventKind
from storage.people.account_events import BY_KEY, Doer, note_event
from storage.people.keys import TooManyKeys, find_key, find_live_key, revoke_key
from storage.people.names import WrongName, name_for
from storage.people.terminals import (
    LETTERS,
    LIFETIME,
    SCOPES,
    LoopbackPort,
    add_request,
    allow,
    find_request,
    is_waiting,
    refuse,
    take_key,
)
from storage.people.throttle import Limit

terminals = Blueprint("terminals", __name__, url_prefix="/app/connect")
terminals.before_request(require_sign_in)
terminals_api = Blueprint("terminals_api", __name__, url_prefix="/auth/terminal")

PER_CLIENT: Final = (Limit(10, timedelta(minutes=1)), Limit(100, timedelta(days=1)))
"""Requests for a key from one address."""
POLLS: Final = (Limit(120, timedelta(minutes=1)),)
"""Questions from one address whether it was allowed."""
TYPED: Final = (Limit(30, timedelta(minutes=10)),)
"""Codes that one account looks up."""
SECONDS_BETWEEN_POLLS: Final = 3
NOT_THERE: Final = "No terminal waits with this code. It lasts ten minutes; begin again there."
_CHALLENGE: Final = re.compile(r"[0-9a-f]{64}")
_STATE: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{32,128}")


@terminals_api.errorhandler(Refusal)
def refused(refusal: Refusal) -> Response:
    """Answer with the Error object of the API."""
    return Response(
        error_body(refusal),
        status=int(refusal.status),
        headers=refusal.headers,
        mimetype="application/json",
    )


@terminals_api.post("")
def begin() -> tuple[Response, int]:
    """Let a terminal ask for a key."""
    services = site_services()
    count_request(services, f"terminal_client/{bucket_of(client_address())}", PER_CLIENT)
    form = _body()
    challenge = _member(form, "challenge", _CHALLENGE)
    place = _place(form)
    try:
        name = name_for("terminal", str(form.get("name", "")))
    except WrongName as error:
        raise InvalidRequest(str(error)) from error
    with services.db.write() as session:
        code = add_request(session, challenge, name=name, place=place, now=services.now())
    if code is None:
        raise InvalidRequest("The request body is invalid. This challenge was sent before.")
    shown = shown_code(code)
    page = f"{services.site_url}{url_for('terminals.ask')}"
    answer = {
        "code": shown,
        "page": page,
        "address": f"{page}?code={shown}",
        "seconds": int(LIFETIME.total_seconds()),
        "interval": SECONDS_BETWEEN_POLLS,
    }
    return jsonify(answer), 201


@terminals_api.post("/key")
def fetch() -> tuple[Response, int]:
    """Give a terminal its key, once; 202 as long as nobody has answered."""
    services = site_services()
    count_request(services, f"terminal_polls/{bucket_of(client_address())}", POLLS)
    form = _body()
    secret, now = _member(form, "secret", _SECRET), services.now()
    with services.db.read() as session:
        waits = is_waiting(session, secret, now=now)
    if waits:
        return jsonify({"waiting": True}), 202
    try:
        with services.db.write() as session:
            taken = take_key(session, secret, str(form.get("once", "")), now=now)
            if taken is not None:
                _note(session, AccountEventKind.KEY_MADE, taken[0], by=this_browser())
    except TooManyKeys as error:
        raise PlanLimitExceeded(str(error), hint="Revoke one at /app/api-keys.") from error
    if taken is None:
        raise NoTerminal
    return jsonify({"key": taken[1]}), 200


@terminals_api.post("/end")
def end() -> tuple[Response, int]:
    """Revoke the key that is sent."""
    services, keys = site_services(), keys_sent(request_headers())
    now = services.now()
    with services.db.write() as session:
        live = find_live_key(session, keys.pop(), now=now) if len(keys) == 1 else None
        key = None if live is None else find_key(session, live.public_id)
        if key is None:
            raise Unauthorized
        revoke_key(key, now=now)
        _note(session, AccountEventKind.KEY_REVOKED, key, by=BY_KEY)
    return jsonify({"revoked": True}), 200


@terminals.get("")
def ask() -> AnyResponse | str | tuple[str, int]:
    """Ask for the code, or whether the terminal with a code may have a key."""
    typed = request.args.get("code")
    if typed is None:
        return render_template("connect_code.html", fault=None)
    if not is_recent():
        return redirect(url_for("sign_in.again", next=_page_of(typed)), code=303)
    services = site_services()
    count_request(services, f"terminal_codes/{signed_in_user().account_id}", TYPED)
    with services.db.read() as session:
        waiting = find_request(session, plain_code(typed), now=services.now())
    if waiting is None:
        return render_template("connect_code.html", fault=NOT_THERE), 404
    return render_template(
        "connect.html",
        code=shown_code(waiting.code),
        name=waiting.name,
        scopes=SCOPES,
    )


@terminals.post("")
def answer() -> AnyResponse | str:
    """Allow or refuse, and lead the browser back to the terminal's machine."""
    services, code = site_services(), plain_code(request.form.get("code", ""))
    require_recent_sign_in(_page_of(code))
    now, once, place = services.now(), None, None
    with services.db.write() as session:
        waiting = find_request(session, code, now=now)
        if waiting is not None and request.form.get("answer") == "allow":
            once = allow(session, code, account_id=signed_in_user().account_id, now=now)
        elif waiting is not None:
            refuse(session, code, now=now)
        if waiting is not None and waiting.port is not None and waiting.state is not None:
            place = LoopbackPort(waiting.port, waiting.state)
    if waiting is None:
        return refusal_page(410, title="This is over", text=NOT_THERE)
    if place is not None:
        return _lead_back(place, once)
    return redirect(url_for("terminals.done", allowed=int(once is not None)), code=303)


@terminals.get("/done")
def done() -> str:
    """Confirm that the terminal has been allowed or refused."""
    return render_template("connected.html", allowed=request.args.get("allowed") == "1")


def _page_of(code: str) -> str:
    return url_for("terminals.ask", code=shown_code(plain_code(code)))


def _note(session: Session, kind: AccountEventKind, key: ApiKey, *, by: Doer) -> None:
    subject, now = f"{key.name} (cw_{key.public_id}_…)", site_services().now()
    note_event(session, key.account_id, kind, subject, by=by, now=now)


def _lead_back(place: LoopbackPort, once: str | None) -> Response:
    """Return a page that leads on: no form of this site may lead to another (form-action)."""
    answer = {"state": place.state} | ({"refused": "1"} if once is None else {"once": once})
    address = f"http://127.0.0.1:{place.port}/?{urlencode(answer)}"
    page = Response(render_template("connect_back.html", address=address), mimetype="text/html")
    page.headers["Refresh"] = f"0;url={address}"
    page.headers["Referrer-Policy"] = "no-referrer"
    return page


def shown_code(code: str) -> str:
    """Return a code as people read it: BCDF-GHJK."""
    return f"{code[:4]}-{code[4:]}"


def plain_code(typed: str) -> str:
    """Return a code as it is stored, from what somebody typed."""
    return "".join(letter for letter in typed.upper() if letter in LETTERS)


def _body() -> dict[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise InvalidRequest("The request body is invalid. It must be a JSON object.")
    return body


def _member(body: dict[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise InvalidRequest(f"The request body is invalid. {name} must match {pattern.pattern}.")
    return value


def _place(body: dict[str, Any]) -> LoopbackPort | None:
    port = body.get("port")
    if port is None:
        return None
    if not isinstance(port, int) or isinstance(port, bool) or not 1024 <= port <= 65535:
        raise InvalidRequest("The request body is invalid. port must be 1024 to 65535.")
    return LoopbackPort(port, _member(body, "state", _STATE))


def request_headers() -> list[tuple[bytes, bytes]]:
    """Return the headers of the request as an ASGI server gives them."""
    return [(name.lower().encode(), text.encode("latin-1")) for name, text in request.headers]
