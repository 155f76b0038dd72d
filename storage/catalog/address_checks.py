"""Known states of source addresses, and findings by an operator."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session

from openapi.vocabulary import AdapterType, AddressStatus, Tier
from storage.catalog.sources import move_feed
from storage.models import FetchFacts, Source
from storage.scheduling.due import host_of

_UNCONFIRMED: Final[ColumnElement[bool]] = and_(
    FetchFacts.address_status == AddressStatus.UNCONFIRMED, FetchFacts.last_success_at.is_(None)
)


@dataclass(frozen=True, slots=True)
class SourceAddresses:
    """The addresses of a source: ``address`` is read, ``page`` is for people."""

    source_id: int
    slug: str
    adapter_type: AdapterType
    address: str
    page: str

    @property
    def host(self) -> str:
        """The host that is asked first."""
        return host_of(self.address)


def unconfirmed_count(session: Session) -> int:
    """Count the sources that have never been read and whose address nobody has confirmed."""
    return session.scalar(select(func.count()).select_from(FetchFacts).where(_UNCONFIRMED)) or 0


def addresses_to_check(
    session: Session,
    *,
    ids: Collection[int] | None = None,
    tier: Tier | None = None,
    everything: bool = False,
) -> list[SourceAddresses]:
    """Return the sources whose addresses nobody has confirmed, else all; or those with some ids."""
    query = select(
        Source.id, Source.slug, Source.adapter_type, FetchFacts.feed_url, Source.changelog_url
    ).join(FetchFacts, FetchFacts.source_id == Source.id)
    if tier is not None:
        query = query.where(Source.tier == tier)
    if ids is None and not everything:
        query = query.where(_UNCONFIRMED)
    rows = session.execute(query.order_by(Source.slug))
    return [SourceAddresses(*row) for row in rows if ids is None or row[0] in ids]


def save_address_status(
    session: Session,
    source_id: int,
    status: AddressStatus,
    *,
    moved_from: str | None = None,
    moved_to: str | None = None,
    now: datetime,
) -> None:
    """Store what was found: ``moved_from`` is the address that is gone, or elsewhere."""
    facts = session.get(FetchFacts, source_id)
    if facts is not None:  # a source that was removed meanwhile has none
        facts.address_status, facts.address_checked_at = status, now
        facts.moved_from, facts.moved_to = moved_from, moved_to


def follow_move(session: Session, source_id: int, *, moved_from: str, moved_to: str) -> bool:
    """Take a new address over in place of the one that moved; return whether that was possible.

    It is not where another source has the new one. What was read under the old address stays.
    """
    source = session.get(Source, source_id)
    facts = session.get(FetchFacts, source_id)
    taken = select(FetchFacts.source_id).where(
        FetchFacts.feed_url == moved_to, FetchFacts.source_id != source_id
    )
    if source is None or facts is None or session.scalar(taken.limit(1)) is not None:
        return False
    if source.adapter_type is AdapterType.GITHUB_RELEASES:
        if not moved_to.endswith("/releases.atom"):
            return False
        source.changelog_url = moved_to.removesuffix(".atom")
    elif moved_from == source.changelog_url:
        source.changelog_url = moved_to
    if moved_from == facts.feed_url:
        move_feed(facts, moved_to)
    facts.address_status = AddressStatus.CONFIRMED
    facts.moved_from = facts.moved_to = None
    return True
