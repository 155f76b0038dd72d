"""Which sources of the catalog the parts of a file have, where that is certain."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from package_versions.component import Component
from package_versions.package_urls import PackageUrl
from storage.catalog.addresses import directory
from storage.catalog.packages import sources_of_parts
from storage.catalog.search.catalog_search import search_index


@dataclass(frozen=True, slots=True)
class KnownSources:
    """Certain facts about a catalog: slugs by repository (``owner/name``) and by other name.

    ``by_part``: the sources that are about a part, by its package URL without version.
    """

    by_repository: Mapping[str, Collection[str]]
    by_alias: Mapping[str, Collection[str]]
    by_part: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Proposals:
    """The matches of a file: slugs with the parts that they are about, and parts without one."""

    followed: dict[str, list[Component]] = field(default_factory=dict)
    proposed: dict[str, list[Component]] = field(default_factory=dict)
    missing: list[Component] = field(default_factory=list)

    @property
    def versions(self) -> list[Component]:
        """The parts with a source and a version: what upgrades can be found for."""
        lists = (*self.followed.values(), *self.proposed.values())
        parts = [part for parts in lists for part in parts if part.version and part.purl]
        return sorted(parts, key=lambda part: (part.name.lower(), part.type, part.version or ""))


def known_sources(session: Session, components: Iterable[Component]) -> KnownSources:
    """Return what is certain about the catalog, of packages what some components need."""
    by_repository = {
        page.removeprefix("github.com/").removesuffix("/releases").lower(): slugs
        for page, slugs in sorted(directory(session).by_page.items())
        if page.startswith("github.com/")
    }
    by_alias: dict[str, list[str]] = {}
    for source in search_index(session).sources:
        if source.adapter_type == "github_releases":
            for alias in source.aliases or ():
                by_alias.setdefault(alias, []).append(source.slug)
    parts = {part for component in components if (part := _part_of(component)) is not None}
    return KnownSources(by_repository, by_alias, sources_of_parts(session, parts))


def _part_of(component: Component) -> PackageUrl | None:
    """Return a component as the catalog names packages."""
    purl = replace(component, version=None).purl
    return None if purl is None else PackageUrl.parse(purl)


def propose(
    components: Iterable[Component], known: KnownSources, chosen: Collection[str]
) -> Proposals:
    """Sort the parts of a file. Nothing is guessed: one source has to be meant, no more."""
    made = Proposals()
    for component in components:
        slug = source_of(component, known)
        if slug is None:
            made.missing.append(component)
        else:
            place = made.followed if slug in chosen else made.proposed
            place.setdefault(slug, []).append(component)
    return made


def source_of(component: Component, known: KnownSources) -> str | None:
    """Return the one source that a part certainly has, by package, repository or name."""
    part = _part_of(component) if known.by_part else None
    if part is not None and (slugs := known.by_part.get(part.part)):
        return slugs[0]
    meant = (
        known.by_repository.get(component.repository or "", ()),
        known.by_alias.get(component.name, ()),
    )
    return next((next(iter(slugs)) for slugs in meant if len(slugs) == 1), None)
