"""Where the files of a release come from: a statement of in-toto with SLSA's predicate, signed.

https://slsa.dev/spec/v1.0/provenance, https://github.com/secure-systems-lab/dsse
"""

import base64
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from release.artifacts import digest
from release.errors import NotReleasable

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://slsa.dev/provenance/v1"
BUILD: Final = "urn:changewire:release:1"
"""The kind of build, which docs/releasing.md describes."""
PAYLOAD: Final = "application/vnd.in-toto+json"
TOOLS: Final = ("build", "hatchling", "cyclonedx-bom")


@dataclass(frozen=True, slots=True)
class Origin:
    """What a release was built of, and by whom."""

    version: str
    commit: str
    seconds: int
    lock: Path
    builder: str
    source: str | None = None


def statement_of(origin: Origin, files: Iterable[Path]) -> dict[str, Any]:
    """Return the statement about some files, without a time: the same build says the same."""
    commit = {"name": "source", "digest": {"gitCommit": origin.commit}}
    if origin.source:
        commit["uri"] = origin.source
    lock = {"name": "requirements.lock", "digest": {"sha256": digest(origin.lock)}}
    tools = [{"uri": f"pkg:pypi/{name}@{installed_version(name)}"} for name in TOOLS]
    return {
        "_type": STATEMENT,
        "subject": [{"name": file.name, "digest": {"sha256": digest(file)}} for file in files],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {"version": origin.version},
                "internalParameters": {
                    "SOURCE_DATE_EPOCH": origin.seconds,
                    "python": platform.python_version(),
                },
                "resolvedDependencies": [commit, lock, *tools],
            },
            "runDetails": {"builder": {"id": origin.builder}},
        },
    }


def write_statement(
    statement: Mapping[str, Any], file: Path, key: Ed25519PrivateKey | None
) -> None:
    """Write a statement: in an envelope with its signature where there is a key, else as it is."""
    payload = json.dumps(statement, indent=2).encode()
    written = payload if key is None else json.dumps(sign(payload, key)).encode()
    file.write_bytes(written + b"\n")


def sign(payload: bytes, key: Ed25519PrivateKey) -> dict[str, Any]:
    """Return the envelope (DSSE) of a payload with its signature."""
    signature = key.sign(_authenticated(payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD,
        "signatures": [
            {"keyid": key_id(key.public_key()), "sig": base64.b64encode(signature).decode()}
        ],
    }


def read_statement(file: Path, key: Ed25519PublicKey | None) -> dict[str, Any]:
    """Return the statement of a file; with a key only one that it signed."""
    try:
        document = json.loads(file.read_bytes())
        payload = base64.b64decode(document["payload"]) if "payload" in document else None
        signatures = [
            base64.b64decode(signature["sig"]) for signature in document.get("signatures", ())
        ]
        if key is not None and not any(_is_by(key, payload, signature) for signature in signatures):
            raise NotReleasable(f"{file.name} is not signed with this key")
        statement: dict[str, Any] = document if payload is None else json.loads(payload)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotReleasable(f"{file.name} is no statement: {error}") from error
    return statement


def check_subjects(statement: Mapping[str, Any], folder: Path) -> None:
    """Raise NotReleasable unless the files that a statement is about are those of a folder."""
    for subject in statement["subject"]:
        file = folder / str(subject["name"])
        if not file.is_file() or digest(file) != subject["digest"]["sha256"]:
            raise NotReleasable(f"The statement is about another {file.name}")


def private_key(file: Path) -> Ed25519PrivateKey:
    """Read a key to sign with, as ``openssl genpkey -algorithm ed25519`` makes it."""
    try:
        key = load_pem_private_key(file.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise NotReleasable(f"{file} is no private key in PEM without a password") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise NotReleasable(f"{file} is no key of Ed25519")
    return key


def public_key(file: Path) -> Ed25519PublicKey:
    """Read a key to verify with, as ``openssl pkey -pubout`` makes it."""
    try:
        key = load_pem_public_key(file.read_bytes())
    except (OSError, ValueError) as error:
        raise NotReleasable(f"{file} is no public key in PEM") from error
    if not isinstance(key, Ed25519PublicKey):
        raise NotReleasable(f"{file} is no key of Ed25519")
    return key


def key_id(key: Ed25519PublicKey) -> str:
    """Return the name of a key: the SHA-256 of its usual form in bytes."""
    return sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _is_by(key: Ed25519PublicKey, payload: bytes | None, signature: bytes) -> bool:
    try:
        key.verify(signature, _authenticated(payload or b""))
    except InvalidSignature:
        return False
    return payload is not None


def _authenticated(payload: bytes) -> bytes:
    """Return what is signed: DSSE's encoding of the payload with its type."""
    kind = PAYLOAD.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
