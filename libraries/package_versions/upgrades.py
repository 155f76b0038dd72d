"""Releases between two versions of a package in order, and what is unknown. Pure.

A range is (from, to]: after the version that is there, up to the one that is wanted. Versions are
compared by the rules of the part's ecosystem, those of Debian and RPM by what upstream calls them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from package_versions.general import GeneralVersion
from package_versions.ordering import Comparable, Ecosystem, sort_key
from package_versions.package_urls import PackageUrl
from package_versions.release_order import ReleaseOrder, is_prerelease, order_of, parse_release
from package_versions.upgrade_reason import UpgradeReason

_UNTAGGED: Final = re.compile(r"[.-]\d{14}-[0-9a-f]{12}$")
"""The end of the version that Go gives to a commit without a tag."""
_EVER: Final = datetime.min.replace(tzinfo=UTC)

MOST_COMPARED: Final = 10_000
"""Entries of the sources of a part that are compared, the newest of them."""

_SORTED_KEPT: Final = 8
_breaks, _published_at = attrgetter("breaks"), attrgetter("published_at")

Span: TypeAlias = tuple[datetime, datetime | None]


class KnownRelease(NamedTuple):
    """An entry of a source, as far as a plan depends on it; ``key`` is that of the entry."""

    key: int
    version: str | None
    package: str | None
    prerelease: bool | None
    published_at: datetime
    breaks: bool


@dataclass(frozen=True, slots=True)
class UpgradeRange:
    """A part and the versions that its user has and wants, None for the first and the newest."""

    part: PackageUrl
    from_: str | None = None
    to: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something unknown, as a sentence, and the entries it concerns."""

    reason: UpgradeReason
    text: str
    keys: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """The entries of a range, in the order in which to read them, and what is not known.

    ``span``: from when to when its versions came out, as far as that can be told, the end None for
    until now; None where nothing can be placed. ``newest``: the last of its versions, if any.
    """

    releases: tuple[KnownRelease, ...] = ()
    unknown: tuple[Remark, ...] = ()
    gaps: tuple[Remark, ...] = ()
    span: Span | None = None
    newest: str | None = None


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Releases by what can be said of them; ``ordered`` are those with a rank in ``order``.

    ``begins``: where each rank begins in these, and the end. ``early``: keys of prereleases.
    ``ends``: the first and the last version. ``is_cut``: there are older entries, too many.
    """

    order: ReleaseOrder
    ordered: Sequence[KnownRelease]
    begins: Sequence[int]
    early: Set[int]
    ends: Sequence[str | None]
    unordered: Sequence[KnownRelease]
    others: Sequence[KnownRelease]
    without: Sequence[KnownRelease]
    is_cut: bool

    @property
    def count(self) -> int:
        """How many ranks there are."""
        return len(self.order.keys)

    def among(self, start: int, stop: int) -> Sequence[KnownRelease]:
        """Return the releases of some ranks, those of each by their times."""
        return self.ordered[self.begins[start] : self.begins[stop]]


def plan_upgrade(wanted: UpgradeRange, releases: Iterable[KnownRelease]) -> UpgradePlan:
    """Return what lies between two versions: what breaks first, then the rest, each in order."""
    ecosystem = wanted.part.ecosystem
    start, end = (parse_release(it or "", ecosystem) for it in (wanted.from_, wanted.to))
    wrong = tuple(_wrong_bounds(wanted, start, end))
    if wrong:
        return UpgradePlan(unknown=wrong)
    known = _sort(replace(wanted.part, version=None), tuple(releases))
    low, high = known.order.place(start), known.order.place(end)
    inside = known.among(0 if low is None else low.stop, known.count if high is None else high.stop)
    if known.early and not _names_prerelease(wanted):
        inside = [it for it in inside if it.key not in known.early]
    newest = inside[-1].version if inside else None
    chosen = tuple(sorted(inside, key=_breaks, reverse=True))
    is_empty = start is not None and end is not None and not sort_key(start) < sort_key(end)
    span = None if is_empty else _span(known, low, high, chosen)
    return UpgradePlan(
        chosen,
        tuple(_not_placed(known, ecosystem, span)),
        tuple(_missing(wanted, known, low, high)),
        span,
        newest,
    )


def _wrong_bounds(
    wanted: UpgradeRange, start: Comparable | None, end: Comparable | None
) -> Iterator[Remark]:
    """Return which bound is no version; without it nothing can be placed."""
    for version, parsed, reason in (
        (wanted.from_, start, UpgradeReason.FROM_NOT_COMPARABLE),
        (wanted.to, end, UpgradeReason.TO_NOT_COMPARABLE),
    ):
        if version is not None and parsed is None:
            text = f"{version!a} is not a version that {wanted.part.ecosystem} rules can compare."
            yield Remark(reason, text)


@lru_cache(maxsize=_SORTED_KEPT)
def _sort(part: PackageUrl, known: Sequence[KnownRelease]) -> _Sorted:
    if is_cut := len(known) > MOST_COMPARED:
        known = sorted(known, key=_published_at, reverse=True)[:MOST_COMPARED]
    named = [it for it in known if it.version is not None]
    meant = _meant_by(part, {it.package for it in named})
    compared = [it for it in named if it.package in meant]
    order = order_of(dict.fromkeys(it.version or "" for it in compared), part.ecosystem)
    ranked: list[list[KnownRelease]] = [[] for _ in order.keys]
    unordered: list[KnownRelease] = []
    for release in compared:
        rank = order.ranks.get(release.version or "")
        (unordered if rank is None else ranked[rank]).append(release)
    others = [it for it in named if it.package not in meant]
    without = [it for it in known if it.version is None]
    ordered = [it for of_rank in ranked for it in sorted(of_rank, key=_published_at)]
    begins = [0, *accumulate(map(len, ranked))]
    early = {it.key for it in ordered if _is_prerelease(it, order)}
    ends = [of_rank[0].version for of_rank in (*ranked[:1], *ranked[-1:])]
    return _Sorted(order, ordered, begins, early, ends, unordered, others, without, is_cut)


def _meant_by(part: PackageUrl, packages: Set[str | None]) -> Set[str | None]:
    """Return which packages of a repository are the part; the others are put aside.

    Tags that name the part come first, then those that name no package, then the only package
    that tags name.
    """
    meant = {package for package in packages if package and part.is_named(package)}
    if not meant and (None in packages or len(packages) == 1):
        return {None} if None in packages else packages
    return meant


def _is_prerelease(release: KnownRelease, order: ReleaseOrder) -> bool:
    """Return whether it is a prerelease; GitHub may have said no in spite of its stage."""
    if release.prerelease is not False or release.version not in order.prereleases:
        return release.prerelease is True or release.version in order.prereleases
    general = GeneralVersion.parse(release.version or "")
    return general is not None and not general.is_prerelease


def _names_prerelease(wanted: UpgradeRange) -> bool:
    return any(
        is_prerelease(version, wanted.part.ecosystem) and not _UNTAGGED.search(version)
        for version in (wanted.from_, wanted.to)
        if version is not None
    )


def _span(
    known: _Sorted, low: range | None, high: range | None, chosen: Sequence[KnownRelease]
) -> Span:
    """Return from when to when the versions of a range came out.

    It begins with the version that is there, else with the last one before it, and ends with the
    one that is wanted, else with the first one after it. What is newest has no end.
    """
    first, last = _EVER, None
    if low is not None and low.stop > 0:
        first = min(map(_published_at, (*known.among(low.stop - 1, low.stop), *chosen)))
    if high is not None and high.start < known.count:
        last = max(map(_published_at, (*known.among(high.start, high.start + 1), *chosen)))
    return first, last


def _not_placed(known: _Sorted, ecosystem: Ecosystem, span: Span | None) -> Iterator[Remark]:
    """Return which entries could not be placed among the versions."""
    if known.unordered:
        yield _remark(
            UpgradeReason.VERSION_NOT_COMPARABLE,
            f"whose versions {ecosystem} rules cannot compare.",
            known.unordered,
        )
    first, last = span or (None, None)
    silent = [
        it
        for it in known.without
        if first and first <= it.published_at <= (last or it.published_at)
    ]
    if silent:
        yield _remark(UpgradeReason.NO_VERSION, "from this period without a version.", silent)
    if known.others:
        names = sorted({release.package or "the repository itself" for release in known.others})
        shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
        yield _remark(UpgradeReason.OTHER_PACKAGE, f"of other packages: {shown}.", known.others)


def _missing(
    wanted: UpgradeRange, known: _Sorted, low: range | None, high: range | None
) -> Iterator[Remark]:
    """Return where what is known, or compared, begins too late or ends too early."""
    if not known.count:
        yield Remark(UpgradeReason.NO_RELEASES, "No versions of this package are known.")
        return
    for named, place in ((wanted.from_, low), (wanted.to, high)):
        if place is not None and not place and 0 < place.start < known.count:
            text = f"No entry for this package names version {named!a}."
            yield Remark(UpgradeReason.NOT_LISTED, text)
    oldest, newest = known.ends
    if known.is_cut and (low is None or low.start == 0):
        text = f"Only the newest {MOST_COMPARED:,} entries of its sources were compared."
        yield Remark(UpgradeReason.NOT_COMPARED, text)
    elif low is not None and low.stop == 0:
        between = f"Changes between {ascii(wanted.from_)[1:-1]} and {oldest} may be missing"
        text = f"The oldest known version is {oldest}. {between}."
        yield Remark(UpgradeReason.BEFORE_HISTORY, text)
    if low is not None and low.start == known.count:
        text = f"{wanted.from_!a} is newer than {newest}, the newest known version."
        yield Remark(UpgradeReason.AFTER_HISTORY, text)
    elif high is not None and high.start == known.count:
        between = f"Changes between {newest} and {ascii(wanted.to)[1:-1]} may be missing"
        text = f"The newest known version is {newest}. {between}."
        yield Remark(UpgradeReason.AFTER_HISTORY, text)


def _remark(reason: UpgradeReason, text: str, releases: Sequence[KnownRelease]) -> Remark:
    count = "1 entry" if len(releases) == 1 else f"{len(releases):,} entries"
    newest = sorted(releases, key=lambda it: (it.published_at, it.key), reverse=True)
    return Remark(reason, f"{count} {text}", tuple(release.key for release in newest))
