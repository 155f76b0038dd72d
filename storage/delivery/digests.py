"""Digests: who gets one, when, and what it is about (docs/decisions/0040)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Subquery, delete, func, or_, select, update
from sqlalchemy.orm import Session, joinedload

from openapi.vocabulary import Category
from storage.delivery.subscriptions import SourceIds, followed_slugs
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.entries.addresses import entry_path
from storage.entries.changes import newest_change
from storage.entries.deadlines import ComingDeadline, select_deadlines
from storage.entries.documents import bits_of, headline_of
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.part_deadlines import Running, deadlines_of_parts, page_deadlines
from storage.entries.search.matching import document_matches
from storage.models import ON_DEMAND, Digest, Entry, EntryChange, EntryDeadline, Source
from storage.models.webhooks import DigestFrequency
from storage.people.credentials import new_token
from storage.scheduling.due import CLOCKS_DIFFER

MONDAY: Final = 0
DAY: Final = timedelta(days=1)
READ_AT_ONCE: Final = 200
MOST_ITEMS: Final = 50  # entries of a digest; the others are counted
TOLD_AHEAD: Final = (30 * DAY, 7 * DAY)  # how long before its day a deadline is in a digest
_ORDER: Final = (Entry.important.desc(), Entry.published_at.desc(), Entry.id.desc())


@dataclass(frozen=True, slots=True)
class DigestItem:
    """An entry of a digest. ``path``: its page. ``importance`` is its Importance object, if any."""

    source_name: str
    headline: str
    path: str
    published_at: datetime
    importance: bytes | None
    is_new: bool


@dataclass(frozen=True, slots=True)
class DigestContent:
    """The content of a digest: its first items, and the number of items of each kind.

    ``releases``: the keys of its entries that are versions, by those sources that were asked for.
    """

    items: Sequence[DigestItem]
    total: int
    important: int
    releases: Mapping[int, Collection[int]] = field(default_factory=dict)


def next_digest_at(digest: Digest, *, after: datetime) -> datetime:
    """Return when a digest is next due: at its hour, and if it is weekly on a Monday."""
    at = after.astimezone(UTC).replace(hour=digest.hour, minute=0, second=0, microsecond=0)
    while at <= after or (digest.frequency is DigestFrequency.WEEKLY and at.weekday() != MONDAY):
        at += DAY
    return at


def find_digest(session: Session, account_id: int) -> Digest | None:
    """Return the digest of an account, or None."""
    return session.get(Digest, account_id)


def find_digest_by_token(session: Session, token: str) -> Digest | None:
    """Return the digest that a link in a mail is about, with its account; or None."""
    query = select(Digest).where(Digest.token == token).options(joinedload(Digest.account))
    return session.scalar(query)


def save_digest(session: Session, account_id: int, wanted: Digest, *, now: datetime) -> Digest:
    """Start a digest of what changes from now on, or change the settings of the one there is."""
    wanted.account_id = account_id
    if session.get(Digest, account_id) is None:
        wanted.token, wanted.position, wanted.created_at = new_token(), newest_change(session), now
    wanted.next_at, wanted.failures = next_digest_at(wanted, after=now), 0
    digest = session.merge(wanted)
    session.flush()
    return digest


def end_digest(session: Session, account_id: int) -> None:
    """End the digest of an account."""
    session.execute(delete(Digest).where(Digest.account_id == account_id))


def next_due_digest(session: Session, *, now: datetime) -> Digest | None:
    """Return the digest, with its account, that is due the longest; None if none is."""
    query = select(Digest).where(Digest.next_at <= now).options(joinedload(Digest.account))
    return session.scalar(query.order_by(Digest.next_at, Digest.account_id).limit(1))


def digests_ahead(session: Session, *, now: datetime) -> Sequence[Digest]:
    """Return the digests due in more than a period, as a clock that was ahead scheduled them."""
    at = now + CLOCKS_DIFFER
    of_a_week = or_(Digest.frequency == DigestFrequency.DAILY, Digest.next_at > at + 7 * DAY)
    return session.scalars(select(Digest).where(Digest.next_at > at + DAY, of_a_week)).all()


def take_digest(session: Session, digest: Digest, *, next_at: datetime) -> bool:
    """Schedule the next digest. Of any number of workers exactly one gets True, and sends it."""
    taken = (
        update(Digest)
        .where(Digest.account_id == digest.account_id, Digest.next_at == digest.next_at)
        .values(next_at=next_at)
        .returning(Digest.account_id)
    )
    return session.scalar(taken, execution_options={"synchronize_session": False}) is not None


def digest_content(
    session: Session,
    digest: Digest,
    source_ids: SourceIds,
    *,
    up_to: int,
    filter_: EntryFilter = EVERYTHING,
    releases_of: Collection[int] = (),
) -> DigestContent:
    """Return the entries of a digest that changed up to a change: important first, then newest.

    A filter lets entries through for what they are and say now.
    """
    first = _first_changes(source_ids, after=digest.position, up_to=up_to)
    learned = first.where(*filter_.conditions()).subquery()
    entries = select(Entry).join(learned, learned.c.entry_id == Entry.id)
    if digest.only_important:
        entries = entries.where(Entry.important)
    if filter_.q is not None:
        hits = _with_words(session, entries, filter_.q)
        items = _items(session, entries.where(Entry.id.in_(list(hits)[:MOST_ITEMS])), learned)
        releases = {
            source_id: keys & hits.keys()
            for source_id, keys in _releases(session, entries, releases_of).items()
        }
        return DigestContent(items, len(hits), sum(hits.values()), releases)
    counted = entries.with_only_columns(func.count(), func.count().filter(Entry.important))
    total, important = session.execute(counted).one()
    items = _items(session, entries, learned)
    return DigestContent(items, total, important, _releases(session, entries, releases_of))


def digest_ends(
    session: Session, digest: Digest, filter_: EntryFilter, running: Running, *, now: datetime
) -> list[ComingDeadline]:
    """Return the deadlines of what an account follows or runs that came near since the last digest.

    ``running``: what runs, for a digest without a saved filter.
    """
    period = DAY if digest.frequency is DigestFrequency.DAILY else 7 * DAY
    spans = [(now.date() + ahead - period + DAY, now.date() + ahead) for ahead in TOLD_AHEAD]
    slugs = frozenset() if digest.stack else followed_slugs(session, digest.account_id, now=now)
    followed = filter_.among(slugs)
    near = or_(*(EntryDeadline.last_day.between(*span) for span in spans))
    query = select_deadlines(session, followed, now=now).where(near)
    ends, _ = page_deadlines(session, query, None, now=now, limit=MOST_ITEMS, offset=0)
    if digest.filter_id is None:
        of_stack = deadlines_of_parts(session, running, now=now)
        ends += [it for it in of_stack if any(a <= it.last_day <= b for a, b in spans)]
    return sorted(set(ends), key=lambda it: (it.last_day, it.subject or it.evidence))


def breaking_releases(
    session: Session, digest: Digest, source_ids: Collection[int], *, up_to: int
) -> dict[int, set[int]]:
    """Return the keys of the new versions of some sources that break something, by source."""
    first = _first_changes(frozenset(source_ids), after=digest.position, up_to=up_to).subquery()
    entries = select(Entry).join(first, first.c.entry_id == Entry.id)
    breaking = Entry.categories.bitwise_and(bits_of({Category.BREAKING})) != 0
    return _releases(session, entries.where(breaking), source_ids)


def _releases(
    session: Session, entries: AnySelect, source_ids: Collection[int]
) -> dict[int, set[int]]:
    """Return the keys of the entries of some sources that are versions, by source."""
    query = entries.with_only_columns(Entry.source_id, Entry.id).where(Entry.version.is_not(None))
    keys: dict[int, set[int]] = {}
    for source_id, key in rows_among(session, query, Entry.source_id, source_ids):
        keys.setdefault(source_id, set()).add(key)
    return keys


def _with_words(session: Session, entries: AnySelect, q: str) -> dict[int, bool]:
    """Return the keys of the entries that have what a search looks for, in order.

    With each, whether it is important. Their texts are read: these are the entries of one digest,
    which the index of all entries would not find sooner.
    """
    texts = entries.with_only_columns(Entry.id, Entry.important, Entry.document).order_by(*_ORDER)
    rows = session.execute(texts, execution_options={"yield_per": READ_AT_ONCE})
    return {row.id: row.important for row in rows if document_matches(q, row.document)}


def _items(session: Session, entries: AnySelect, learned: Subquery) -> list[DigestItem]:
    rows = session.execute(
        entries.join(Source, Source.id == Entry.source_id)
        .with_only_columns(
            Source.name,
            Entry.public_document,
            Source.slug,
            Entry.address,
            Entry.published_at,
            Entry.importance,
            learned.c.revision == 1,
        )
        .order_by(*_ORDER)
        .limit(MOST_ITEMS)
    )
    return [
        DigestItem(name, headline_of(public), entry_path(slug, address), at, importance, is_new)
        for name, public, slug, address, at, importance, is_new in rows
    ]


def _first_changes(source_ids: SourceIds, *, after: int, up_to: int) -> AnySelect:
    """Return the query of every entry that changed, with its first revision in that range.

    New entries that are not announced are left out.
    """
    query: AnySelect = (
        select(EntryChange.entry_id, func.min(EntryChange.revision).label("revision"))
        .join(Entry, Entry.id == EntryChange.entry_id)
        .where(
            EntryChange.number > after,
            EntryChange.number <= up_to,
            or_(EntryChange.revision > 1, Entry.announced),
        )
    )
    of_sources = EntryChange.source_id.not_in(ON_DEMAND)
    if source_ids is not None:
        of_sources = EntryChange.source_id.in_(source_ids)
    return query.where(of_sources).group_by(EntryChange.entry_id)


def digest_done(
    session: Session, account_id: int, *, position: int, sent_at: datetime | None
) -> None:
    """Record that a digest covers everything up to a change; None if nothing had to be sent."""
    done = update(Digest).where(Digest.account_id == account_id)
    sent = {} if sent_at is None else {"last_sent_at": sent_at}
    session.execute(done.values(position=position, failures=0, **sent))


def digest_failed(session: Session, account_id: int, *, for_good: bool, next_at: datetime) -> None:
    """Record that a digest could not be mailed, when to try again, and whether it was ``for_good``.

    How often in a row it was is counted.
    """
    session.execute(
        update(Digest)
        .where(Digest.account_id == account_id)
        .values(next_at=next_at, failures=Digest.failures + int(for_good))
    )
