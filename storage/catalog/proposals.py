"""Which sources of the catalog the parts of a file have, where that is certain."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from package_versions.component import Component
from package_versions.package_urls import PackageUrl
from storage.catalog.packages import PartSources, sources_of_parts


@dataclass(slots=True)
class Proposals:
    """The matches of a file: slugs with the parts that they are about, and parts without one.

    ``looked_up``: those of which it is not known yet; ``on_demand``: those of repositories that are
    read for the account alone.
    """

    followed: dict[str, list[Component]] = field(default_factory=dict)
    proposed: dict[str, list[Component]] = field(default_factory=dict)
    looked_up: list[Component] = field(default_factory=list)
    on_demand: list[Component] = field(default_factory=list)
    missing: list[Component] = field(default_factory=list)

    @property
    def versions(self) -> list[Component]:
        """The parts with a version that have a source, or may get one."""
        lists = (*self.followed.values(), *self.proposed.values(), self.looked_up, self.on_demand)
        parts = [part for parts in lists for part in parts if part.version and part.purl]
        return sorted(parts, key=lambda part: (part.name.lower(), part.type, part.version or ""))


def sources_of_components(
    session: Session, components: Iterable[Component]
) -> dict[str, PartSources]:
    """Return what is known of the sources of components, by their parts."""
    parts = [part for component in components if (part := _part_of(component)) is not None]
    return sources_of_parts(session, parts)


def _part_of(component: Component) -> PackageUrl | None:
    """Return a component as the catalog names packages."""
    purl = replace(component, version=None).placed_purl
    return None if purl is None else PackageUrl.parse(purl)


def propose(
    components: Iterable[Component],
    known: Mapping[str, PartSources],
    chosen: Collection[str],
    *,
    looks_up: bool,
) -> Proposals:
    """Sort the parts of a file; of several sources of a part, one that is chosen counts.

    ``looks_up``: whether packages that the catalog does not know are looked up.
    """
    made = Proposals()
    for component in components:
        part = _part_of(component)
        found = PartSources() if part is None else known[part.part]
        slugs = () if found.on_demand else found.slugs
        slug = next((slug for slug in slugs if slug in chosen), next(iter(slugs), None))
        if slug is not None:
            place = made.followed if slug in chosen else made.proposed
            place.setdefault(slug, []).append(component)
        else:
            _place(made, found, looks_up=looks_up).append(component)
    return made


def _place(made: Proposals, found: PartSources, *, looks_up: bool) -> list[Component]:
    """Return the list of a part without a source in the catalog."""
    if found.on_demand and not found.is_looked_up and found.slugs:
        return made.on_demand
    is_looked_up = found.is_looked_up and (looks_up or found.on_demand)
    return made.looked_up if is_looked_up else made.missing
