"""Releases between the versions in use and the latest, for many packages together."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from openapi.vocabulary import Category, UpgradeReason
from package_versions.package_urls import PackageUrl
from package_versions.upgrades import KnownRelease, Remark, UpgradePlan, UpgradeRange, plan_upgrade
from storage.catalog.packages import PartSources
from storage.engine.statements import rows_among
from storage.entries.documents import categories_of
from storage.entries.part_deadlines import RunningPart
from storage.entries.upgrades import known_releases, missing_entries, open_gaps
from storage.models import Entry

MOST_COMPARED: Final = 200_000
"""Releases that are compared for one stack, some of them for several of its parts."""
MOST_OF_A_SOURCE: Final = 200  # parts of one source that are compared with its deadlines
_LEFT_OUT: Final = Remark(
    UpgradeReason.NOT_COMPARED,
    "This stack is too large to compare every package; ask for this one alone.",
)
_NO_VERSION: Final = Remark(
    UpgradeReason.NOT_COMPARED, "No version of this package is pinned, so nothing was compared."
)


class StackRelease(NamedTuple):
    """A release between the version in use and the latest, and why it is important."""

    part: str
    key: int
    categories: frozenset[Category] = frozenset()


@dataclass(slots=True)
class StackPlan:
    """The sources of a stack in the catalog, and their releases since its versions.

    ``sources``: what is known of the sources of each part. ``running``: by the ids of sources, the
    parts that they are about with the versions that run or are wanted. ``releases``: part by part,
    each as it is planned; ``newest``: the last of their versions.
    """

    sources: dict[str, PartSources] = field(default_factory=dict)
    running: dict[int, list[RunningPart]] = field(default_factory=dict)
    releases: list[StackRelease] = field(default_factory=list)
    newest: dict[str, str] = field(default_factory=dict)
    unknown: list[tuple[str, Remark]] = field(default_factory=list)
    gaps: list[tuple[str, Remark]] = field(default_factory=list)

    @property
    def uncovered(self) -> list[str]:
        """The parts without a source."""
        return [part for part, found in self.sources.items() if not found.slugs]

    @property
    def important_first(self) -> list[StackRelease]:
        """The releases with what breaks first, then what else is important."""
        return sorted(
            self.releases,
            key=lambda it: (Category.BREAKING not in it.categories, -len(it.categories)),
        )

    @property
    def breaking_first(self) -> list[StackRelease]:
        """The releases with what breaks first, then part by part."""
        return sorted(self.releases, key=lambda it: Category.BREAKING not in it.categories)

    @property
    def breaking(self) -> set[str]:
        """The parts with a breaking change."""
        return {it.part for it in self.releases if Category.BREAKING in it.categories}

    def count(self, category: Category) -> int:
        """Return how many entries are important for this reason."""
        return len({it.key for it in self.releases if category in it.categories})


def plan_stack(
    session: Session, wanted: Sequence[UpgradeRange], sources: dict[str, PartSources]
) -> StackPlan:
    """Return the plan of a stack.

    A part without a version is looked for in the catalog, nothing is compared, and that is said.
    """
    running = running_of(((it.part, it.to or it.from_) for it in wanted), sources)
    plan = StackPlan(sources, running)
    covered = [range_ for range_ in wanted if plan.sources[range_.part.part].slugs]
    unpinned = dict.fromkeys(range_.part.part for range_ in covered if not range_.from_)
    plan.unknown += [(part, _NO_VERSION) for part in unpinned]
    _compare(session, plan, [range_ for range_ in covered if range_.from_])
    return plan


def running_of(
    parts: Iterable[tuple[PackageUrl, str | None]], found: Mapping[str, PartSources]
) -> dict[int, list[RunningPart]]:
    """Return parts with versions by the ids of the sources about them, the first of each source."""
    running: dict[int, list[RunningPart]] = {}
    for part, version in dict.fromkeys((part.part, version) for part, version in parts):
        for source_id in found[part].ids:
            of_source = running.setdefault(source_id, [])
            if len(of_source) < MOST_OF_A_SOURCE:
                of_source.append(RunningPart(part, version))
    return running


def _compare(session: Session, plan: StackPlan, wanted: Sequence[UpgradeRange]) -> None:
    """Add what lies in the ranges of parts to a plan."""
    known: dict[tuple[int, ...], Collection[KnownRelease]] = {}
    gaps = open_gaps(session, plan.running.keys())
    chosen: list[tuple[str, KnownRelease]] = []
    left = MOST_COMPARED
    for range_ in wanted:
        part = range_.part.part
        sources = plan.sources[part].ids
        if sources not in known:
            known[sources] = known_releases(session, sources)
        left -= len(known[sources])
        one = (
            plan_upgrade(range_, known[sources]) if left >= 0 else UpgradePlan(unknown=(_LEFT_OUT,))
        )
        chosen += [(part, release) for release in one.releases]
        if one.newest is not None:
            plan.newest[part] = one.newest
        plan.unknown += [(part, remark) for remark in one.unknown]
        missed = missing_entries(one, [gap for gap in gaps if gap[0] in sources])
        plan.gaps += [(part, remark) for remark in (*one.gaps, *missed)]
    why = _categories(session, plan.running)
    releases = [StackRelease(part, it.key, why.get(it.key, frozenset())) for part, it in chosen]
    plan.releases = list(dict.fromkeys(releases))


def _categories(session: Session, source_ids: Iterable[int]) -> dict[int, frozenset[Category]]:
    important = select(Entry.id, Entry.categories).where(Entry.important)
    rows = rows_among(session, important, Entry.source_id, source_ids)
    return {key: categories_of(bits) for key, bits in rows}


def ranges_of(running: Iterable[str], wanted: Iterable[str] | None) -> list[UpgradeRange]:
    """Return the ranges from versions in use to target versions, None for the newest.

    Both are package URLs with versions; what is none of these is left out.
    """
    parts = [part for text in dict.fromkeys(running) if (part := PackageUrl.parse(text))]
    if wanted is None:
        return [UpgradeRange(_without_version(part), part.version) for part in parts]
    goals: dict[str, list[str]] = {}
    for goal in filter(None, map(PackageUrl.parse, dict.fromkeys(wanted))):
        goals.setdefault(goal.part, []).append(goal.version or "")
    return [
        UpgradeRange(_without_version(part), part.version, to or None)
        for part in parts
        for to in goals.get(part.part, [])
        if to != part.version
    ]


def _without_version(part: PackageUrl) -> PackageUrl:
    return replace(part, version=None)
