"""New releases of an account's stacks: for its webhooks and its digest.

What lies between the running version and the new one is counted.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlalchemy import select
from sqlalchemy.orm import Session

from package_versions.package_urls import PackageUrl
from package_versions.upgrades import KnownRelease, UpgradeRange, plan_upgrade
from storage.catalog.on_demand import uses_of
from storage.catalog.packages import sources_of_parts
from storage.entries.upgrades import known_releases
from storage.models import Entry
from storage.people.stacks import list_parts


@dataclass(frozen=True, slots=True)
class PartUpgrade:
    """A package in use with the number of newer versions, and how many are breaking."""

    part: str
    running: str
    version: str
    total: int
    breaking: int


def upgrades_of_entry(session: Session, account_id: int, entry_key: int) -> list[PartUpgrade]:
    """Return the parts that an account runs and that an entry is a newer version of."""
    query = select(Entry.source_id, Entry.version).where(Entry.id == entry_key)
    source_id, version = session.execute(query).one_or_none() or (0, None)
    running = stack_sources(session, account_id).get(source_id) if version else None
    if version is None or running is None:
        return []
    releases = known_releases(session, [source_id])
    newer = ((each, plan_upgrade(each, releases).releases) for each in running)
    return [
        _upgrade(each, version, plan_upgrade(replace(each, to=version), releases).releases)
        for each, found in newer
        if any(release.key == entry_key for release in found)
    ]


def _upgrade(running: UpgradeRange, version: str, between: Collection[KnownRelease]) -> PartUpgrade:
    part, breaking = running.part.part, sum(release.breaks for release in between)
    return PartUpgrade(part, running.from_ or "", version, len(between), breaking)


def stack_sources(
    session: Session, account_id: int, stack: str | None = None
) -> dict[int, list[UpgradeRange]]:
    """Return what an account runs, in all stacks or one, by the ids of sources that are about it.

    Of sources on demand only those count that it uses: others are beyond its limit.
    """
    parsed = ((_parsed(it.purl), it.version) for it in list_parts(session, account_id, stack))
    ranges = [UpgradeRange(part, version) for part, version in parsed if part is not None]
    found = sources_of_parts(session, {running.part for running in ranges})
    uses = uses_of(session, account_id)
    by_source: dict[int, list[UpgradeRange]] = {}
    for running in ranges:
        each = found[running.part.part]
        for source_id in () if each.on_demand and each.repository not in uses else each.ids:
            by_source.setdefault(source_id, []).append(running)
    return by_source


def upgrades_of_entries(
    session: Session,
    stack: Mapping[int, Collection[UpgradeRange]],
    keys: Mapping[int, Collection[int]],
) -> list[PartUpgrade]:
    """Return upgrades of a stack among some entries by source, breaking ones first.

    The upgrade of a part leads to the newest version that is known of it.
    """
    upgrades: list[PartUpgrade] = []
    for source_id in sorted(stack.keys() & keys.keys()):
        releases = known_releases(session, [source_id])
        upgrades += _newest(stack[source_id], releases, frozenset(keys[source_id]))
    return sorted(set(upgrades), key=lambda it: (-it.breaking, it.part, it.running))


def _newest(
    parts: Iterable[UpgradeRange], releases: Collection[KnownRelease], keys: frozenset[int]
) -> Iterator[PartUpgrade]:
    for running in parts:
        plan = plan_upgrade(running, releases)
        if plan.newest is not None and any(release.key in keys for release in plan.releases):
            yield _upgrade(running, plan.newest, plan.releases)


@lru_cache(maxsize=16_384)
def _parsed(purl: str) -> PackageUrl | None:
    """Read a package URL; many accounts run the same."""
    return PackageUrl.parse(purl)
