"""Passkeys: options for the browser, and verification of its response.

A challenge belongs to one browser, whose tabs share it, and is good for one answer.
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorData,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from flask import session

from handlers.site.services import site_services
from storage.models import Passkey
from storage.people.credentials import digest_of, new_token
from storage.people.throttle import Limit, hit_all

log = structlog.get_logger(__name__)

ONCE: Final = Limit(1, timedelta(hours=2))
"""How often a challenge is taken, and for how long; a new one is made after half of that."""
VERIFIED: Final = UserVerificationRequirement.REQUIRED
STUMBLES: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)
LONGEST: Final = 16_384
"""Characters of a response: attestation with its certificates takes some 4,000."""
_TEXTS: Final = ("id", "rawId", "type")
_TEXTS_OF_RESPONSE: Final = (
    "clientDataJSON",
    "attestationObject",
    "authenticatorData",
    "signature",
    "userHandle",
)
_HELD: Final = "challenge"


class WrongPasskey(Exception):
    """The browser's answer is not what was asked for."""


def passkeys_work() -> bool:
    """Whether browsers know passkeys for this site: its host must be a name."""
    try:
        ip_address(_host())
    except ValueError:
        return True
    return False


def options_to_add(account_id: int, email: str, existing: Sequence[Passkey]) -> str:
    """Return what ``navigator.credentials.create`` is given, as JSON."""
    handle = digest_of(f"passkeys of {account_id}").encode()[:32]
    user = PublicKeyCredentialUserEntity(id=handle, name=email, display_name=email)
    known = [AttestedCredentialData(passkey.credential) for passkey in existing]
    options, _ = _server().register_begin(
        user, known, ResidentKeyRequirement.REQUIRED, VERIFIED, challenge=_challenge()
    )
    return json.dumps(dict(options.public_key))


def options_to_sign_in() -> str:
    """Return what ``navigator.credentials.get`` is given, as JSON."""
    options, _ = _server().authenticate_begin(None, VERIFIED, challenge=_challenge())
    return json.dumps(dict(options.public_key))


def read_added(text: str) -> AuthenticatorData:
    """Return what a device says of a new passkey. Raises WrongPasskey."""
    state = _spend_challenge()
    with _refused_if_wrong():
        added = _server().register_complete(state, RegistrationResponse.from_dict(_response(text)))
    offered = {algorithm.alg for algorithm in _server().allowed_algorithms}
    if added.credential_data is None or added.credential_data.public_key.get(3) not in offered:
        raise WrongPasskey("an algorithm that was not offered")
    return added


def read_sign_in(text: str) -> AuthenticationResponse:
    """Return the answer of a browser that signs in, not verified yet. Raises WrongPasskey."""
    with _refused_if_wrong():
        return AuthenticationResponse.from_dict(_response(text))


def verify_sign_in(answer: AuthenticationResponse, passkey: Passkey) -> int:
    """Return the counter of a passkey that has signed the challenge. Raises WrongPasskey."""
    state, stored = _spend_challenge(), AttestedCredentialData(passkey.credential)
    with _refused_if_wrong():
        _server().authenticate_complete(state, [stored], answer)
    return answer.response.authenticator_data.counter


def _response(text: str) -> Mapping[str, Any]:
    """Return what is read of a browser's response, all of it texts.

    Raises WrongPasskey and ValueError. The library makes bytes of whatever it is given: of a
    number, that many of them.
    """
    if len(text) > LONGEST:
        raise WrongPasskey("too long")
    told = json.loads(text)
    if not isinstance(told, dict) or not isinstance(told.get("response"), dict):
        raise WrongPasskey("no object")
    return {**_texts(told, _TEXTS), "response": _texts(told["response"], _TEXTS_OF_RESPONSE)}


def _texts(told: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    texts = {name: told[name] for name in names if told.get(name) is not None}
    if not all(isinstance(text, str) for text in texts.values()):
        raise WrongPasskey("no text")
    return texts


@contextmanager
def _refused_if_wrong() -> Iterator[None]:
    """Raise WrongPasskey for any error of the library in a response."""
    try:
        yield
    except STUMBLES as error:
        log.info("passkey refused", reason=str(error)[:200])
        raise WrongPasskey(str(error)) from None


def _server() -> Fido2Server:
    site = urlsplit(site_services().site_url)
    origin = f"{site.scheme}://{site.netloc}"
    entity = PublicKeyCredentialRpEntity(name="Changewire", id=_host())
    return Fido2Server(entity, verify_origin=origin.__eq__)


def _host() -> str:
    return urlsplit(site_services().site_url).hostname or ""


def _challenge() -> bytes:
    """Return this browser's challenge."""
    held, now = session.get(_HELD), site_services().now().timestamp()
    if held is None or now - held[1] > ONCE.window.total_seconds() / 2:
        held = session[_HELD] = [new_token(), now]
    token: str = held[0]
    return token.encode()


def _spend_challenge() -> Mapping[str, Any]:
    """Return what an answer is compared with, once. Raises WrongPasskey."""
    services, held = site_services(), session.pop(_HELD, None)
    now = services.now()
    if held is None or now.timestamp() - held[1] > ONCE.window.total_seconds():
        raise WrongPasskey("no challenge")
    token: str = held[0]
    name = f"passkey_challenge/{digest_of(token)}"
    with services.db.write() as db:
        first = hit_all(db, name, [ONCE], now=now)[-1].admitted
    if not first:
        raise WrongPasskey("the challenge is spent")
    return {"challenge": websafe_encode(token.encode()), "user_verification": VERIFIED}
