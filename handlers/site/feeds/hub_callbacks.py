"""What hubs send: the confirmation of a subscription, and documents (WebSub, sections 5 and 7).

The token is in the query, which no log holds.
"""

import hashlib
import hmac
from datetime import timedelta
from enum import Enum, auto
from typing import Final

from flask import Blueprint, Response, request

from handlers.site.services import site_services
from storage.models import HubSubscription
from storage.scheduling.hub_pushes import add_push
from storage.scheduling.hubs import (
    LONGEST_PAUSE,
    confirm_subscription,
    end_subscription,
    find_subscription,
    is_wanted,
)

hub_callbacks = Blueprint("hub_callbacks", __name__)
PATH: Final = "/websub"
LARGEST_PUSH: Final = 4 * 1024 * 1024
LONGEST_CHALLENGE: Final = 2048
LONGEST_LEASE: Final = 10  # digits
_METHODS: Final = {"sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}
_HEADERS: Final = {"Cache-Control": "no-store"}


class Signature(Enum):
    """What a signature says of a push. WEAK: the hub can sign with SHA-1 only."""

    RIGHT = auto()
    WEAK = auto()
    WRONG = auto()


def judge_signature(field: str, body: bytes, secret: str) -> Signature:
    """Compare an X-Hub-Signature with that of the body, in constant time."""
    method, _, digest = field.partition("=")
    is_weak = method == "sha1"
    function = hashlib.sha1 if is_weak else _METHODS.get(method)
    if function is None:
        return Signature.WRONG
    expected = hmac.new(secret.encode("ascii"), body, function).hexdigest()
    if not hmac.compare_digest(expected.encode("ascii"), digest.encode("utf-8", "replace")):
        return Signature.WRONG
    return Signature.WEAK if is_weak else Signature.RIGHT


@hub_callbacks.get(PATH)
def confirm() -> Response:
    """Confirm a subscription that this service wants, or note that the hub refuses it."""
    services, mode = site_services(), request.args.get("hub.mode", "")
    now = services.now()
    with services.db.write() as session:
        row = find_subscription(session, request.args.get("token", ""))
        if row is None or request.args.get("hub.topic") != row.topic:
            return _text("No such subscription.", 404)
        if mode == "denied":
            note = f"The hub refused: {request.args.get('hub.reason', 'no reason given')}"
            end_subscription(session, row, note, until=now + LONGEST_PAUSE, now=now)
            return _text("Noted.")
        challenge, lease = request.args.get("hub.challenge", ""), _lease()
        if not 0 < len(challenge) <= LONGEST_CHALLENGE or lease is None:
            return _text("A challenge and a lease are needed.", 400)
        is_meant = mode == "subscribe" and is_wanted(row, now=now)
        if not is_meant or not confirm_subscription(row, lease, now=now):
            return _text("This subscription is not wanted.", 404)
    return _text(challenge)


def _lease() -> timedelta | None:
    text = request.args.get("hub.lease_seconds", "")
    is_number = text.isascii() and text.isdecimal() and len(text) <= LONGEST_LEASE
    return timedelta(seconds=int(text)) if is_number else None


@hub_callbacks.post(PATH)
def take_push() -> Response:
    """Keep a document that a hub pushes until a worker parses it.

    One whose signature is wrong is dropped, and the hub is not told (WebSub, section 8).
    """
    services, token = site_services(), request.args.get("token", "")
    now, body = services.now(), request.get_data()
    with services.db.read() as session:
        row = find_subscription(session, token, to_change=False)
        if row is None or not _is_live(row):
            return _text("No such subscription.", 410)
        signature = judge_signature(request.headers.get("X-Hub-Signature", ""), body, row.secret)
    if signature is Signature.WRONG or not body:
        return _text("Taken.", 202)
    with services.db.write() as session:
        row = find_subscription(session, token)
        if row is None or not _is_live(row):
            return _text("No such subscription.", 410)
        if signature is Signature.WEAK:
            note = "The hub signs with SHA-1, which is not enough."
            end_subscription(session, row, note, until=now + LONGEST_PAUSE, now=now)
            return _text("Taken.", 202)
        pause = add_push(session, row, body, request.headers.get("Content-Type"), now=now)
    if pause is not None:
        refused = _text("Too many documents.", 429)
        refused.headers["Retry-After"] = str(int(pause.total_seconds()) + 1)
        return refused
    return _text("Taken.", 202)


def _is_live(row: HubSubscription) -> bool:
    return row.live_until is not None and row.live_until > site_services().now()


def _text(text: str, status: int = 200) -> Response:
    return Response(text, status=status, mimetype="text/plain", headers=_HEADERS)
