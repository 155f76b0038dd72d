"""The entries of a document: matched with the stored ones, then new, edited or unchanged."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

import structlog

from changelog_reader.adapters.base import ParsedEntry
from changelog_reader.importance import IMPORTANCE_VERSION, Importance
from changelog_reader.snapshots.normalise import is_cut
from changelog_reader.snapshots.snapshot import normal_words
from ingest.pipeline.content_match import content_hash
from ingest.pipeline.identity import IdentifiedEntry, identify, lookup_keys, recognise
from ingest.pipeline.public_entry import classified, classify_in_child, text_of
from ingest.pipeline.publication import (
    UNDATED,
    ConcludedDate,
    Reading,
    conclude_dates,
    is_announced,
    undated_source,
)
from ingest.pipeline.source_state import History, SourceToCheck, as_known_entry
from ingest.sandbox.parser_pool import ParserPool
from openapi.validation import component_violations
from openapi.vocabulary import AdapterType, Json
from storage.engine.database import Database
from storage.entries.documents import EntryText, documents_of, entry_object
from storage.entries.entry_writes import Edit, EntryRecord, StoredEntry, entry_texts, known_entries
from storage.entries.search.index import words_of_texts

log = structlog.get_logger(__name__)

LONGEST_SUMMARY = 200_000
"""Characters of a summary that are stored; the contract promises no more."""


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """The entries to store."""

    new: Sequence[EntryRecord] = ()
    edited: Sequence[Edit] = ()

    @property
    def records(self) -> list[EntryRecord]:
        """Return the entries to write, new or edited."""
        return [*self.new, *map(attrgetter("written"), self.edited)]


class DifferingEntry(NamedTuple):
    """An entry that is not stored or differs from the stored one.

    ``date_source`` is what the date was read or concluded from: of an entry that is not stored, or
    of one that was stored without a date and is now ``dated``.
    """

    identified: IdentifiedEntry
    stored: StoredEntry | None
    content_hash: str
    date_source: str
    dated: bool = False


@dataclass(frozen=True, slots=True)
class MatchedEntries:
    """The entries of a document with their ids, in its order, and those of them that differ.

    ``undated`` are those that are history without a date, new or stored. ``stored`` has the stored
    ones by id.
    """

    reading: Reading
    identified: Sequence[IdentifiedEntry]
    differing: Sequence[DifferingEntry]
    undated: Sequence[DifferingEntry] = ()
    stored: Mapping[str, StoredEntry] = field(default_factory=dict)


def match_entries(
    db: Database,
    source: SourceToCheck,
    parsed: Sequence[ParsedEntry],
    history: History,
    reading: Reading,
) -> MatchedEntries:
    """Give every parsed entry its id and compare it with the stored one, however old that is.

    An entry without a date, new or stored as undated, gets the one that can be concluded for it;
    a stored one also that which the vendor has given it since.
    """
    by_id = _stored_entries(db, source, parsed, history)
    items = identify(parsed, map(as_known_entry, by_id.values()), first_seen_at=reading.at)
    if source.adapter_type is AdapterType.HTML:
        items = recognise(items, history.anchors)
        by_id |= {entry.external_id: entry for entry in history.newest}
    concluded: dict[int, ConcludedDate] = {}
    unlisted = {id_ for id_, entry in by_id.items() if not entry.listed}
    if unlisted or not all(map(attrgetter("published_at"), parsed)):
        concluded = _concluded(parsed, items, unlisted, reading)
    identified, differing, undated = [], [], []
    for item in items:
        before, digest = by_id.get(item.id), content_hash(item.entry)
        own = undated_source(reading) if item.entry.published_at is None else item.entry.date_source
        date = concluded.get(id(item.entry))
        if date is not None:
            item = item._replace(published_at=date[0])
        identified.append(item)
        if before is None or before.content_hash != digest or date is not None:
            date_source = own if date is None else date[1]
            dated = before is not None and date is not None
            differing.append(DifferingEntry(item, before, digest, date_source, dated))
        has_date = own != UNDATED if before is None else before.listed
        if date is None and not has_date:
            undated.append(DifferingEntry(item, before, digest, UNDATED))
    return MatchedEntries(reading, identified, differing, undated, by_id)


def _stored_entries(
    db: Database, source: SourceToCheck, parsed: Sequence[ParsedEntry], history: History
) -> dict[str, StoredEntry]:
    """Return the stored entries that those of a document can be, and the newest ones, by id."""
    if not source.entry_count:
        return {}
    newest = history.newest[: 2 * len(parsed)]
    ids, urls = lookup_keys(parsed, map(as_known_entry, newest))
    with db.read() as session:
        matching = known_entries(session, source.source_id, ids=ids, urls=urls)
    return {entry.external_id: entry for entry in (*matching, *newest)}


def _concluded(
    parsed: Sequence[ParsedEntry],
    items: Sequence[IdentifiedEntry],
    unlisted: Collection[str],
    reading: Reading,
) -> dict[int, ConcludedDate]:
    """Return the dates of new and of undated stored entries that have to be written, by ``id``."""
    undated = {id(item.entry) for item in items if item.id in unlisted}
    history = [place for place, entry in enumerate(parsed) if id(entry) in undated]
    may_have = undated | {id(item.entry) for item in items if item.is_new}
    dates = {
        key: date
        for place, date in conclude_dates(parsed, reading, history=history).items()
        if (key := id(parsed[place])) in may_have
    }
    own_dates = {
        id(entry): (entry.published_at, entry.date_source)
        for entry in (parsed[place] for place in history)
        if entry.published_at is not None
    }
    return dates | own_dates


def decide_entries(
    db: Database, parsers: ParserPool, source: SourceToCheck, matched: MatchedEntries
) -> EntryChanges:
    """Sort the entries into new, edited and unchanged.

    An edit keeps the id and the publish time (docs/decisions/0015), and whether it is listed. Only
    of an entry that was undated history the publish time may change, once (docs/decisions/0016).
    """
    texts: Mapping[int, EntryText] = {}
    if keys := [entry.stored.key for entry in matched.differing if entry.stored is not None]:
        with db.read() as session:
            texts = entry_texts(session, keys)
    written: list[tuple[DifferingEntry, EntryText, dict[str, Json]]] = []
    for differing in matched.differing:
        identified, stored = differing.identified, differing.stored
        text = None if stored is None else texts.get(stored.key)
        if text is not None and (teaser := _teaser_of(identified.entry, text)) is not None:
            identified = identified._replace(entry=teaser)
            differing = differing._replace(identified=identified)
        if text is not None and not differing.dated and _has_same_text(identified.entry, text):
            continue
        if (valid := _valid_document(source, differing, text)) is not None:
            written.append((differing, *valid))
    texts_ = [text_of(text) for _, text, _ in written]
    importances = classify_in_child(parsers, texts_, slug=source.slug)
    new, edited = [], []
    for (differing, after, document), importance in zip(written, importances, strict=True):
        record = _record(source, differing, after, document, importance, matched.reading)
        if differing.stored is None:
            new.append(record)
        else:
            edited.append(Edit(differing.stored, record, differing.dated))
    return EntryChanges(new, edited)


def _teaser_of(entry: ParsedEntry, stored: EntryText) -> ParsedEntry | None:
    """Return an entry with the stored text of its posting, if the feed has the teaser only.

    A feed that has more than the posting now tells the whole itself.
    """
    posting = stored.raw.get("posting")
    if posting is None or len(entry.summary or "") >= len(stored.summary or ""):
        return None
    kept = {name: stored.raw[name] for name in ("html", "posting") if name in stored.raw}
    return replace(entry, summary=stored.summary, raw={**entry.raw, **kept})


def _has_same_text(entry: ParsedEntry, stored: EntryText) -> bool:
    """Return whether an entry equals the stored one after normalisation.

    Normalisation cuts long texts, so of a long text every difference counts.
    """
    if (entry.title, entry.url, entry.summary) == (stored.title, stored.url, stored.summary):
        return True
    words = normal_words(entry.title, entry.url, entry.summary)
    return words == normal_words(stored.title, stored.url, stored.summary) and not is_cut(words[2])


def _valid_document(
    source: SourceToCheck, differing: DifferingEntry, stored: EntryText | None
) -> tuple[EntryText, dict[str, Json]] | None:
    """Return the text and the ChangelogEntry; None of an entry that would break the contract."""
    identified, entry = differing.identified, differing.identified.entry
    date_source = differing.date_source
    if stored is not None and not differing.dated:
        date_source = str(stored.raw.get("date_source", date_source))
    text = EntryText(
        external_id=identified.id,
        source=source.slug,
        vendor=source.vendor,
        published_at=identified.published_at,
        title=entry.title,
        url=entry.url,
        summary=entry.summary and entry.summary[:LONGEST_SUMMARY],
        raw={**entry.raw, "date_source": date_source},
        tags=source.tags,
    )
    document = entry_object(text)
    violations = component_violations("ChangelogEntry", document)
    if violations:
        log.error(
            "entry left out because it violates the contract",
            slug=source.slug,
            entry=text.external_id,
            violations=list(map(str, violations)),
        )
        return None
    return text, document


def _record(
    source: SourceToCheck,
    differing: DifferingEntry,
    text: EntryText,
    document: dict[str, Json],
    importance: Importance,
    reading: Reading,
) -> EntryRecord:
    entry = classified(text, importance, source_name=source.name)
    date_source = str(text.raw["date_source"])
    shown = entry.public.headline, entry.public.summary or ""
    return EntryRecord(
        text=text,
        content_hash=differing.content_hash,
        importance=entry.importance,
        importance_version=IMPORTANCE_VERSION,
        deadlines=entry.deadlines,
        documents=documents_of(document, entry.public),
        words=words_of_texts(text.title, text.source, *shown, text.summary or ""),
        listed=date_source != UNDATED or not reading.is_first,  # all but undated history
        announced=is_announced(text.published_at, date_source, reading),
    )
