"""Which sources of the catalog the parts of a file have, where that is certain."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from handlers.components.component import Component
from storage.catalog.addresses import without_variations


@dataclass(frozen=True, slots=True)
class KnownSources:
    """What is certain about a catalog: slugs by page without variations, and by other name.

    ``by_page`` also has the pages of repositories: ``github.com/owner/name``.
    """

    by_page: Mapping[str, Collection[str]]
    by_alias: Mapping[str, Collection[str]]


@dataclass(slots=True)
class Proposals:
    """What a file means here: slugs with the parts that they are about, and parts without one."""

    followed: dict[str, list[str]] = field(default_factory=dict)
    proposed: dict[str, list[str]] = field(default_factory=dict)
    missing: list[Component] = field(default_factory=list)


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
            place.setdefault(slug, []).append(component.name)
    return made


def source_of(component: Component, known: KnownSources) -> str | None:
    """Return the one source that a part certainly has: by its repository, page or other name."""
    pages = [without_variations(component.address)] if component.address else []
    if component.repository is not None:
        pages.insert(0, f"github.com/{component.repository}")
    meant = [known.by_page.get(page, ()) for page in pages]
    if component.address is None:
        meant.append(known.by_alias.get(component.name, ()))
    return next((next(iter(slugs)) for slugs in meant if len(slugs) == 1), None)
