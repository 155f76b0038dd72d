"""The JSON objects that are stored with an entry and joined into answers (specification 2.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from openapi.vocabulary import Json

PUBLIC_SUMMARY_LENGTH = 500


@dataclass(frozen=True, slots=True)
class EntryText:
    """What one entry says, with what it inherits from its source."""

    external_id: str
    source: str
    vendor: str
    published_at: datetime
    title: str
    url: str | None
    summary: str | None
    raw: Mapping[str, Json]
    tags: Sequence[str]


def timestamp(moment: datetime) -> str:
    """Write an aware UTC moment as RFC 3339 with Z."""
    return moment.isoformat().replace("+00:00", "Z")


def entry_document(entry: EntryText) -> bytes:
    """Return the ChangelogEntry of the contract."""
    return orjson.dumps(entry_object(entry))


def public_document(entry: EntryText) -> bytes:
    """Return the PublicEntry of the contract: no raw, a short summary."""
    return orjson.dumps(_core(entry, shortened(entry.summary)))


def both_documents(entry: EntryText) -> tuple[bytes, bytes]:
    """Return what entry_document and public_document return, made together."""
    return documents_of(entry_object(entry))


def entry_object(entry: EntryText) -> dict[str, Json]:
    """Return the ChangelogEntry of the contract as an object, with raw at its end."""
    return {**_core(entry, entry.summary), "raw": dict(entry.raw)}


def documents_of(entry: Mapping[str, Json]) -> tuple[bytes, bytes]:
    """Return the ChangelogEntry and the PublicEntry of what entry_object returned."""
    summary = entry["summary"]
    assert summary is None or isinstance(summary, str)
    public = {**entry, "summary": shortened(summary)}
    del public["raw"]
    return orjson.dumps(entry), orjson.dumps(public)


def _core(entry: EntryText, summary: str | None) -> dict[str, Json]:
    return {
        "id": entry.external_id,
        "source": entry.source,
        "vendor": entry.vendor,
        "published_at": timestamp(entry.published_at),
        "title": entry.title,
        "url": entry.url,
        "summary": summary,
        "tags": list(entry.tags),
    }


def entry_text(document: bytes) -> EntryText:
    """Read back what entry_document wrote."""
    fields = orjson.loads(document)
    return EntryText(
        external_id=fields["id"],
        source=fields["source"],
        vendor=fields["vendor"],
        published_at=datetime.fromisoformat(fields["published_at"]),
        title=fields["title"],
        url=fields["url"],
        summary=fields["summary"],
        raw=fields["raw"],
        tags=fields["tags"],
    )


def shortened(summary: str | None) -> str | None:
    """Cut a text at 500 characters, between words where it can."""
    if summary is None or len(summary) <= PUBLIC_SUMMARY_LENGTH:
        return summary
    cut = summary[: PUBLIC_SUMMARY_LENGTH - 1]
    words = cut.rsplit(maxsplit=1)
    return (words[0] if len(words[0]) > PUBLIC_SUMMARY_LENGTH // 2 else cut) + "…"


def with_importance(public: bytes, importance: bytes) -> bytes:
    """Return the ImportantEntry of the contract from two stored objects."""
    return b'%b,"importance":%b}' % (public[:-1], importance)
