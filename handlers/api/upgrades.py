"""What lies between two versions of a part: the entries in the range, and what is not known."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.entries import allowed_states
from handlers.api.links import page_links
from handlers.api.render import as_page, json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.counts import counted
from openapi.queries import ListUpgrades
from openapi.vocabulary import Json, Scope, UpgradeReason
from storage.catalog.packages import sources_of_parts
from storage.entries.states import SourceState, catalog_totals
from storage.entries.upgrades import (
    OpenGap,
    known_releases,
    open_gaps,
    remarked_entries,
    upgrade_documents,
    without_notes,
)
from versions.package_urls import PackageUrl
from versions.upgrades import Remark, UpgradePlan, UpgradeRange, plan_upgrade

MOST_REMARKED: Final = 20
"""The entries that a remark names."""


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A part with the plan of its upgrade."""

    part: str
    plan: UpgradePlan


@dataclass(frozen=True, slots=True)
class PartSources:
    """The states of the sources of a part that may be read, and the slugs of those that may not."""

    states: tuple[SourceState, ...]
    not_selected: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of those that may be read."""
        return tuple(state.id for state in self.states)


def list_upgrades(query: ListUpgrades, caller: Caller) -> LazyResponse:
    """Answer GET /upgrades."""
    require_scope(caller, Scope.READ_ENTRIES)
    services = context()
    wanted = range_of(query.purl, query.from_, query.to)
    with services.db.read() as session:
        sources = _sources(session, wanted, caller)
        totals = catalog_totals(session)
        gaps = open_gaps(session, sources.ids)

    def write() -> Response:
        with services.db.read() as session:
            planned = _plan(session, query.purl, wanted, sources, gaps)
            slugs = sorted(state.slug for state in sources.states)
            return _page(session, query, [planned], slugs)

    state = [(it.id, it.entries, it.newest, it.document_version) for it in sources.states]
    versions = (totals.public_version, totals.important_version, repr(gaps))
    depends = (query.to_link(), tuple(state), sources.not_selected, *versions)
    return LazyResponse(etag_of_state(services.api_url, "upgrades", *depends), write)


def range_of(purl: str, from_: str | None, to: str | None) -> UpgradeRange | None:
    """Return the range that is meant, None where the part has no package URL.

    The version of a package URL is where it begins, if nothing else is said.
    """
    part = PackageUrl.parse(purl)
    return None if part is None else UpgradeRange(part, from_ or part.version, to)


def _sources(session: Session, wanted: UpgradeRange | None, caller: Caller) -> PartSources:
    """Return the sources of a part, or refuse if none of them may be read."""
    slugs = _slugs(session, wanted)
    if not slugs:
        return PartSources(())
    now = context().now()
    chosen = slugs
    if not caller.reads_everything:
        selected, _ = caller.choices(session, now=now)
        chosen = [slug for slug in slugs if slug in selected] or slugs[:1]
    states = allowed_states(session, caller, chosen, now=now)
    return PartSources(tuple(states), tuple(slug for slug in slugs if slug not in chosen))


def _slugs(session: Session, wanted: UpgradeRange | None) -> list[str]:
    if wanted is None:
        return []
    return sources_of_parts(session, [wanted.part]).get(wanted.part.part, [])


def _plan(
    session: Session,
    purl: str,
    wanted: UpgradeRange | None,
    sources: PartSources,
    gaps: Iterable[OpenGap],
) -> PlannedPart:
    """Return the plan of a part, with what only the catalog and the database can say."""
    if wanted is None:
        not_one = Remark(UpgradeReason.NOT_A_PACKAGE, "This is no package URL.")
        return PlannedPart(purl, UpgradePlan(unknown=(not_one,)))
    if not sources.states:
        text = "No source of the catalog is certainly about this part."
        return PlannedPart(
            wanted.part.part, UpgradePlan(unknown=(Remark(UpgradeReason.NO_SOURCE, text),))
        )
    plan = plan_upgrade(wanted, known_releases(session, sources.ids))
    unknown = (*plan.unknown, *(_not_selected(slug) for slug in sources.not_selected))
    further = (*_missing_entries(plan, gaps), *_without_notes(session, plan))
    return PlannedPart(
        wanted.part.part,
        UpgradePlan(plan.releases, unknown, (*plan.gaps, *further), plan.span),
    )


def _not_selected(slug: str) -> Remark:
    text = f"{slug} is about this part, too, and is not selected."
    return Remark(UpgradeReason.NOT_SELECTED, text)


def _missing_entries(plan: UpgradePlan, gaps: Iterable[OpenGap]) -> Iterator[Remark]:
    """Yield a remark if entries may be missing from the time of a range."""
    if plan.span is None:
        return
    first, last = plan.span
    inside = [gap for gap in gaps if gap.after_at <= last and gap.before_at >= first]
    if inside:
        begin, end = min(gap.after_at for gap in inside), max(gap.before_at for gap in inside)
        days = f"{begin:%Y-%m-%d} and {end:%Y-%m-%d}"
        yield Remark(UpgradeReason.MISSING_ENTRIES, f"Entries between {days} may have been missed.")


def _without_notes(session: Session, plan: UpgradePlan) -> Iterator[Remark]:
    """Yield a remark if releases of a plan have no text."""
    silent = without_notes(session, [release.key for release in plan.releases])
    if silent:
        keys = tuple(release.key for release in plan.releases if release.key in silent)
        text = f"{counted(len(keys), 'version')} without notes."
        yield Remark(UpgradeReason.WITHOUT_NOTES, text, keys)


def _page(
    session: Session, query: ListUpgrades, planned: Sequence[PlannedPart], slugs: Sequence[str]
) -> Response:
    """Write a page: what breaks of all parts first, then the others, part by part."""
    items = [(not it.breaks, it.key, each.part) for each in planned for it in each.plan.releases]
    items.sort(key=lambda item: item[0])
    shown = items[query.offset : query.offset + query.limit]
    documents = upgrade_documents(session, [key for _, key, _ in shown])
    head = {
        "total": len(items),
        "limit": query.limit,
        "offset": query.offset,
        "sources": slugs,
        "unknown": _written(session, [(it.part, it.plan.unknown) for it in planned]),
        "gaps": _written(session, [(it.part, it.plan.gaps) for it in planned]),
    }
    entries = [upgrade_entry(part, *documents[key]) for _, key, part in shown]
    links = page_links(query, context().api_url, total=len(items))
    return json_response(as_page(head, entries), headers={"Link": links})


def upgrade_entry(part: str, public: bytes, importance: bytes | None) -> bytes:
    """Return the UpgradeEntry of the contract from two stored objects."""
    why = b"" if importance is None else b',"importance":%b' % importance
    return b'{"part":%b,%b%b}' % (orjson.dumps(part), public[1:-1], why)


def _written(
    session: Session, remarks: Collection[tuple[str, Sequence[Remark]]]
) -> list[dict[str, Json]]:
    """Return remarks as the contract has them."""
    keys = {
        key for _, of_part in remarks for remark in of_part for key in remark.keys[:MOST_REMARKED]
    }
    entries = remarked_entries(session, keys)
    return [
        {
            "reason": remark.reason.value,
            "part": part,
            "text": remark.text,
            "count": len(remark.keys),
            "entries": [
                {"id": it.id, "source": it.source, "title": it.title, "version": it.version}
                for it in map(entries.__getitem__, remark.keys[:MOST_REMARKED])
            ],
        }
        for part, of_part in remarks
        for remark in of_part
    ]
