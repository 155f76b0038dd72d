"""The importance of entries, and what everybody may read of them: a headline and a cut text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final, TypeVar

import orjson
import structlog

from changelog_reader.content.headlines import headline
from changelog_reader.importance import IMPORTANCE_VERSION, Importance
from changelog_reader.importance.evidence import cut as cut_at_word
from changelog_reader.importance.results import Deadline, Evidence, Quote
from ingest.pipeline.publication import UNDATED
from ingest.sandbox.parser_pool import ParserPool
from ingest.sandbox.parsing import ParserCrash, ParserTimeout, Text, classify_texts
from openapi.vocabulary import Category, Json
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.documents import PUBLIC_SUMMARY_LENGTH, EntryText, PublicText
from storage.entries.excerpts import GAP, Excerpt, Span, excerpt

log = structlog.get_logger(__name__)

MOST_TEXT: Final = 400_000
"""Characters of a document's texts that are classified, an equal share of each."""
BEGINNING: Final = 500
"""Characters of each text that are classified where even those take too long."""
Moved = TypeVar("Moved", Evidence, Quote)


@dataclass(frozen=True, slots=True)
class ClassifiedEntry:
    """The public text of an entry, the Importance object of the contract, and its deadlines.

    ``importance`` is JSON, None of an entry that is not important. Its passages are in the public
    text, and their offsets count there (docs/decisions/0017).
    """

    public: PublicText
    importance: bytes | None
    deadlines: tuple[DeadlineRecord, ...]


def text_of(text: EntryText) -> Text:
    """Return what is classified of an entry; undated history gives no year to days without one."""
    published_at = None if text.raw.get("date_source") == UNDATED else text.published_at
    return Text(text.title, text.summary, published_at, tuple(types_of(text.raw)))


def classify_in_child(parsers: ParserPool, texts: Sequence[Text], *, slug: str) -> list[Importance]:
    """Classify texts; of those that are too much together the beginnings, and then none.

    Raises PoolStopped when ingestion ends meanwhile.
    """
    if not texts:
        return []
    is_long = sum(len(text.summary or "") for text in texts) > MOST_TEXT
    share = max(MOST_TEXT // len(texts), BEGINNING)
    for length, is_suspect in ((share if is_long else None, is_long), (BEGINNING, True)):
        cut = [text._replace(summary=text.summary and text.summary[:length]) for text in texts]
        try:
            importances = parsers.run(classify_texts, cut, is_suspect=is_suspect)
        except (ParserTimeout, ParserCrash) as error:
            log.warning("classification was cut", slug=slug, reason=str(error))
            continue
        if len(importances) == len(texts):
            return [_verbatim(*pair) for pair in zip(texts, importances, strict=True)]
    return [Importance((), (), (), IMPORTANCE_VERSION)] * len(texts)


def _verbatim(text: Text, importance: Importance) -> Importance:
    """Return an importance if its passages stand where it says, so that a child cannot invent."""
    fields = {"title": text.title, "summary": text.summary or ""}
    of_deadlines = map(attrgetter("evidence"), importance.deadlines)
    quotes: list[Evidence | Quote] = [*importance.evidence, *of_deadlines]
    if all(fields[quote.field][quote.start : quote.end] == quote.text for quote in quotes):
        return importance
    return Importance((), (), (), IMPORTANCE_VERSION)


def classify_entry(text: EntryText, *, source_name: str) -> ClassifiedEntry:
    """Classify an entry and cut its text for the public around what makes it important."""
    (importance,) = classify_texts([text_of(text)])
    return classified(text, importance, source_name=source_name)


def classified(text: EntryText, importance: Importance, *, source_name: str) -> ClassifiedEntry:
    """Return an entry with its importance, its text cut for the public around it."""
    quotes = [] if importance.in_title else [quote.text for quote in importance.evidence]
    summary, object_ = _cut(text.summary, importance)
    return ClassifiedEntry(
        PublicText(headline(source_name, text.title, text.summary, quotes), summary),
        object_ if importance.categories else None,
        tuple(
            DeadlineRecord(
                deadline.kind,
                deadline.from_,
                deadline.to,
                deadline.evidence.text,
                subject=deadline.subject,
                versions=deadline.versions,
                successor=deadline.successor,
            )
            for deadline in importance.deadlines
        ),
    )


def types_of(raw: Mapping[str, Json]) -> list[str]:
    """Return what the vendor sorted an entry under: categories of a feed, badges of a page."""
    types = raw.get("categories")
    return [type_ for type_ in types if isinstance(type_, str)] if isinstance(types, list) else []


def _cut(summary: str | None, importance: Importance) -> tuple[str | None, bytes]:
    """Return the public text, and the Importance object whose passages are in it."""
    if summary is None or len(summary) <= PUBLIC_SUMMARY_LENGTH:
        everything = (importance.categories, importance.evidence, importance.deadlines)
        return summary, _importance_object(*everything)
    evidence = _shares(importance.evidence)
    first = {quote.category: quote for quote in reversed(evidence)}.values()
    quotes: list[Evidence | Quote] = [
        *first,
        *(deadline.evidence for deadline in importance.deadlines),
        *evidence,
    ]
    spans = [Span(quote.start, quote.end) for quote in quotes if quote.field == "summary"]
    cut = excerpt(summary, spans, length=PUBLIC_SUMMARY_LENGTH)
    placed = [moved for quote in evidence if (moved := _moved(quote, cut))]
    deadlines = [
        replace(deadline, evidence=passage)
        for deadline in importance.deadlines
        if (passage := _moved(deadline.evidence, cut))
    ]
    return cut.text, _importance_object(importance.categories, placed, deadlines)


def _shares(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence, long passages cut so that one of each category is in the public text."""
    categories = len({quote.category for quote in evidence if quote.field == "summary"})
    share = PUBLIC_SUMMARY_LENGTH // max(categories, 1) - 2 * len(GAP)
    shares = []
    for quote in evidence:
        start, end = cut_at_word(quote.text, 0, len(quote.text), length=share)
        shares.append(replace(quote, text=quote.text[start:end], end=quote.start + end))
    return shares


def _moved(quote: Moved, cut: Excerpt) -> Moved | None:
    """Return a passage as it is in an excerpt of its field; None where it was left out."""
    if quote.field == "title":
        return quote
    place = cut.place(Span(quote.start, quote.end))
    return None if place is None else replace(quote, start=place.start, end=place.end)


def _importance_object(
    categories: Sequence[Category], evidence: Sequence[Evidence], deadlines: Sequence[Deadline]
) -> bytes:
    """Return the Importance object of the contract as JSON."""
    document: dict[str, Json] = {
        "categories": [category.value for category in categories],
        "evidence": [{"category": quote.category.value, **_passage(quote)} for quote in evidence],
    }
    if deadlines:
        document["deadlines"] = [
            {
                "kind": deadline.kind.value,
                "from": deadline.from_.isoformat(),
                "to": deadline.to.isoformat(),
                "subject": deadline.subject,
                "versions": deadline.versions,
                "successor": deadline.successor,
                "evidence": _passage(deadline.evidence),
            }
            for deadline in deadlines
        ]
    return orjson.dumps(document)


def _passage(quote: Evidence | Quote) -> dict[str, Json]:
    return {"field": quote.field, "text": quote.text, "start": quote.start, "end": quote.end}
