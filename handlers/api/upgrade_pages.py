"""Pages of GET /upgrades: what lies between versions, and remarks, as the contract has them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.deadlines import deadline_document
from handlers.api.render import as_page, json_response, page_links
from handlers.context import context
from handlers.part_lookups import Wishes, covered_parts
from openapi.queries import ListUpgrades
from openapi.shapes import RemarkEntry, UpgradeRemark
from openapi.text import counted
from openapi.vocabulary import UpgradeReason
from package_versions.upgrades import Remark
from storage.catalog.packages import PartSources
from storage.entries.part_deadlines import RunningPart, deadlines_of_parts
from storage.entries.upgrades import remarked_entries, upgrade_documents, without_notes

MOST_REMARKED: Final = 20
"""The entries that a remark names."""
MOST_REMARKS: Final = 10_000

PartRelease: TypeAlias = tuple[str, int]
"""A part, and the key of the entry of one of its versions."""
PartRemark: TypeAlias = tuple[str, Remark]


@dataclass(frozen=True, slots=True)
class UpgradeList:
    """The parts of a page, in reading order."""

    releases: Sequence[PartRelease] = ()
    unknown: Sequence[PartRemark] = ()
    gaps: Sequence[PartRemark] = ()
    running: Mapping[int, Collection[RunningPart]] = field(default_factory=dict)
    found: Mapping[str, PartSources] = field(default_factory=dict)
    wishes: Wishes | None = None
    breaking: Collection[str] = ()


def upgrade_page(session: Session, query: ListUpgrades, upgrades: UpgradeList) -> Response:
    """Write a page."""
    shown = upgrades.releases[query.offset : query.offset + query.limit]
    documents = upgrade_documents(session, [key for _, key in shown])
    gaps = [*upgrades.gaps, *remarks_without_notes(session, upgrades.releases)]
    head = {
        "total": len(upgrades.releases),
        "limit": query.limit,
        "offset": query.offset,
        "sources": sorted({slug for each in upgrades.found.values() for slug in each.slugs}),
        "parts": covered_parts(
            upgrades.found,
            verdicts_of(upgrades.found, upgrades.breaking, [*upgrades.unknown, *gaps]),
        ),
        "unknown": _written(session, upgrades.unknown[:MOST_REMARKS]),
        "gaps": _written(session, gaps[:MOST_REMARKS]),
    }
    entries = [upgrade_entry(part, *documents[key]) for part, key in shown]
    days = b",".join(deadline_documents(session, upgrades.running, now=context().now()))
    links = page_links(query, context().api_url, total=len(upgrades.releases))
    body = b'%b,"deadlines":[%b]}' % (as_page(head, entries)[:-1], days)
    return json_response(body, headers={"Link": links})


def verdicts_of(
    parts: Iterable[str], breaking: Collection[str], remarks: Iterable[PartRemark]
) -> dict[str, str]:
    """Return whether upgrades of parts break something, or have to be reviewed for what is missing.

    Entries of other packages of a repository leave no doubt about a part.
    """
    doubtful = {part for part, it in remarks if it.reason != UpgradeReason.OTHER_PACKAGE}
    verdicts = dict.fromkeys(parts, "no_breaking_change_found")
    verdicts |= {part: "review" for part in verdicts if part in doubtful}
    return verdicts | {part: "breaking" for part in verdicts if part in breaking}


def deadline_documents(
    session: Session, running: Mapping[int, Collection[RunningPart]], *, now: datetime
) -> list[bytes]:
    """Return the deadlines that concern what runs, as the contract has them."""
    deadlines = deadlines_of_parts(session, running, now=now)
    return [deadline_document(deadline, today=now.date()) for deadline in deadlines]


def upgrade_entry(part: str, public: bytes, importance: bytes | None) -> bytes:
    """Return the UpgradeEntry of the contract from two stored objects."""
    why = b"" if importance is None else b',"importance":%b' % importance
    return b'{"part":%b,%b%b}' % (orjson.dumps(part), public[1:-1], why)


def remarks_without_notes(
    session: Session, releases: Iterable[PartRelease]
) -> Iterator[PartRemark]:
    """Yield a remark for each part that has versions without a text."""
    by_part: dict[str, list[int]] = {}
    for part, key in releases:
        by_part.setdefault(part, []).append(key)
    silent = without_notes(session, {key for keys in by_part.values() for key in keys})
    for part, of_part in by_part.items():
        keys = tuple(key for key in of_part if key in silent)
        if keys:
            text = f"{counted(len(keys), 'version')} without notes."
            yield part, Remark(UpgradeReason.WITHOUT_NOTES, text, keys)


def _written(session: Session, remarks: Collection[PartRemark]) -> list[UpgradeRemark]:
    """Return remarks as the contract has them."""
    entries = remarked_entries(
        session, {key for _, remark in remarks for key in remark.keys[:MOST_REMARKED]}
    )
    return [
        as_remark(part, remark, [entries[key] for key in remark.keys[:MOST_REMARKED]])
        for part, remark in remarks
    ]


def as_remark(part: str, remark: Remark, entries: Sequence[RemarkEntry] = ()) -> UpgradeRemark:
    """Return the UpgradeRemark of the contract."""
    return {
        "reason": remark.reason.value,
        "part": part,
        "text": remark.text,
        "count": len(remark.keys),
        "entries": list(entries),
    }
