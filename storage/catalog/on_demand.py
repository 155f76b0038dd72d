"""Sources on demand: repositories that accounts ask for and that the catalog does not have.

They are checked like others, are in no list of the catalog, and are dropped when nobody used them
for 30 days.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from openapi.vocabulary import AdapterType, AddressStatus, Health, Kind, Plan, Tier
from package_versions.package_urls import PackageUrl
from storage.catalog.packages import OF_REPOSITORY, sources_of_parts
from storage.engine.statements import insert_into, rows_among
from storage.entries.diffs import drop_snapshots, snapshot_times
from storage.models import (
    ON_DEMAND,
    Account,
    FetchFacts,
    OnDemandUse,
    Source,
    SourcePackage,
    StackPart,
)
from storage.scheduling.due import lock_facts

OF_FREE: Final = 50
OF_OTHERS: Final = 500  # sources on demand of an account, by its plan
NOTED_EVERY: Final = timedelta(days=1)
UNUSED_AFTER: Final = timedelta(days=30)
HOST: Final = "github.com"
LONGEST_NAME: Final = 60  # characters of a slug


def most_on_demand(plan: Plan) -> int:
    """Return how many sources on demand an account of a plan may have."""
    return OF_FREE if plan is Plan.FREE else OF_OTHERS


def uses_of(session: Session, account_id: int) -> dict[str, datetime]:
    """Return when an account last used its sources on demand, by their repositories."""
    query = (
        select(SourcePackage.purl, OnDemandUse.used_at)
        .join(OnDemandUse, OnDemandUse.source_id == SourcePackage.source_id)
        .where(OnDemandUse.account_id == account_id, SourcePackage.seen_in == OF_REPOSITORY)
    )
    return dict(session.execute(query).all())


def use_on_demand(
    session: Session, account_id: int, repositories: Collection[str], *, now: datetime
) -> None:
    """Store that an account uses sources on demand; those that do not exist are made."""
    rows = {purl: _columns(parsed) for purl in repositories if (parsed := PackageUrl.parse(purl))}
    if not rows:
        return
    _insert(session, Source, rows.values(), "slug")
    slugs = {columns["slug"]: purl for purl, columns in rows.items()}
    found = rows_among(session, select(Source.slug, Source.id), Source.slug, slugs)
    ids = {slugs[slug]: key for slug, key in found}
    facts = [_facts(key, rows[purl]["changelog_url"]) for purl, key in ids.items()]
    _insert(session, FetchFacts, facts, "source_id")
    packages = [{"purl": p, "source_id": key, "seen_in": OF_REPOSITORY} for p, key in ids.items()]
    _insert(session, SourcePackage, packages, "purl", "source_id")
    uses = [{"account_id": account_id, "source_id": key, "used_at": now} for key in ids.values()]
    statement = insert_into(session, OnDemandUse).values(uses)
    noted = {"used_at": statement.excluded.used_at}
    keys = ["account_id", "source_id"]
    session.execute(statement.on_conflict_do_update(index_elements=keys, set_=noted))


def use_for_stacks(session: Session, purl: str, repository: str, *, now: datetime) -> None:
    """Have a repository read for the accounts that saved a package of it, as far as they may."""
    of_catalog = select(SourcePackage.source_id).where(SourcePackage.purl == repository)
    if session.scalar(of_catalog.where(SourcePackage.source_id.not_in(ON_DEMAND))) is not None:
        return
    owners = select(Account.id, Account.plan).join(StackPart, StackPart.account_id == Account.id)
    owners = owners.where(StackPart.purl == purl, Account.looks_up).distinct()
    for account_id, plan in session.execute(owners).all():
        uses = uses_of(session, account_id)
        if repository in uses or len(uses) < most_on_demand(plan):
            use_on_demand(session, account_id, [repository], now=now)


def _insert(session: Session, model: type, rows: Iterable[Mapping[str, Any]], *key: str) -> None:
    statement = insert_into(session, model).values([*rows])
    session.execute(statement.on_conflict_do_nothing(index_elements=[*key]))


def _columns(repository: PackageUrl) -> dict[str, Any]:
    owner, name = repository.namespace, repository.name
    page = f"https://{HOST}/{owner}/{name}"
    digest = hashlib.sha256(repository.part.encode()).hexdigest()[:8]
    return {
        "slug": f"on-demand.{owner}-{name}"[:LONGEST_NAME] + f"-{digest}",
        "vendor": owner,
        "name": name,
        "kind": Kind.RELEASE_NOTES,
        "homepage": page,
        "changelog_url": f"{page}/releases",
        "adapter_type": AdapterType.GITHUB_RELEASES,
        "tags": [],
        "tier": Tier.COMPONENT,
        "aliases": [],
        "prominence": 0,
        "health": Health.UNKNOWN,
        "entry_count": 0,
        "important_count": 0,
        "on_demand": True,
    }


def _facts(source_id: int, page: str) -> dict[str, Any]:
    return {
        "source_id": source_id,
        "feed_url": f"{page}.atom",
        "host": HOST,
        "address_status": AddressStatus.UNCONFIRMED,
        "fail_score": 0.0,
        "failures": 0,
        "empty_streak": 0,
        "entries_180d": 0,
        "rhythm": "",
        "open_gap": False,
        "health_days": "",
    }


def drop_unused(session: Session, *, now: datetime) -> int:
    """Delete the sources on demand that no stack and no request has used for 30 days."""
    query = select(OnDemandUse.account_id, OnDemandUse.source_id)
    old = {
        tuple(row) for row in session.execute(query.where(OnDemandUse.used_at < now - UNUSED_AFTER))
    }
    for account_id, source_id in old - _in_stacks(session):
        session.execute(delete(OnDemandUse).filter_by(account_id=account_id, source_id=source_id))
    unused = [*session.scalars(ON_DEMAND.where(Source.id.not_in(select(OnDemandUse.source_id))))]
    lock_facts(session, unused)
    for source_id in unused:
        drop_snapshots(session, [key for key, _ in snapshot_times(session, source_id)])
        session.execute(delete(Source).where(Source.id == source_id))
    return len(unused)


def _in_stacks(session: Session) -> set[tuple[int, int]]:
    """Return the accounts with saved stacks, and the sources on demand that these are about."""
    rows = session.execute(select(StackPart.account_id, StackPart.purl).distinct()).all()
    parts = [(account_id, part) for account_id, purl in rows if (part := PackageUrl.parse(purl))]
    found = sources_of_parts(session, {part for _, part in parts})
    return {
        (account_id, key)
        for account_id, part in parts
        if found[part.part].on_demand
        for key in found[part.part].ids
    }
