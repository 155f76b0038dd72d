"""Entries between two versions of a part, with remarks on gaps in the data."""

from typing import Final

from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.saved_stacks import saved_parts
from handlers.api.upgrade_pages import upgrade_page
from handlers.context import context
from handlers.covered_parts import UpgradeList, remarks_without_notes
from handlers.http.auth import Caller
from handlers.part_lookups import fulfil, plan_of, wishes_of, without_source
from openapi.queries import ListUpgrades
from openapi.vocabulary import Scope, UpgradeReason
from package_versions.package_urls import PackageUrl
from package_versions.upgrades import Remark, UpgradeRange, plan_upgrade
from storage.catalog.packages import sources_of_parts
from storage.entries.part_deadlines import RunningPart
from storage.entries.upgrades import known_releases, missing_entries, open_gaps
from storage.people.stacks import PAGE

NOT_A_PACKAGE: Final = Remark(UpgradeReason.NOT_A_PACKAGE, "This is not a package URL.")
NOTHING_ASKED: Final = Remark(UpgradeReason.NOT_A_PACKAGE, "Send purl or stack.")


def list_upgrades(query: ListUpgrades, caller: Caller) -> Response:
    """Answer GET /upgrades."""
    require_scope(caller, Scope.READ_ENTRIES)
    with context().db.read() as session:
        find = _of_part if query.stack is None else _of_stack
        upgrades = find(session, query, caller)
        response = upgrade_page(session, query, upgrades)
    if upgrades.wishes is not None:
        response.headers.update(fulfil(context(), upgrades.wishes))
    return response


def _of_part(session: Session, query: ListUpgrades, caller: Caller) -> UpgradeList:
    """Return the plan of a part, with what only the catalog and the database can say."""
    package = None if query.purl is None else PackageUrl.parse(query.purl)
    if package is None:
        remark = NOTHING_ASKED if query.purl is None else NOT_A_PACKAGE
        return UpgradeList(unknown=[(query.purl or "pkg:", remark)])
    wanted, part = UpgradeRange(package, query.from_ or package.version, query.to), package.part
    found = sources_of_parts(session, [package])
    wishes = wishes_of(context(), session, found, caller.account_id, caller.plan)
    if remarks := [*without_source(found)]:
        return UpgradeList(unknown=remarks, found=found, wishes=wishes)
    ids = found[part].ids
    plan = plan_upgrade(wanted, known_releases(session, ids))
    gaps = (*plan.gaps, *missing_entries(plan, open_gaps(session, ids)))
    keys = ((part, release.key) for release in plan.releases)
    return UpgradeList(
        plan.releases,
        [(part, remark) for remark in plan.unknown],
        [*((part, remark) for remark in gaps), *remarks_without_notes(session, keys, ids)],
        {key: [RunningPart(part, wanted.from_)] for key in ids},
        found,
        wishes,
        {part for release in plan.releases[:1] if release.breaks},  # these come first
        {part: plan.newest} if plan.newest else {},
        part,
    )


def _of_stack(session: Session, query: ListUpgrades, caller: Caller) -> UpgradeList:
    """Return the plan of a saved stack: what breaks first, then part by part."""
    parts = saved_parts(session, caller, query.stack or PAGE)
    ranges = [UpgradeRange(part, version) for part, version in parts]
    plan, wishes = plan_of(context(), session, ranges, caller.account_id, caller.plan)
    without = [*without_source(plan.sources)]
    return UpgradeList.of_plan(session, plan, unknown=without, wishes=wishes)
