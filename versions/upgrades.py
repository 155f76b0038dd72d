"""Which releases lie between two versions of a part, in which order, and what is not known. Pure.

A range is (from, to]: after the version that is there, up to the one that is wanted. Versions are
compared by the rules of the part's ecosystem, those of Debian and RPM by what upstream calls them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cmp_to_key
from typing import Any, Final, NamedTuple, TypeAlias

import semver

from openapi.vocabulary import UpgradeReason
from versions.general import MAX_VERSION_LENGTH, GeneralVersion
from versions.ordering import Comparable, Ecosystem, is_prerelease, parse_version
from versions.package_urls import PackageUrl

_SEMANTIC: Final = frozenset({Ecosystem.CARGO, Ecosystem.GOLANG, Ecosystem.HELM, Ecosystem.NPM})
_DISTRIBUTIONS: Final = frozenset({Ecosystem.DEB, Ecosystem.RPM})
_EPOCH: Final = re.compile(r"\d+:", re.ASCII)
_REPACKED: Final = re.compile(r"[+~.](?:dfsg|ds|repack|git)[\w.]*$", re.ASCII)
_UNTAGGED: Final = re.compile(r"[.-]\d{14}-[0-9a-f]{12}$")
"""The end of the version that Go gives to a commit without a tag."""
_EVER: Final = datetime.min.replace(tzinfo=UTC)

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
    """Something that is not known, as a sentence, and the entries that it is about."""

    reason: UpgradeReason
    text: str
    keys: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """The entries of a range, in the order in which to read them, and what is not known.

    ``span``: from when to when its versions came out, as far as that can be told, the end None for
    until now; None where nothing can be placed.
    """

    releases: tuple[KnownRelease, ...] = ()
    unknown: tuple[Remark, ...] = ()
    gaps: tuple[Remark, ...] = ()
    span: Span | None = None


@dataclass(slots=True)
class _Sorted:
    """Releases by what can be said of them."""

    ordered: list[tuple[Comparable, KnownRelease]] = field(default_factory=list)
    unordered: list[KnownRelease] = field(default_factory=list)
    others: list[KnownRelease] = field(default_factory=list)
    without: list[KnownRelease] = field(default_factory=list)


def plan_upgrade(wanted: UpgradeRange, releases: Iterable[KnownRelease]) -> UpgradePlan:
    """Return what lies between two versions: what breaks first, then the rest, each in order."""
    ecosystem = wanted.part.ecosystem
    start, end = (_bound(version, ecosystem) for version in (wanted.from_, wanted.to))
    wrong = tuple(_wrong_bounds(wanted, start, end))
    if wrong:
        return UpgradePlan(unknown=wrong)
    known = _sort(wanted.part, releases)
    with_prereleases = _names_prerelease(wanted)
    inside = [
        (version, release)
        for version, release in known.ordered
        if (start is None or start < version)
        and (end is None or not end < version)
        and (with_prereleases or not _is_prerelease(release, ecosystem))
    ]
    inside.sort(key=lambda pair: pair[1].published_at)
    inside.sort(key=_BY_VERSION)
    inside.sort(key=lambda pair: not pair[1].breaks)
    chosen = tuple(release for _, release in inside)
    is_empty = start is not None and end is not None and not start < end
    span = None if is_empty else _span(known, start, end, chosen)
    return UpgradePlan(
        chosen,
        tuple(_not_placed(known, ecosystem, span)),
        tuple(_missing(wanted, known, start, end)),
        span,
    )


def newest_of(part: PackageUrl, releases: Iterable[KnownRelease]) -> str | None:
    """Return the newest version of some releases of a part; None without any."""
    ordered = _sort(part, releases).ordered
    return _last(ordered)[1].version if ordered else None


def parse_release(version: str, ecosystem: Ecosystem) -> Comparable | None:
    """Return the version that a source names, to be compared with others of its ecosystem.

    What vendors call a release is read as its registry would: 1.2 is 1.2.0 where versions have
    three numbers, and what a distribution adds to an upstream version does not count.
    """
    text = version.strip()
    if len(text) > MAX_VERSION_LENGTH or not text.isascii():
        return None
    if ecosystem in _DISTRIBUTIONS:
        return GeneralVersion.parse(upstream_version(text))
    if ecosystem not in _SEMANTIC:
        return parse_version(text.removeprefix("v"), ecosystem)
    try:
        return semver.Version.parse(text.removeprefix("v"), optional_minor_and_patch=True)
    except ValueError:
        return None


def upstream_version(version: str) -> str:
    """Return what upstream calls a version of a Debian or RPM package: 1:2.3~rc1-4 is 2.3-rc1."""
    text = _EPOCH.sub("", version, count=1)
    text, _, _ = text.rpartition("-") if "-" in text else (text, "", "")
    text = text.rpartition("+really")[2]
    return _REPACKED.sub("", text).replace("~", "-")


def _bound(version: str | None, ecosystem: Ecosystem) -> Comparable | None:
    return None if version is None else parse_release(version, ecosystem)


def _wrong_bounds(
    wanted: UpgradeRange, start: Comparable | None, end: Comparable | None
) -> Iterator[Remark]:
    """Say which bound is no version; without it nothing can be placed."""
    for version, parsed, reason in (
        (wanted.from_, start, UpgradeReason.FROM_NOT_COMPARABLE),
        (wanted.to, end, UpgradeReason.TO_NOT_COMPARABLE),
    ):
        if version is not None and parsed is None:
            named = f"{version!a} is no version that can be compared"
            yield Remark(reason, f"{named} by the rules of {wanted.part.ecosystem}.")


def _sort(part: PackageUrl, releases: Iterable[KnownRelease]) -> _Sorted:
    known = _Sorted()
    named: list[KnownRelease] = []
    for release in releases:
        (known.without if release.version is None else named).append(release)
    for release in _of_part(part, named, known.others):
        version = parse_release(release.version or "", part.ecosystem)
        if version is None:
            known.unordered.append(release)
        else:
            known.ordered.append((version, release))
    return known


def _of_part(
    part: PackageUrl, releases: Sequence[KnownRelease], others: list[KnownRelease]
) -> list[KnownRelease]:
    """Return the releases of a part, and put those of other packages of its repository aside.

    Tags that name the part come first, then those that name no package, then the only package
    that tags name.
    """
    packages = {release.package for release in releases}
    meant: set[str | None]
    meant = {package for package in packages if package and part.is_named(package)}
    if not meant and (None in packages or len(packages) == 1):
        meant = {None} if None in packages else packages
    others.extend(release for release in releases if release.package not in meant)
    return [release for release in releases if release.package in meant]


def _is_prerelease(release: KnownRelease, ecosystem: Ecosystem) -> bool:
    return release.prerelease is True or _comes_before(release.version or "", ecosystem)


def _names_prerelease(wanted: UpgradeRange) -> bool:
    return any(
        _comes_before(version, wanted.part.ecosystem) and not _UNTAGGED.search(version)
        for version in (wanted.from_, wanted.to)
        if version is not None
    )


def _comes_before(version: str, ecosystem: Ecosystem) -> bool:
    """Tell whether a version comes before the release that it names."""
    match parse_release(version, ecosystem):
        case GeneralVersion() as parsed:
            return parsed.is_prerelease
        case semver.Version() as parsed:
            return parsed.prerelease is not None
        case None:
            return False
        case _:
            return bool(is_prerelease(version.strip().removeprefix("v"), ecosystem))


def _span(
    known: _Sorted,
    start: Comparable | None,
    end: Comparable | None,
    chosen: Sequence[KnownRelease],
) -> Span:
    """Return from when to when the versions of a range came out.

    It begins with the version that is there, else with the last one before it, and ends with the
    one that is wanted, else with the first one after it. What is newest has no end.
    """
    before = [pair for pair in known.ordered if start is not None and not start < pair[0]]
    after = [pair for pair in known.ordered if end is not None and not pair[0] < end]
    times = [release.published_at for release in chosen]
    first = min([*_times_of(before, max), *(times if before else [])], default=_EVER)
    last = max([*_times_of(after, min), *times], default=None) if after else None
    return first, last


def _times_of(
    releases: Sequence[tuple[Comparable, KnownRelease]], choose: Callable[..., Any]
) -> list[datetime]:
    """Return when the lowest or highest version of some releases (``choose``) was published."""
    if not releases:
        return []
    chosen, _ = choose(releases, key=_BY_VERSION)
    return [
        it.published_at for version, it in releases if not (chosen < version or version < chosen)
    ]


def _is_within(moment: datetime, span: Span) -> bool:
    """Tell whether a release was published in the time of a range."""
    first, last = span
    return first <= moment and (last is None or moment <= last)


def _not_placed(known: _Sorted, ecosystem: Ecosystem, span: Span | None) -> Iterator[Remark]:
    """Say which entries could not be placed among the versions."""
    if known.unordered:
        yield _remark(
            UpgradeReason.VERSION_NOT_COMPARABLE,
            f"cannot be compared by the rules of {ecosystem}.",
            known.unordered,
        )
    silent = [it for it in known.without if span and _is_within(it.published_at, span)]
    if silent:
        yield _remark(UpgradeReason.NO_VERSION, "of this time without a version.", silent)
    if known.others:
        names = sorted({release.package or "the repository itself" for release in known.others})
        shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
        yield _remark(UpgradeReason.OTHER_PACKAGE, f"of other packages: {shown}.", known.others)


def _missing(
    wanted: UpgradeRange, known: _Sorted, start: Comparable | None, end: Comparable | None
) -> Iterator[Remark]:
    """Say where what is known begins too late or ends too early."""
    if not known.ordered:
        yield Remark(UpgradeReason.NO_RELEASES, "No version of this part is known.")
        return
    oldest, newest = (end_of(known.ordered) for end_of in (_first, _last))
    for named, bound in ((wanted.from_, start), (wanted.to, end)):
        if bound is not None and oldest[0] < bound < newest[0] and not _is_listed(bound, known):
            text = f"No entry of this part names the version {named!a}."
            yield Remark(UpgradeReason.NOT_LISTED, text)
    if start is not None and start < oldest[0]:
        before = f"The oldest version that is known is {oldest[1].version}"
        text = f"{before}; what came between {wanted.from_!a} and it is not known."
        yield Remark(UpgradeReason.BEFORE_HISTORY, text)
    if start is not None and newest[0] < start:
        text = f"{wanted.from_!a} is newer than {newest[1].version}, the newest that is known."
        yield Remark(UpgradeReason.AFTER_HISTORY, text)
    elif end is not None and newest[0] < end:
        after = f"The newest version that is known is {newest[1].version}"
        text = f"{after}; what came between it and {wanted.to!a} is not known."
        yield Remark(UpgradeReason.AFTER_HISTORY, text)


def _is_listed(bound: Comparable, known: _Sorted) -> bool:
    return any(not (it < bound or bound < it) for it, _ in known.ordered)


def _remark(reason: UpgradeReason, text: str, releases: Sequence[KnownRelease]) -> Remark:
    count = "1 entry" if len(releases) == 1 else f"{len(releases):,} entries"
    newest = sorted(releases, key=lambda it: (it.published_at, it.key), reverse=True)
    return Remark(reason, f"{count} {text}", tuple(release.key for release in newest))


def _compare(one: tuple[Comparable, KnownRelease], two: tuple[Comparable, KnownRelease]) -> int:
    return (two[0] < one[0]) - (one[0] < two[0])


_BY_VERSION: Final = cmp_to_key(_compare)


def _first(
    releases: Sequence[tuple[Comparable, KnownRelease]],
) -> tuple[Comparable, KnownRelease]:
    return min(releases, key=_BY_VERSION)


def _last(releases: Sequence[tuple[Comparable, KnownRelease]]) -> tuple[Comparable, KnownRelease]:
    return max(releases, key=_BY_VERSION)
