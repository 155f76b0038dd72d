"""The JSON objects that are stored with an entry and joined into answers (specification 2.3)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

import orjson

from changelog_reader.vocabulary import ENDS
from openapi.vocabulary import Category, Json
from package_versions.general import MAX_VERSION_LENGTH, GeneralVersion
from package_versions.parsing import version_of_release
from storage.entries.excerpts import excerpt

FUTURE_TOLERANCE: Final = timedelta(minutes=10)
"""How far ahead of now an entry may be dated and count as published: vendors' clocks differ."""
PUBLIC_SUMMARY_LENGTH = 500
MOST_IDENTIFIERS: Final = 100
_IDENTIFIER: Final = re.compile(
    r"\b(?:CVE-[0-9]{4}-[0-9]{4,7}|GHSA(?:-[0-9a-z]{4}){3})(?![\w-])", re.IGNORECASE | re.ASCII
)
BITS: Final = MappingProxyType(
    {Category.BREAKING: 1, Category.DEPRECATION: 2, Category.SECURITY: 4}
)
"""The bit of each category; a new category takes the next one."""


@dataclass(frozen=True, slots=True)
class EntryText:
    """The text of one entry, with the values inherited from its source."""

    external_id: str
    source: str
    vendor: str
    published_at: datetime
    title: str
    url: str | None
    summary: str | None
    raw: Mapping[str, Json]
    tags: Sequence[str]


class DocumentPage(NamedTuple):
    """Stored JSON objects or their beginnings, newest first; ``total`` counts all of the list."""

    total: int
    documents: list[bytes]


class EntryRelease(NamedTuple):
    """The version that an entry is the release of, None where it names none, as its columns.

    ``prerelease`` is None where it is not known. ``package``: the part of a monorepo, None where
    the tag names none.
    """

    version: str | None
    prerelease: bool | None
    package: str | None = None


@dataclass(frozen=True, slots=True)
class PublicText:
    """The public part of an entry besides its title: a headline and a cut text."""

    headline: str
    summary: str | None


def timestamp(moment: datetime) -> str:
    """Format an aware UTC datetime as RFC 3339 with Z."""
    return moment.isoformat().replace("+00:00", "Z")


def timestamp_or_none(moment: datetime | None) -> str | None:
    """Format a datetime as ``timestamp`` does; None stays None."""
    return None if moment is None else timestamp(moment)


def both_documents(entry: EntryText) -> tuple[bytes, bytes]:
    """Return the ChangelogEntry and the PublicEntry of an entry that nobody classified."""
    return documents_of(entry_object(entry), PublicText(entry.title, shortened(entry.summary)))


def entry_object(entry: EntryText) -> dict[str, Json]:
    """Return the ChangelogEntry of the contract as an object, with raw at its end."""
    release = release_of(entry)
    return {
        "id": entry.external_id,
        "source": entry.source,
        "vendor": entry.vendor,
        "published_at": timestamp(entry.published_at),
        "title": entry.title,
        "version": release.version,
        "prerelease": release.prerelease,
        "url": entry.url,
        "summary": entry.summary,
        "tags": list(entry.tags),
        **({"cves": cves} if (cves := identifiers_in(entry)) else {}),
        "raw": dict(entry.raw),
    }


def identifiers_in(entry: EntryText) -> list[Json]:
    """Return the CVE and GHSA identifiers that a title or a text names, each once."""
    found = _IDENTIFIER.findall(f"{entry.title}\n{entry.summary or ''}")
    written = (name.upper() if name[:1] in "cC" else f"GHSA{name[4:].lower()}" for name in found)
    return list[Json](dict.fromkeys(written))[:MOST_IDENTIFIERS]


def documents_of(entry: Mapping[str, Json], public: PublicText) -> tuple[bytes, bytes]:
    """Return the ChangelogEntry and the PublicEntry of what entry_object returned.

    The PublicEntry has no raw, but a headline and a short summary.
    """
    everybodys = {**entry, "summary": public.summary, "headline": public.headline}
    del everybodys["raw"]
    return orjson.dumps(entry), orjson.dumps(everybodys)


def headline_of(public: bytes) -> str:
    """Return the headline of a PublicEntry; one that was stored without has its title."""
    fields = orjson.loads(public)
    return str(fields.get("headline", fields["title"]))


def with_inherited(document: bytes, vendor: str, tags: Sequence[str]) -> bytes:
    """Return a stored document with current values of its source."""
    return orjson.dumps(orjson.loads(document) | {"vendor": vendor, "tags": list(tags)})


def release_of(entry: EntryText) -> EntryRelease:
    """Return the version of an entry; GitHub's own word on prereleases counts first."""
    tag = entry.raw.get("tag_name")
    release = version_of_release(entry.title, tag if isinstance(tag, str) else None)
    is_end = entry.raw.get("strategy") == ENDS
    if release is None or is_end or len(release[0]) > MAX_VERSION_LENGTH:
        return EntryRelease(None, None)
    version, package = release[0], release[1] or None
    said = entry.raw.get("prerelease")
    if isinstance(said, bool):
        return EntryRelease(version, said, package)
    parsed = GeneralVersion.parse(version)
    return EntryRelease(version, None if parsed is None else parsed.is_prerelease, package)


def entry_text(document: bytes) -> EntryText:
    """Read back what both_documents wrote."""
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
    if summary is None:
        return None
    return excerpt(summary, (), length=PUBLIC_SUMMARY_LENGTH).text


def with_importance(public: bytes, importance: bytes) -> bytes:
    """Return the ImportantEntry of the contract from two stored objects."""
    return b'%b,"importance":%b}' % (public[:-1], importance)


def bits_of(categories: Iterable[Category]) -> int:
    """Return the number of some categories."""
    return sum(map(BITS.__getitem__, set(categories)))


def importance_columns(importance: bytes | None) -> dict[str, object]:
    """Return the columns of an entry that say why it is important, by its Importance."""
    categories = () if importance is None else orjson.loads(importance).get("categories", ())
    return {
        "important": importance is not None,
        "categories": bits_of(map(Category, categories)),
        "importance": importance,
    }


@cache
def categories_of(bits: int) -> frozenset[Category]:
    """Return the categories of a number."""
    return frozenset(category for category, bit in BITS.items() if bits & bit)
