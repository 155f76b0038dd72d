"""Parts that the catalog does not know: what is said of them, and that they are looked up.

Nothing is asked of the package index within a request: a worker does that, within seconds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from handlers.context import Context
from openapi.vocabulary import Plan, UpgradeReason
from package_versions.package_index import SYSTEMS, IndexName
from package_versions.package_urls import PackageUrl
from package_versions.upgrades import Remark, UpgradeRange
from storage.catalog.on_demand import NOTED_EVERY, most_on_demand, use_on_demand, uses_of
from storage.catalog.package_lookups import want_lookups
from storage.catalog.packages import PartSources, sources_of_parts
from storage.catalog.stack_plans import StackPlan, plan_stack, running_of
from storage.entries.part_deadlines import RunningPart
from storage.people.accounts import looks_up
from storage.people.stacks import list_parts
from storage.people.throttle import Limit, add_hits

A_DAY: Final = Limit(20_000, timedelta(days=1))
"""Names that an account may have looked up."""
SOONEST_SECONDS: Final = 5
LATEST_SECONDS: Final = 600
A_SECOND: Final = 10  # names that are looked up
LOOKUPS_OFF: Final = "Package lookups are off."
LOOKED_UP: Final = "Its repository is being looked up in the package index."
NO_SOURCE: Final = "No source in the catalog covers this package."
READ_FIRST: Final = "The releases of {} are being read for the first time."
TOO_MANY: Final = (
    "Not followed: this account has reached the {} plan's limit of {} on-demand sources. "
    "Sources unused for 30 days free up room; you can also request this one for the catalog."
)
UNKNOWN_TYPE: Final = (
    f"No source in the catalog covers this package, and the package index has only "
    f"{', '.join(sorted(SYSTEMS))} packages."
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an account wants to know that is not known yet, or that is kept while it is wanted.

    ``names``: what the package index is to be asked for, by part; ``repositories`` are to be read
    on demand. ``waiting``: how many parts will be known soon.
    """

    account_id: int
    names: Sequence[tuple[str, IndexName]] = ()
    repositories: Sequence[str] = ()
    waiting: int = 0


def plan_of(
    services: Context, session: Session, ranges: Iterable[UpgradeRange], account_id: int, plan: Plan
) -> tuple[StackPlan, Wishes]:
    """Return the plan of a stack, and what is to be looked up or read for it."""
    wanted = sorted(set(ranges), key=lambda it: (it.part.part, it.from_ or "", it.to or ""))
    found = sources_of_parts(session, [range_.part for range_ in wanted])
    wishes = wishes_of(services, session, found, account_id, plan)
    return plan_stack(session, wanted, found), wishes


def running_parts(
    services: Context, session: Session, account_id: int, plan: Plan, stack: str
) -> dict[int, list[RunningPart]]:
    """Return what an account runs in a stack by the ids of the sources about it."""
    saved = list_parts(session, account_id, stack)
    parsed = ((PackageUrl.parse(each.purl), each.version or None) for each in saved)
    parts = [(part, version) for part, version in parsed if part is not None]
    found = sources_of_parts(session, [part for part, _ in parts])
    wishes_of(services, session, found, account_id, plan)
    return running_of(parts, found)


def wishes_of(
    services: Context, session: Session, found: dict[str, PartSources], account_id: int, plan: Plan
) -> Wishes:
    """Return what is to be looked up or read of parts; of what cannot be, note in them why."""
    now = services.now()
    asked = [part for part, each in found.items() if each.wanted is not None]
    if asked and not (services.looks_up and looks_up(session, account_id)):
        for part in asked:
            waits = found[part].is_looked_up and found[part].on_demand
            said = found[part].seen_in or LOOKUPS_OFF
            found[part] = replace(found[part], wanted=None, is_looked_up=waits, seen_in=said)
    uses = uses_of(session, account_id) if any(each.on_demand for each in found.values()) else {}
    most, repositories = most_on_demand(plan), dict[str, None]()
    too_many = TOO_MANY.format(plan.value.capitalize(), most)
    room = most - len(uses)
    for part, each in found.items():
        repository = each.repository
        if not each.on_demand or repository is None:
            continue
        if repository not in uses and repository not in repositories and room <= len(repositories):
            left_out = PartSources(repository=repository, seen_in=too_many, is_beyond_limit=True)
            found[part] = left_out
        elif uses.get(repository, datetime.min.replace(tzinfo=UTC)) < now - NOTED_EVERY:
            repositories[repository] = None
    names = [
        (part, each.wanted)
        for part, each in found.items()
        if each.wanted is not None and each.is_to_be_noted(now)
    ]
    waiting = sum(each.is_looked_up for each in found.values())
    return Wishes(account_id, names, [*repositories], waiting)


def fulfil(services: Context, wishes: Wishes) -> dict[str, str]:
    """Have parts looked up and read; return the header that says when to ask again, if some are."""
    now, names = services.now(), wishes.names
    if names or wishes.repositories:
        with services.db.write() as session:
            if names:
                name, most = f"lookups/{wishes.account_id}", A_DAY.hits
                total, _ = add_hits(session, name, len(names), A_DAY, now=now)
                want_lookups(session, names[: max(most - total + len(names), 0)], now)
            use_on_demand(session, wishes.account_id, wishes.repositories, now=now)
    seconds = max(SOONEST_SECONDS, min(wishes.waiting // A_SECOND, LATEST_SECONDS))
    return {"Retry-After": str(seconds)} if wishes.waiting else {}


def without_source(found: Mapping[str, PartSources]) -> Iterator[tuple[str, Remark]]:
    """Yield a remark for each part that has no source, or whose source was not read yet."""
    for part, each in found.items():
        if not each.slugs or each.is_looked_up:
            yield part, remark_without_source(part, each)


def remark_without_source(part: str, found: PartSources) -> Remark:
    """Return why a part has no source: not yet, if its repository is being looked up or read."""
    parsed = PackageUrl.parse(part)
    if found.is_beyond_limit:
        return Remark(UpgradeReason.LIMIT_REACHED, found.seen_in)
    if found.is_looked_up:
        text = READ_FIRST.format(found.repository) if found.on_demand else LOOKED_UP
        return Remark(UpgradeReason.BEING_LOOKED_UP, text)
    if parsed is not None and parsed.type not in SYSTEMS and parsed.repository is None:
        return Remark(UpgradeReason.NO_SOURCE, UNKNOWN_TYPE)
    return Remark(UpgradeReason.NO_SOURCE, f"{NO_SOURCE} {found.seen_in}".strip())
