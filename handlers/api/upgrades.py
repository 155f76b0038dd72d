"""What lies between two versions of a part: the entries in the range, and what is not known."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.entries import allowed_states
from handlers.api.stack_access import readable_slugs
from handlers.api.upgrade_pages import PartRemark, UpgradeList, upgrade_page
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import ListUpgrades
from openapi.vocabulary import Category, Scope, UpgradeReason
from package_versions.package_urls import PackageUrl
from package_versions.upgrades import Remark, UpgradeRange, plan_upgrade
from storage.catalog.packages import sources_of_parts
from storage.catalog.stack_plans import StackPlan, cover_stack, plan_stack
from storage.entries.part_deadlines import RunningPart
from storage.entries.states import SourceState, catalog_totals
from storage.entries.upgrades import OpenGap, known_releases, missing_entries, open_gaps
from storage.people.stacks import list_parts

Write = Callable[[Session], Response]
NOT_A_PACKAGE: Final = Remark(UpgradeReason.NOT_A_PACKAGE, "This is no package URL.")
NOTHING_ASKED: Final = Remark(
    UpgradeReason.NOT_A_PACKAGE, "Neither a package URL nor the stack was asked for."
)
NO_SOURCE: Final = Remark(
    UpgradeReason.NO_SOURCE, "No source of the catalog is certainly about this part."
)


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
    with services.db.read() as session:
        find = _of_part if query.stack is None else _of_stack
        depends, write_page = find(session, query, caller)
        totals = catalog_totals(session)

    def write() -> Response:
        with services.db.read() as session:
            return write_page(session)

    versions = (totals.public_version, totals.important_version, services.now().date().isoformat())
    etag = etag_of_state(services.api_url, "upgrades", query.to_link(), depends, *versions)
    return LazyResponse(etag, write)


def _of_part(session: Session, query: ListUpgrades, caller: Caller) -> tuple[str, Write]:
    """Return what the page of one part depends on, and how to write it."""
    wanted = range_of(query.purl, query.from_, query.to)
    sources = _sources(session, wanted, caller)
    gaps = open_gaps(session, sources.ids)

    def write(session: Session) -> Response:
        return upgrade_page(session, query, _plan(session, query.purl, wanted, sources, gaps))

    state = [(it.id, it.entries, it.newest, it.document_version) for it in sources.states]
    return repr((state, sources.not_selected, gaps)), write


def range_of(purl: str | None, from_: str | None, to: str | None) -> UpgradeRange | None:
    """Return the range that is meant, None where the part has no package URL.

    The version of a package URL is where it begins, if nothing else is said.
    """
    part = None if purl is None else PackageUrl.parse(purl)
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
    purl: str | None,
    wanted: UpgradeRange | None,
    sources: PartSources,
    gaps: Iterable[OpenGap],
) -> UpgradeList:
    """Return the plan of a part, with what only the catalog and the database can say."""
    if wanted is None:
        remark = NOTHING_ASKED if purl is None else NOT_A_PACKAGE
        return UpgradeList(unknown=[(purl or "pkg:", remark)])
    part = wanted.part.part
    if not sources.states:
        return UpgradeList(unknown=[(part, NO_SOURCE)])
    plan = plan_upgrade(wanted, known_releases(session, sources.ids))
    unknown = (*plan.unknown, *(_not_selected(slug) for slug in sources.not_selected))
    return UpgradeList(
        [(part, release.key) for release in plan.releases],
        [(part, remark) for remark in unknown],
        [(part, remark) for remark in (*plan.gaps, *missing_entries(plan, gaps))],
        sorted(state.slug for state in sources.states),
        {key: [RunningPart(part, wanted.from_)] for key in sources.ids},
    )


def _not_selected(slug: str) -> Remark:
    text = f"{slug} is about this part, too, and is not selected."
    return Remark(UpgradeReason.NOT_SELECTED, text)


def _of_stack(session: Session, query: ListUpgrades, caller: Caller) -> tuple[str, Write]:
    """Return what the page of all that an account runs depends on, and how to write it."""
    parts = list_parts(session, caller.account_id)
    ranges = [
        UpgradeRange(part, saved.version)
        for saved in parts
        if (part := PackageUrl.parse(saved.purl)) is not None
    ]
    readable = readable_slugs(session, caller)
    cover = cover_stack(session, ranges, readable=readable)

    def write(session: Session) -> Response:
        plan = plan_stack(session, ranges, readable=readable)
        return upgrade_page(session, query, _list_of(plan))

    gaps = open_gaps(session, cover.source_ids)
    return repr((parts, cover.readable, cover.proposed, gaps)), write


def _list_of(plan: StackPlan) -> UpgradeList:
    """Return the plan of a stack as a page has it: what breaks first, then part by part."""
    releases = sorted(plan.releases, key=lambda it: Category.BREAKING not in it.categories)
    return UpgradeList(
        [(it.part, it.key) for it in releases],
        [*plan.unknown, *_not_compared(plan)],
        plan.gaps,
        sorted({slug for slugs in plan.readable.values() for slug in slugs}),
        plan.running,
    )


def _not_compared(plan: StackPlan) -> Iterator[PartRemark]:
    """Yield a remark for each part of a stack that has no source, or none that may be read."""
    for part, slugs in plan.proposed.items():
        yield part, Remark(UpgradeReason.NOT_SELECTED, _names(slugs))
    for part in plan.uncovered:
        yield part, NO_SOURCE


def _names(slugs: Sequence[str]) -> str:
    more = " and others" if len(slugs) > 3 else ""
    return f"Not selected: {', '.join(slugs[:3])}{more}."
