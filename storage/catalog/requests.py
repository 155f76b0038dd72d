"""Requests for new sources: the address and a note, never who sent them (specification 2.4)."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from sqlalchemy import bindparam, or_, select, text, update
from sqlalchemy.orm import Session

from openapi.vocabulary import Json, Kind, RequestStatus
from storage.models import FetchFacts, RequestStep, Source, SourceRequest
from storage.people.accounts import Refused
from storage.people.credentials import new_request_id

NEXT: Final = MappingProxyType(
    {
        RequestStatus.PENDING: frozenset(
            {RequestStatus.CHECKING, RequestStatus.REJECTED, RequestStatus.DUPLICATE}
        ),
        RequestStatus.CHECKING: frozenset(
            {RequestStatus.CHECKING, RequestStatus.NEEDS_REVIEW, RequestStatus.DUPLICATE}
        ),
        RequestStatus.NEEDS_REVIEW: frozenset(
            {
                RequestStatus.CHECKING,
                RequestStatus.ACCEPTED,
                RequestStatus.REJECTED,
                RequestStatus.DUPLICATE,
            }
        ),
    }
)
"""Where a request can go from where it stands; from accepted, rejected and duplicate nowhere."""

_ADD: Final = select(SourceRequest).from_statement(
    # One statement: between two the operator could move the request on that was pending.
    text("""
    INSERT INTO source_requests AS kept (id, url, url_key, note, status, created_at)
    VALUES (:id, :url, :key, :note, 'pending', :now)
    ON CONFLICT (url_key) WHERE status = 'pending'
    DO UPDATE SET note = coalesce(kept.note, excluded.note)
    RETURNING *""").bindparams(bindparam("now", type_=SourceRequest.created_at.type))
)

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class NewSource:
    """The source that a request becomes. ``offer``: which one of what its check found, from 1.

    ``vendor``: as in the slug where None; ``changelog_url``: the requested address where None.
    """

    slug: str
    name: str
    tags: tuple[str, ...]
    vendor: str | None = None
    kind: Kind = Kind.CHANGELOG
    homepage: str | None = None
    changelog_url: str | None = None
    offer: int = 1


def normalised(url: str) -> str:
    """Return an address without the differences that lead to the same page.

    Scheme and host in lower case, no default port, no dot segments, no fragment, no slash at
    the end (RFC 3986 section 6.2).
    """
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    port = parts.port
    shown = f"[{host}]" if ":" in host else host
    network = shown if port in (None, DEFAULT_PORTS.get(scheme)) else f"{shown}:{port}"
    return urlunsplit((scheme, network, _without_dots(parts.path).rstrip("/"), parts.query, ""))


def _without_dots(path: str) -> str:
    """Return an absolute path without dot segments (RFC 3986 section 5.2.4)."""
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            segments[-1:] = []
        elif segment != ".":
            segments.append(segment)
    return "".join(f"/{segment}" for segment in segments)


def add_request(session: Session, *, url: str, note: str | None, now: datetime) -> SourceRequest:
    """Store a request; while an equal address is pending, return that one instead.

    That one takes the note if it has none: the answer says that the note is stored.
    """
    scheme, _, remainder = url.partition("://")
    url = f"{scheme.lower()}://{remainder}"  # the rest stays as the user wrote it
    key = hashlib.sha256(normalised(url).encode("utf-8", "surrogatepass")).hexdigest()
    values = {"id": new_request_id(), "url": url, "key": key, "note": note, "now": now}
    request: SourceRequest = session.scalars(_ADD, values).one()
    return request


def list_requests(session: Session, status: RequestStatus | None = None) -> list[SourceRequest]:
    """Return the requests, oldest first."""
    query = select(SourceRequest).order_by(SourceRequest.created_at, SourceRequest.id)
    if status is not None:
        query = query.where(SourceRequest.status == status)
    return list(session.scalars(query))


def find_request(session: Session, id_: str) -> SourceRequest | None:
    """Return a request, or None."""
    return session.get(SourceRequest, id_)


def steps_of(session: Session, id_: str) -> list[RequestStep]:
    """Return the changes of a request's status, in order."""
    query = select(RequestStep).where(RequestStep.request_id == id_)
    return list(session.scalars(query.order_by(RequestStep.id)))


def move_request(
    session: Session,
    request: SourceRequest,
    to: RequestStatus,
    *,
    now: datetime,
    reason: str | None = None,
    slug: str | None = None,
) -> None:
    """Change a request's status and log it. ``slug`` is of the source it became, or is already.

    Raises Refused when it cannot go there: what was decided stays decided. Two operators
    at once cannot both move it.
    """
    before = request.status
    if to not in NEXT.get(before, ()):
        raise Refused(f"The request {request.id} is {before}; it cannot become {to}.")
    decided = to not in NEXT
    moved = session.scalars(
        update(SourceRequest)
        .where(SourceRequest.id == request.id, SourceRequest.status == before)
        .values(status=to, decided_at=now if decided else None, reason=reason, slug=slug)
        .returning(SourceRequest.id)
    ).all()
    if not moved:
        raise Refused(f"Somebody else has just moved the request {request.id}; reload it.")
    session.add(RequestStep(request_id=request.id, before=before, after=to, at=now, reason=reason))
    session.flush()


def save_findings(session: Session, request: SourceRequest, findings: Json) -> None:
    """Store what a check found, to be read before a decision."""
    session.execute(
        update(SourceRequest).where(SourceRequest.id == request.id).values(findings=findings)
    )


def source_at(session: Session, addresses: Collection[str]) -> str | None:
    """Return the slug of a source that is followed at one of these addresses, or None."""
    spellings = {spelling for address in addresses for spelling in _spellings(address)}
    query = (
        select(Source.slug)
        .join(FetchFacts, FetchFacts.source_id == Source.id)
        .where(or_(FetchFacts.feed_url.in_(spellings), Source.changelog_url.in_(spellings)))
        .where(~Source.on_demand)
    )
    return session.scalar(query.order_by(Source.slug).limit(1))


def _spellings(url: str) -> Iterator[str]:
    """Yield an address as a catalog may write it: with http or https, with a slash or without."""
    yield url
    without_scheme = normalised(url).partition("://")[2]
    for scheme in ("https", "http"):
        yield f"{scheme}://{without_scheme}"
        yield f"{scheme}://{without_scheme}/"
