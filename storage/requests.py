"""Wishes for new sources: the address and a note, never who asked (specification 2.4)."""

import hashlib
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from openapi.vocabulary import RequestStatus
from storage.credentials import new_request_id
from storage.models import SourceRequest
from storage.upsert import insert_into

DEFAULT_PORTS = {"http": 80, "https": 443}


def normalised(url: str) -> str:
    """Return an address without the differences that lead to the same page.

    Scheme and host in lower case, no default port, no fragment, no slash at the end
    (RFC 3986 section 6.2).
    """
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    port = parts.port
    shown = f"[{host}]" if ":" in host else host
    network = shown if port in (None, DEFAULT_PORTS.get(scheme)) else f"{shown}:{port}"
    return urlunsplit((scheme, network, parts.path.rstrip("/"), parts.query, ""))


def add_request(session: Session, *, url: str, note: str | None, now: datetime) -> SourceRequest:
    """Store a request; while an equal address is pending, return that one instead."""
    key = hashlib.sha256(normalised(url).encode("utf-8", "surrogatepass")).hexdigest()
    session.execute(
        insert_into(session, SourceRequest)
        .values(
            id=new_request_id(),
            url=url,
            url_key=key,
            note=note,
            status=RequestStatus.PENDING,
            created_at=now,
        )
        .on_conflict_do_nothing()
    )
    return session.scalars(
        select(SourceRequest).where(
            SourceRequest.url_key == key, SourceRequest.status == RequestStatus.PENDING
        )
    ).one()


def list_requests(session: Session, status: RequestStatus | None = None) -> list[SourceRequest]:
    """Return the requests, oldest first."""
    query = select(SourceRequest).order_by(SourceRequest.created_at, SourceRequest.id)
    if status is not None:
        query = query.where(SourceRequest.status == status)
    return list(session.scalars(query))
