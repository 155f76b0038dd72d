"""Which packages the sources of the catalog are about, by their package URLs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlalchemy import delete, insert, select, tuple_
from sqlalchemy.orm import Session

from package_versions.package_urls import PackageUrl, package_url_of_repository
from storage.catalog.rows import SeenPackage
from storage.engine.statements import (
    batches,
    rows_among,
)
from storage.models import Source, SourcePackage

OF_REPOSITORY: Final = "repository"
"""Where the package URL of a repository was seen: in the address of the source."""
Packages: TypeAlias = Mapping[tuple[str, int], str]
"""Where it was seen that a package, by its URL, is one of a source, by its id."""

MOST_PURLS: Final = 500
"""Package URLs of one source that are shown."""

_BATCH: Final = 500  # values of one list in a statement


@dataclass(frozen=True, slots=True)
class PackageChange:
    """The result of saving packages. ``missing``: slugs that are not in the catalog."""

    added: int
    removed: int
    unchanged: int
    missing: tuple[str, ...]


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


def sources_of_parts(session: Session, parts: Iterable[PackageUrl]) -> dict[str, list[str]]:
    """Return the slugs of the sources that are about parts, by part; those that none is are absent.

    A module whose path is that of a repository is in that repository.
    """
    named = {part.part: {part.part, part.repository or part.part} for part in parts}
    slugs_by_purl: defaultdict[str, list[str]] = defaultdict(list)
    query = select(SourcePackage.purl, Source.slug).join(
        Source, Source.id == SourcePackage.source_id
    )
    purls = set().union(*named.values())
    for purl, slug in rows_among(session, query, SourcePackage.purl, purls):
        slugs_by_purl[purl].append(slug)
    slugs = {
        part: {slug for purl in purls for slug in slugs_by_purl[purl]}
        for part, purls in named.items()
    }
    return {part: sorted(of_part) for part, of_part in slugs.items() if of_part}


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
