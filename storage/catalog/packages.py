"""Which packages the sources of the catalog are about, by their package URLs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

from sqlalchemy import and_, delete, insert, select, tuple_
from sqlalchemy.orm import Session

from package_versions.package_index import IndexName, index_name_of
from package_versions.package_urls import PackageUrl, package_url_of_repository
from storage.catalog.package_lookups import Lookup, lookups_of
from storage.catalog.rows import SeenPackage
from storage.engine.statements import batches, rows_among
from storage.engine.types import AnySelect
from storage.models import FetchFacts, Source, SourcePackage

OF_REPOSITORY: Final = "repository"
"""Where the package URL of a repository was seen: in the address of the source."""
FROM_ELSEWHERE: Final = "Its name stays here: it is from git, a file, or a registry of its own."
Packages: TypeAlias = Mapping[tuple[str, int], str]
"""Where it was seen that a package, by its URL, is one of a source, by its id."""

MOST_PURLS: Final = 500  # package URLs of one source that are shown

NOTED_EVERY: Final = timedelta(days=1)
_BATCH: Final = 500  # values of one list in a statement
_SOURCES: Final[AnySelect] = (
    select(SourcePackage.purl, Source.slug, Source.id, Source.on_demand)
    .add_columns(and_(Source.on_demand, FetchFacts.first_attempt_at.is_(None)))
    .join(Source, Source.id == SourcePackage.source_id)
    .join(FetchFacts, FetchFacts.source_id == Source.id)
)


@dataclass(frozen=True, slots=True)
class PackageChange:
    """The result of saving packages. ``missing``: slugs that are not in the catalog."""

    added: int
    removed: int
    unchanged: int
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartSources:
    """The sources of a part by their slugs and ids, and its repository, by its package URL.

    ``is_certain`` and ``seen_in``: how sure that is, and where it was seen. ``wanted``: what the
    package index is asked for, where the catalog does not know the part. ``is_looked_up`` until it
    has answered, or failed, and the repository was read. ``wanted_at``: when it was last stored
    that somebody wants it. ``on_demand``: the source is one, or would be, if it is not
    ``is_beyond_limit``.
    """

    slugs: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    repository: str | None = None
    is_certain: bool = True
    seen_in: str = ""
    wanted: IndexName | None = None
    is_looked_up: bool = False
    wanted_at: datetime | None = None
    on_demand: bool = False
    is_beyond_limit: bool = False

    def is_to_be_noted(self, now: datetime) -> bool:
        """Return whether it is to be stored that somebody wants the part now."""
        is_old = self.wanted_at is None or self.wanted_at < now - NOTED_EVERY
        return self.wanted is not None and is_old


class _Known(NamedTuple):
    """A source. ``is_new``: it is one on demand that was not read yet."""

    slug: str
    id: int
    on_demand: bool
    is_new: bool


def save_packages(session: Session, packages: Iterable[SeenPackage]) -> PackageChange:
    """Make these the packages of the sources that they name; others keep theirs."""
    by_slug: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for package in packages:
        by_slug[package.slug][package.purl] = package.seen_in
    ids = dict(session.execute(select(Source.slug, Source.id)).all())
    stored = _stored(session, {ids[slug] for slug in by_slug if slug in ids})
    of_repository = {key: seen for key, seen in stored.items() if seen == OF_REPOSITORY}
    wanted = {
        (purl, ids[slug]): seen_in
        for slug, purls in by_slug.items()
        for purl, seen_in in purls.items()
        if slug in ids
    }
    wanted |= of_repository
    _replace(session, stored, wanted)
    return PackageChange(
        added=len(wanted.keys() - stored.keys()),
        removed=len(stored.keys() - wanted.keys()),
        unchanged=len(stored.keys() & wanted.keys()) - len(of_repository),
        missing=tuple(sorted(by_slug.keys() - ids.keys())),
    )


def save_repositories(session: Session) -> None:
    """Give each source whose address is that of a repository on GitHub its package URL."""
    addresses = session.execute(select(Source.id, Source.changelog_url))
    wanted = {
        (purl, key): OF_REPOSITORY
        for key, address in addresses
        if (purl := package_url_of_repository(address)) is not None
    }
    stored = _stored(session, None)
    others = {key: seen for key, seen in stored.items() if seen != OF_REPOSITORY}
    _replace(session, stored, wanted | others)


def _stored(session: Session, source_ids: Collection[int] | None) -> Packages:
    """Return the packages of sources, None for all."""
    query = select(SourcePackage.purl, SourcePackage.source_id, SourcePackage.seen_in)
    return {
        (purl, key): seen_in
        for purl, key, seen_in in session.execute(query)
        if source_ids is None or key in source_ids
    }


def _replace(session: Session, stored: Packages, wanted: Packages) -> None:
    """Delete what is stored and not wanted so, and add what is wanted and not stored so."""
    columns = SourcePackage.__table__.c
    key = tuple_(columns.purl, columns.source_id)
    old = [key_of for key_of, _ in stored.items() - wanted.items()]
    for batch in batches(sorted(old), _BATCH):
        session.execute(delete(SourcePackage).where(key.in_(batch)))
    rows = [
        {"purl": purl, "source_id": source_id, "seen_in": seen_in}
        for (purl, source_id), seen_in in sorted(wanted.items() - stored.items())
    ]
    if rows:
        session.execute(insert(SourcePackage), rows)


def sources_of_parts(session: Session, parts: Iterable[PackageUrl]) -> dict[str, PartSources]:
    """Return the sources that are about parts, by part, and what else is known of each.

    A module whose path is that of a repository is in that repository. Where the catalog does not
    know a package, its repository counts that the package index has named.
    """
    parts = list(parts)
    purls = {part.part: {part.part} for part in parts}
    wanted: dict[str, IndexName] = {}
    for part in parts:
        purls[part.part].add(part.repository or part.part)
        if (name := index_name_of(part)) is not None:
            wanted[part.part] = name
    known = _sources_of(session, set().union(*purls.values()))
    missing = [part for part in wanted if known.keys().isdisjoint(purls[part])]
    lookups = lookups_of(session, missing)
    known |= _sources_of(session, {each.repository for each in lookups.values() if each.repository})
    return {part.part: _known_of(part, purls[part.part], known, wanted, lookups) for part in parts}


def _known_of(
    part: PackageUrl,
    purls: Iterable[str],
    known: Mapping[str, Iterable[_Known]],
    wanted: Mapping[str, IndexName],
    lookups: Mapping[str, Lookup],
) -> PartSources:
    sources = [source for purl in purls for source in known.get(purl, ())]
    lookup = lookups.get(part.part)
    if sources or part.part not in wanted:
        seen_in = FROM_ELSEWHERE if part.is_elsewhere and not (sources or part.repository) else ""
        return _with_sources(PartSources(repository=part.repository, seen_in=seen_in), sources)
    if lookup is None:
        return PartSources(wanted=wanted[part.part], is_looked_up=True)
    found = PartSources(
        repository=lookup.repository,
        is_certain=lookup.is_certain,
        seen_in=lookup.seen_in,
        wanted=wanted[part.part],
        is_looked_up=lookup.answered_at is None and not lookup.seen_in,
        wanted_at=lookup.wanted_at,
    )
    return _with_sources(found, known.get(lookup.repository or "", ()))


def _with_sources(found: PartSources, sources: Iterable[_Known]) -> PartSources:
    """Add the sources of a part; those on demand only where the catalog has none."""
    of_catalog = [source for source in sources if not source.on_demand]
    chosen = of_catalog or [*sources]
    is_new = found.repository is not None and all(source.is_new for source in chosen)
    return replace(
        found,
        slugs=tuple(sorted({source.slug for source in chosen})),
        ids=tuple(sorted({source.id for source in chosen})),
        on_demand=not of_catalog and found.repository is not None,
        is_looked_up=not of_catalog and (is_new or (found.is_looked_up and not chosen)),
    )


def _sources_of(session: Session, purls: Iterable[str]) -> dict[str, list[_Known]]:
    """Return the sources that are about packages, by package URL."""
    sources: defaultdict[str, list[_Known]] = defaultdict(list)
    for purl, *columns in rows_among(session, _SOURCES, SourcePackage.purl, purls):
        sources[purl].append(_Known(*columns))
    return dict(sources)


def purls_of(session: Session, source_ids: Iterable[int]) -> dict[int, list[str]]:
    """Return the package URLs of sources by id, those of their repositories first.

    Sources without one are absent, and of one with more than MOST_PURLS so many are there.
    """
    purls_by_source: defaultdict[int, list[str]] = defaultdict(list)
    package = SourcePackage
    query = select(package.source_id, package.purl)
    query = query.order_by(package.seen_in != OF_REPOSITORY, package.purl)
    for key, purl in rows_among(session, query, package.source_id, source_ids):
        purls_by_source[key].append(purl)
    return {key: purls[:MOST_PURLS] for key, purls in purls_by_source.items()}


def packages_of(session: Session) -> list[SeenPackage]:
    """Return all packages of the catalog but for those of repositories, by slug."""
    query = (
        select(Source.slug, SourcePackage.purl, SourcePackage.seen_in)
        .join(Source, Source.id == SourcePackage.source_id)
        .where(SourcePackage.seen_in != OF_REPOSITORY)
        .order_by(Source.slug, SourcePackage.purl)
    )
    return [SeenPackage(*row) for row in session.execute(query)]
