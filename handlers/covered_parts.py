"""The parts of an upgrade that have sources: what lies ahead of each, and how safe that is."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias

from sqlalchemy.orm import Session

from handlers.part_lookups import Wishes
from openapi.shapes import CoveredPart
from openapi.text import counted
from openapi.vocabulary import UpgradeReason
from package_versions.upgrades import KnownRelease, Remark
from storage.catalog.packages import PartSources
from storage.catalog.stack_plans import StackPlan, StackRelease
from storage.entries.deadlines import ComingDeadline
from storage.entries.part_deadlines import RunningPart, ends_of_parts
from storage.entries.upgrades import cves_of, without_notes

MOST_SOURCES: Final = 20
MOST_CVES: Final = 100

PartRelease: TypeAlias = tuple[str, int]
"""A part, and the key of the entry of one of its versions."""
PartRemark: TypeAlias = tuple[str, Remark]


@dataclass(frozen=True, slots=True)
class UpgradeList:
    """The parts of an upgrade and the releases in between, in reading order.

    ``running``: what runs of each source, by its id; ``newest``: the last version of each part.
    ``part``: the part that all releases are of, if it is one.
    """

    releases: Sequence[KnownRelease] | Sequence[StackRelease] = ()
    unknown: Sequence[PartRemark] = ()
    gaps: Sequence[PartRemark] = ()
    running: Mapping[int, Collection[RunningPart]] = field(default_factory=dict)
    found: Mapping[str, PartSources] = field(default_factory=dict)
    wishes: Wishes | None = None
    breaking: Collection[str] = ()
    newest: Mapping[str, str] = field(default_factory=dict)
    part: str = ""

    def of_parts(self, which: slice = slice(None)) -> Iterator[PartRelease]:
        """Yield the part and the key of some releases; a source has ten thousand."""
        return ((getattr(it, "part", self.part), it.key) for it in self.releases[which])

    @classmethod
    def of_plan(
        cls,
        session: Session,
        plan: StackPlan,
        *,
        unknown: Sequence[PartRemark] = (),
        wishes: Wishes | None = None,
    ) -> Self:
        """Return the list of a stack: what breaks first."""
        releases = plan.breaking_first
        keys = ((it.part, it.key) for it in releases)
        gaps = [*plan.gaps, *remarks_without_notes(session, keys, plan.running)]
        every = [*plan.unknown, *unknown]
        return cls(
            releases, every, gaps, plan.running, plan.sources, wishes, plan.breaking, plan.newest
        )


def remarks_without_notes(
    session: Session, releases: Iterable[PartRelease], source_ids: Collection[int]
) -> Iterator[PartRemark]:
    """Yield a remark for each part that has versions of these sources without a text."""
    silent = without_notes(session, source_ids)
    by_part: dict[str, list[int]] = {}
    for part, key in releases if silent else ():
        by_part.setdefault(part, []).extend([key] if key in silent else [])
    for part, keys in by_part.items():
        if keys:
            text = f"{counted(len(keys), 'version')} without notes."
            yield part, Remark(UpgradeReason.WITHOUT_NOTES, text, tuple(keys))


def covered_parts(
    session: Session, upgrades: UpgradeList, deadlines: Iterable[ComingDeadline]
) -> list[CoveredPart]:
    """Return the parts that have sources, as the contract has them."""
    verdicts = _verdicts(upgrades)
    named = cves_of(session, upgrades.running.keys(), (key for _, key in upgrades.of_parts()))
    cves: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for part, key in upgrades.of_parts() if named else ():
        cves[part] |= dict.fromkeys(named.get(key, ()))
    running: defaultdict[str, set[RunningPart]] = defaultdict(set)
    for each in set().union(*upgrades.running.values()):
        for slug in upgrades.found[each.part].slugs:
            running[slug].add(each)
    ends = ends_of_parts(deadlines, running)
    covered = []
    for part, found in upgrades.found.items():
        if not found.slugs:
            continue
        covered.append(of_part := _covered(part, found, verdicts[part]))
        if part in upgrades.newest:
            of_part["newest"] = upgrades.newest[part]
        if cves[part]:
            of_part["cves"] = [*cves[part]][:MOST_CVES]
        if (end := ends.get(part)) is not None:
            day = end.last_day.isoformat()
            of_part["ends"] = {"kind": end.kind.value, "to": day, "text": end.evidence}
    return covered


def _verdicts(upgrades: UpgradeList) -> dict[str, str]:
    """Return whether upgrades of parts break something, or have to be reviewed for what is missing.

    Entries of other packages of a repository leave no doubt about a part.
    """
    remarks = (*upgrades.unknown, *upgrades.gaps)
    doubtful = {part for part, it in remarks if it.reason != UpgradeReason.OTHER_PACKAGE}
    verdicts = dict.fromkeys(upgrades.found, "no_breaking_change_found")
    verdicts |= {part: "review" for part in verdicts if part in doubtful}
    return verdicts | {part: "breaking" for part in verdicts if part in upgrades.breaking}


def _covered(part: str, found: PartSources, verdict: str) -> CoveredPart:
    covered: CoveredPart = {
        "part": part,
        "sources": [*found.slugs[:MOST_SOURCES]],
        "certainty": "certain" if found.is_certain else "likely",
        "verdict": verdict,
    }
    if found.repository is not None:
        covered["repository"] = found.repository
    if found.on_demand:
        covered["on_demand"] = True
    if found.seen_in:
        covered["seen_in"] = found.seen_in
    return covered
