"""Pages of GET /upgrades in the format of the contract."""

from collections.abc import Collection, Sequence
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.deadlines import deadline_document
from handlers.api.render import as_page, json_response, page_links
from handlers.context import context
from handlers.covered_parts import PartRemark, UpgradeList, covered_parts
from openapi.queries import ListUpgrades
from openapi.shapes import RemarkEntry, UpgradeRemark
from package_versions.upgrades import Remark
from storage.entries.part_deadlines import deadlines_of_parts
from storage.entries.upgrades import remarked_entries, upgrade_documents

MOST_REMARKED: Final = 20
"""The entries that a remark names."""
MOST_REMARKS: Final = 10_000


def upgrade_page(session: Session, query: ListUpgrades, upgrades: UpgradeList) -> Response:
    """Write a page."""
    shown = [*upgrades.of_parts(slice(query.offset, query.offset + query.limit))]
    documents = upgrade_documents(session, [key for _, key in shown])
    now = context().now()
    deadlines = deadlines_of_parts(session, upgrades.running, now=now)
    head = {
        "total": len(upgrades.releases),
        "limit": query.limit,
        "offset": query.offset,
        "sources": sorted({slug for each in upgrades.found.values() for slug in each.slugs}),
        "parts": covered_parts(session, upgrades, deadlines),
        "unknown": _written(session, upgrades.unknown[:MOST_REMARKS]),
        "gaps": _written(session, upgrades.gaps[:MOST_REMARKS]),
    }
    entries = [upgrade_entry(part, *documents[key]) for part, key in shown]
    days = b",".join(deadline_document(it, today=now.date()) for it in deadlines)
    links = page_links(query, context().api_url, total=len(upgrades.releases))
    body = b'%b,"deadlines":[%b]}' % (as_page(head, entries)[:-1], days)
    return json_response(body, headers={"Link": links})


def upgrade_entry(part: str, public: bytes, importance: bytes | None) -> bytes:
    """Return the UpgradeEntry of the contract from two stored objects."""
    why = b"" if importance is None else b',"importance":%b' % importance
    return b'{"part":%b,%b%b}' % (orjson.dumps(part), public[1:-1], why)


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
