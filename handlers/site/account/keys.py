"""The keys page: create, rotate and revoke keys (specification 5.2)."""

from datetime import datetime
from typing import Final

from flask import Blueprint, abort, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.browsers import log_event
from handlers.site.forms import parse_key_form
from handlers.site.samples import samples_of, tabs_of
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import (
    done,
    is_recent,
    require_recent_sign_in,
    require_sign_in,
    signed_in_user,
)
from storage.models import ApiKey
from storage.models.people import AccountEventKind
from storage.people.accounts import Refused, lock_account
from storage.people.follows import key_sources, sources_of_key
from storage.people.keys import (
    LIVE_KEYS_PER_ACCOUNT,
    add_key,
    find_key,
    is_ending,
    is_live,
    list_keys,
    revoke_key,
    rotate_key,
)
from storage.people.plans import PLANS

keys = Blueprint("keys", __name__, url_prefix="/app/api-keys")
keys.before_request(require_sign_in)
SHOWN_ENDED: Final = 10


def state_of(key: ApiKey, *, now: datetime) -> str:
    """Return how a key is: live, ending, revoked or expired."""
    if is_live(key, now=now):
        return "ending" if is_ending(key, now=now) else "live"
    return "revoked" if key.revoked_at is not None else "expired"


@keys.get("")
def overview(fault: str | None = None) -> str:
    """List the account's keys."""
    owner, now = signed_in_user(), current_time()
    with read() as session:
        all_keys = list_keys(session, owner.account_id)
        live = [key for key in all_keys if is_live(key, now=now)]
        return render_template(
            "keys.html",
            live=[(key, state_of(key, now=now), len(key_sources(session, key.id))) for key in live],
            ended=[(key, state_of(key, now=now)) for key in all_keys if key not in live],
            most_ended=SHOWN_ENDED,
            slots=PLANS[owner.plan].slots,
            most_keys=LIVE_KEYS_PER_ACCOUNT,
            fault=fault,
            recent=is_recent(),
            written=request.form,
        )


keys.register_error_handler(Refused, lambda error: (overview(str(error)), 400))


@keys.post("")
def create() -> tuple[str, int]:
    """Create a key and show it, once."""
    require_recent_sign_in(url_for("keys.overview"))
    key_name, scopes, lifetime = parse_key_form(request.form, request.form.getlist("scope"))
    now = current_time()
    with write() as session:
        key, text = add_key(
            session,
            lock_account(session, signed_in_user().account_id),
            name=key_name,
            scopes=scopes,
            now=now,
            expires_at=None if lifetime is None else now + lifetime,
        )
        public_id, slugs = key.public_id, sorted(sources_of_key(session, key))
        note_key(session, AccountEventKind.KEY_MADE, key)
    return shown_once(text, public_id, key_name, slugs=slugs), 201


@keys.post("/<public_id>/rotate")
def rotate(public_id: str) -> tuple[str, int]:
    """Create a successor and show it, once; the old key works for another day."""
    require_recent_sign_in(url_for("keys.overview"))
    now = current_time()
    with write() as session:
        key = own_key(session, public_id, lock=True)
        if state_of(key, now=now) != "live":
            raise Refused("This key has an expiration. Create a new key instead.")
        successor, text = rotate_key(session, key, now=now)
        note_key(session, AccountEventKind.KEY_ROTATED, key)
        name, successor_id = key.name, successor.public_id
        slugs = sorted(sources_of_key(session, successor))
    return shown_once(text, successor_id, name, slugs=slugs, replaces=public_id), 201


@keys.post("/<public_id>/revoke")
def revoke(public_id: str) -> AnyResponse:
    """Revoke a key."""
    with write() as session:
        key = own_key(session, public_id, lock=True)
        revoke_key(key, now=current_time())
        note_key(session, AccountEventKind.KEY_REVOKED, key)
        name = key.name
    return done(f"Key “{name}” revoked.", "keys.overview")


def note_key(session: Session, kind: AccountEventKind, key: ApiKey) -> None:
    """Record what happens to a key."""
    log_event(session, kind, f"{key.name} (cw_{key.public_id}_…)")


def own_key(session: Session, public_id: str, *, lock: bool = False) -> ApiKey:
    """Return a key of the user, read after locking the account's keys; answer 404 for any other."""
    key = find_key(session, public_id)
    if key is None or key.account_id != signed_in_user().account_id:
        abort(404)
    if lock:
        lock_account(session, key.account_id)
        session.refresh(key)
    return key


def own_live_key(session: Session, public_id: str, *, lock: bool = False) -> ApiKey:
    """Return a key of the user that works; answer 404 for any other."""
    key = own_key(session, public_id, lock=lock)
    if not is_live(key, now=current_time()):
        abort(404)
    return key


def shown_once(
    text: str, public_id: str, name: str, *, slugs: list[str], replaces: str | None = None
) -> str:
    """Return the page that shows a new key, which nobody can show again."""
    question = f"entries?sources={','.join(slugs[:3])}" if slugs else "sources?limit=5"
    samples = samples_of(f"{site_services().site_url}/api/v1/{question}", text)
    return render_template(
        "key_made.html",
        text=text,
        public_id=public_id,
        name=name,
        samples=tabs_of("try", "Request with this key", samples),
        replaces=replaces,
    )
