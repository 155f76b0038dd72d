"""Packages as rows of a table: what lies between the version that runs and the newest."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy.orm import Session

from handlers.covered_parts import UpgradeList, covered_parts
from handlers.part_lookups import Wishes, plan_of, remark_without_source
from handlers.site.lines import ListLine
from handlers.site.pages.lists import lines_of
from handlers.site.services import current_time, site_services
from handlers.site.session import signed_in_user
from openapi.shapes import CoveredPart
from openapi.vocabulary import UpgradeReason
from package_versions.component import Component
from package_versions.package_urls import PackageUrl
from storage.catalog.stack_plans import StackPlan, ranges_of
from storage.entries.entry_pages import feed_entries
from storage.entries.part_deadlines import deadlines_of_parts

OF_A_ROW: Final = 10
OF_A_TABLE: Final = 300
"""Changes that are shown; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """A package with the versions that run. ``covered`` is None without a source.

    ``state``: why it has none, or what of it is not known. ``counts``: its changes by category.
    """

    versions: Sequence[Component]
    covered: CoveredPart | None
    state: str
    is_awaited: bool
    counts: Counter[str] = field(default_factory=Counter)
    total: int = 0
    lines: Sequence[ListLine] = ()

    @property
    def package(self) -> Component:
        """The package, in one of its versions."""
        return self.versions[0]

    @property
    def pinned(self) -> list[str]:
        """Its package URLs with versions."""
        return [part.placed_purl or "" for part in self.versions if part.version]


def stack_table(session: Session, parts: Iterable[Component]) -> tuple[list[Row], Wishes]:
    """Return the rows of packages, what breaks first, and what is to be looked up for them."""
    owner, now = signed_in_user(), current_time()
    named = _by_part(parts)
    purls = [part.placed_purl or "" for versions in named.values() for part in versions]
    ranges = ranges_of(purls, None)
    plan, wishes = plan_of(site_services(), session, ranges, owner.account_id, owner.plan)
    upgrades = UpgradeList.of_plan(session, plan)
    deadlines = deadlines_of_parts(session, plan.running, now=now)
    covered = {it["part"]: it for it in covered_parts(session, upgrades, deadlines)}
    doubts: dict[str, str] = {}
    for part, doubt in (*upgrades.unknown, *upgrades.gaps):
        if doubt.reason != UpgradeReason.OTHER_PACKAGE:
            doubts.setdefault(part, doubt.text)
    keys, counts = _changes(plan)
    lines = _lines(session, keys)
    rows = []
    for part, versions in named.items():
        found = plan.sources[part]
        is_new = not found.slugs or found.is_looked_up
        remark = remark_without_source(part, found) if is_new else None
        rows.append(
            Row(
                versions,
                None if is_new else covered.get(part),
                remark.text if remark else doubts.get(part, ""),
                remark is not None and remark.reason == UpgradeReason.BEING_LOOKED_UP,
                counts[part],
                len(keys[part]),
                [lines[key] for key in keys[part] if key in lines],
            )
        )
    return sorted(rows, key=_order), wishes


def _by_part(parts: Iterable[Component]) -> dict[str, list[Component]]:
    """Return components by their packages; what has no package URL is left out."""
    named: defaultdict[str, list[Component]] = defaultdict(list)
    for component in parts:
        parsed = PackageUrl.parse(replace(component, version=None).placed_purl or "")
        if parsed is not None:
            named[parsed.part].append(component)
    return dict(named)


def _changes(plan: StackPlan) -> tuple[defaultdict[str, list[int]], defaultdict[str, Counter[str]]]:
    """Return the changes of each package, the important first, and how many of which category."""
    keys: defaultdict[str, list[int]] = defaultdict(list)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for release in plan.important_first:
        keys[release.part].append(release.key)
        for category in release.categories:
            counts[release.part][category.value] += 1
    return keys, counts


def _lines(session: Session, keys: Mapping[str, Sequence[int]]) -> dict[int, ListLine]:
    """Return the first changes of packages as lines."""
    firsts = [key for of_part in keys.values() for key in of_part[:OF_A_ROW]]
    shown = [*dict.fromkeys(firsts)][:OF_A_TABLE]
    entries = feed_entries(session, shown)
    lines = lines_of(entries, now=current_time())
    return {entry.key: line for entry, line in zip(entries, lines, strict=True)}


def _order(row: Row) -> tuple[int, int, bool, str]:
    return (
        -row.counts["breaking"],
        -row.counts["security"],
        row.covered is None,
        row.package.name.lower(),
    )
