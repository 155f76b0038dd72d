"""Entries between two versions of a part, with remarks on gaps in the data."""

from collections.abc import Iterator, Sequence
from typing import Final

from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.entries import allowed_sources
from handlers.api.stack_access import readable_slugs
from handlers.api.upgrade_pages import PartRemark, UpgradeList, upgrade_page
from handlers.context import context
from handlers.http.auth import Caller
from openapi.queries import ListUpgrades
from openapi.vocabulary import Category, Scope, UpgradeReason
from package_versions.package_urls import PackageUrl
from package_versions.upgrades import Remark, UpgradeRange, plan_upgrade
from storage.catalog.packages import sources_of_parts
from storage.catalog.stack_plans import StackPlan, plan_stack
from storage.entries.part_deadlines import RunningPart
from storage.entries.upgrades import known_releases, missing_entries, open_gaps
from storage.people.stacks import list_parts

NOT_A_PACKAGE: Final = Remark(UpgradeReason.NOT_A_PACKAGE, "This is no package URL.")
NOTHING_ASKED: Final = Remark(
    UpgradeReason.NOT_A_PACKAGE, "Neither a package URL nor the stack was asked for."
)
NO_SOURCE: Final = Remark(
    UpgradeReason.NO_SOURCE, "No source of the catalog is certainly about this part."
)


def list_upgrades(query: ListUpgrades, caller: Caller) -> Response:
    """Answer GET /upgrades."""
    require_scope(caller, Scope.READ_ENTRIES)
    with context().db.read() as session:
        find = _of_part if query.stack is None else _of_stack
        return upgrade_page(session, query, find(session, query, caller))


def _of_part(session: Session, query: ListUpgrades, caller: Caller) -> UpgradeList:
    """Return the plan of a part, with what only the catalog and the database can say."""
    wanted = range_of(query.purl, query.from_, query.to)
    if wanted is None:
        remark = NOTHING_ASKED if query.purl is None else NOT_A_PACKAGE
        return UpgradeList(unknown=[(query.purl or "pkg:", remark)])
    part = wanted.part.part
    slugs = sources_of_parts(session, [wanted.part]).get(part)
    if not slugs:
        return UpgradeList(unknown=[(part, NO_SOURCE)])
    readable = _readable(session, slugs, caller)
    ids = sorted(readable.values())
    plan = plan_upgrade(wanted, known_releases(session, ids))
    not_selected = [_not_selected(slug) for slug in slugs if slug not in readable]
    gaps = (*plan.gaps, *missing_entries(plan, open_gaps(session, ids)))
    return UpgradeList(
        [(part, release.key) for release in plan.releases],
        [(part, remark) for remark in (*plan.unknown, *not_selected)],
        [(part, remark) for remark in gaps],
        sorted(readable),
        {key: [RunningPart(part, wanted.from_)] for key in ids},
    )


def range_of(purl: str | None, from_: str | None, to: str | None) -> UpgradeRange | None:
    """Return the range that is meant, None where the part has no package URL.

    The version of a package URL is where it begins, if nothing else is said.
    """
    part = None if purl is None else PackageUrl.parse(purl)
    return None if part is None else UpgradeRange(part, from_ or part.version, to)


def _readable(session: Session, slugs: Sequence[str], caller: Caller) -> dict[str, int]:
    """Return the ids of those sources of a part that may be read, or refuse if none may."""
    now = context().now()
    chosen = slugs
    if not caller.reads_everything:
        selected, _ = caller.choices(session, now=now)
        chosen = [slug for slug in slugs if slug in selected] or slugs[:1]
    return allowed_sources(session, caller, chosen, now=now)


def _not_selected(slug: str) -> Remark:
    text = f"{slug} is about this part, too, and is not selected."
    return Remark(UpgradeReason.NOT_SELECTED, text)


def _of_stack(session: Session, _query: ListUpgrades, caller: Caller) -> UpgradeList:
    """Return the plan of all that an account runs: what breaks first, then part by part."""
    ranges = [
        UpgradeRange(part, saved.version)
        for saved in list_parts(session, caller.account_id)
        if (part := PackageUrl.parse(saved.purl)) is not None
    ]
    plan = plan_stack(session, ranges, readable=readable_slugs(session, caller))
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
