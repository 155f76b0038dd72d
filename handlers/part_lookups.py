"""Parts that the catalog does not know: what is said of them, and that they are looked up.

Nothing is asked of the package index within a request: a worker does that, within seconds.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final

from handlers.context import Context
from openapi.shapes import CoveredPart
from openapi.vocabulary import UpgradeReason
from package_versions.package_index import SYSTEMS
from package_versions.package_urls import PackageUrl
from package_versions.upgrades import Remark
from storage.catalog.package_lookups import want_lookups
from storage.catalog.packages import PartSources
from storage.people.throttle import Limit, add_hits

A_DAY: Final = Limit(20_000, timedelta(days=1))
"""Names that an account may have looked up."""
MOST_SOURCES: Final = 20
SOONEST_SECONDS: Final = 5
LATEST_SECONDS: Final = 600
A_SECOND: Final = 10  # names that are looked up
LOOKED_UP: Final = "Its repository is being looked up in the package index."
NO_SOURCE: Final = "No source of the catalog is certainly about this part."
UNKNOWN_TYPE: Final = (
    f"No source of the catalog is about this part, and the package index knows only "
    f"{', '.join(sorted(SYSTEMS))}."
)


def remark_without_source(services: Context, part: str, found: PartSources) -> Remark:
    """Return why a part has no source: not yet, if its repository is being looked up."""
    if found.is_looked_up and services.looks_up:
        return Remark(UpgradeReason.BEING_LOOKED_UP, f"{LOOKED_UP} {found.seen_in}".strip())
    parsed = PackageUrl.parse(part)
    if found.repository is not None:
        text = f"It is from {found.repository}, which no source of the catalog is about."
    elif parsed is not None and parsed.type not in SYSTEMS and parsed.repository is None:
        text = UNKNOWN_TYPE
    else:
        text = f"{NO_SOURCE} {found.seen_in}".strip()
    return Remark(UpgradeReason.NO_SOURCE, text)


def want_parts(
    services: Context, found: Mapping[str, PartSources], account_id: int
) -> dict[str, str]:
    """Have parts looked up; return the header that says when to ask again, if some are."""
    if not services.looks_up:
        return {}
    now = services.now()
    wanted = [
        (part, each.wanted)
        for part, each in found.items()
        if each.wanted is not None and each.is_to_be_noted(now)
    ]
    if wanted:
        with services.db.write() as session:
            name, most = f"lookups/{account_id}", A_DAY.hits
            total, _ = add_hits(session, name, len(wanted), A_DAY, now=now)
            want_lookups(session, wanted[: max(most - total + len(wanted), 0)], now)
    waiting = sum(each.is_looked_up for each in found.values())
    seconds = max(SOONEST_SECONDS, min(waiting // A_SECOND, LATEST_SECONDS))
    return {"Retry-After": str(seconds)} if waiting else {}


def without_source(
    services: Context, found: Mapping[str, PartSources]
) -> Iterator[tuple[str, Remark]]:
    """Yield a remark for each part that has no source."""
    for part, each in found.items():
        if not each.slugs:
            yield part, remark_without_source(services, part, each)


def covered_parts(found: Mapping[str, PartSources]) -> list[CoveredPart]:
    """Return the parts that have sources, as the contract has them."""
    return [_covered(part, each) for part, each in found.items() if each.slugs]


def _covered(part: str, found: PartSources) -> CoveredPart:
    covered: CoveredPart = {
        "part": part,
        "sources": [*found.slugs[:MOST_SOURCES]],
        "certainty": "certain" if found.is_certain else "likely",
    }
    if found.repository is not None:
        covered["repository"] = found.repository
    if found.seen_in:
        covered["seen_in"] = found.seen_in
    return covered
