"""All faults together, by area."""

from dataclasses import dataclass

from specimen.site import Site

from faults import (
    additions,
    answers,
    combinations,
    corners,
    filters,
    keys,
    pages,
    partial,
    partial_filters,
    promises,
    protocol,
    public,
    queries,
    refusals,
)
from faults.fault import Fault


@dataclass(frozen=True, slots=True)
class Area:
    """Faults of one kind, and the checks that are meant to see them; others may as well."""

    name: str
    """What the page calls it."""
    faults: tuple[Fault, ...]
    checks: frozenset[str]
    partial: bool = False
    """Whether the faults show in a part of the lists only; they need lists of several pages."""


def every_area(site: Site) -> tuple[Area, ...]:
    """Every fault, in the order of the page; names are unique."""
    open_operations = keys.open_operations(site.keys["diffs"])
    areas = (
        Area("answers", answers.FAULTS, answers.CHECKS),
        Area("listings", pages.FAULTS, pages.CHECKS),
        Area("questions", queries.FAULTS, queries.CHECKS),
        Area("refusals", refusals.FAULTS, refusals.CHECKS),
        Area("keys", (*open_operations, *keys.FAULTS), keys.CHECKS),
        Area("public", public.FAULTS, public.CHECKS),
        Area("protocol", protocol.FAULTS, protocol.CHECKS),
        Area("corners", corners.FAULTS, corners.CHECKS),
        Area("promises", promises.FAULTS, promises.CHECKS),
        Area("combinations", combinations.FAULTS, combinations.CHECKS),
        Area("filters", filters.FAULTS, filters.CHECKS),
        Area("additions", additions.FAULTS, additions.CHECKS),
        Area(
            "partial",
            (*partial.FAULTS, *partial_filters.FAULTS, *additions.PARTIAL),
            partial.CHECKS | filters.CHECKS | additions.CHECKS,
            partial=True,
        ),
    )
    names = [fault.name for area in areas for fault in area.faults]
    assert len(set(names)) == len(names), "a name is taken twice"
    return areas
