"""A small whole service in process: a catalog, entries, diffs, and keys of every plan."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import structlog
from sqlalchemy.orm import Session
from starlette.types import ASGIApp

from conformance.callers import LimitedKey
from openapi.vocabulary import AdapterType, Health, Kind, Plan, Scope
from service.app import create_app
from service.settings import Settings
from storage.accounts import add_account
from storage.archive import WrittenEntry, save_entries
from storage.database import open_database, upgrade
from storage.diffs import add_diff
from storage.documents import EntryText
from storage.keys import add_key, select_sources
from storage.models import FetchFacts, Source
from storage.sources import ids_of, save_sources

VENDORS = (
    "acme", "globex", "initech", "umbrella", "hooli", "wonka", "stark", "wayne", "cyberdyne",
    "tyrell", "soylent", "aperture", "oscorp", "massive", "pied-piper", "dunder", "vandelay",
    "bluth", "prestige", "monarch",
)  # fmt: skip
PRODUCTS = ("compute", "storage", "mail")
SLUGS = tuple(f"{vendor}.{product}" for vendor in VENDORS for product in PRODUCTS)
PUBLISHING = SLUGS[:6]
"""Sources with entries; the first of them has diffs as well."""
ENTRIES = 40
DIFFS = 3
_SENTENCE = "Version {number} of the interface is removed. "


@dataclass(frozen=True, slots=True)
class Site:
    """A database with everything in it, and the keys to it."""

    file: Path
    keys: tuple[str, ...] = field(repr=False)
    dead_keys: tuple[str, ...] = field(repr=False)
    """A revoked and an expired one."""
    limited_keys: tuple[LimitedKey, ...] = field(repr=False)
    """Those of the keys that lack a scope or the add-on."""


def make_site(folder: Path, *, now: datetime) -> Site:
    """Write the database of a service into a folder."""
    file = folder / "changewire.db"
    database = open_database(f"sqlite:///{file}")
    upgrade(database)
    with database.write() as session:
        _fill_catalog(session, now)
        keys, dead = _fill_accounts(session, now)
    database.close()
    limited = (
        LimitedKey(keys[3], "/diffs", 402),
        LimitedKey(keys[4], "/diffs", 403),
        LimitedKey(keys[5], "/entries", 403),
    )
    return Site(file, tuple(keys), tuple(dead), limited)


@contextmanager
def open_service(file: Path) -> Iterator[ASGIApp]:
    """The service over such a database, as a server process builds it."""
    settings = Settings(
        database_url=f"sqlite:///{file}",
        site_url="http://localhost",
        secret_key="x" * 32,
        _env_file=None,
    )
    database = open_database(settings.database_url)
    try:
        yield create_app(settings, database)
    finally:
        database.close()


def quiet() -> None:
    """Let services of this process log nothing: with a fault they would log a lot."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _fill_catalog(session: Session, now: datetime) -> None:
    save_sources(session, [_source(slug) for slug in SLUGS])
    for slug, source_id in ids_of(session, PUBLISHING).items():
        new = [_entry(slug, number, now) for number in range(ENTRIES)]
        save_entries(session, source_id, new=new, edited=[], now=now)
    first = ids_of(session, SLUGS[:1])[SLUGS[0]]
    for number in range(DIFFS):
        at = now - timedelta(days=DIFFS - number)
        add_diff(session, first, document=_diff(number, at), now=at)
    for number, slug in enumerate(SLUGS):
        _look(session, ids_of(session, [slug])[slug], number, now)
    session.flush()


def _source(slug: str) -> SimpleNamespace:
    vendor, _, product = slug.partition(".")
    of_mail = product == "mail"
    return SimpleNamespace(
        slug=slug,
        vendor=vendor,
        name="News of the Post" if of_mail else f"{vendor.title()} {product.title()}",
        kind=Kind.CHANGELOG if of_mail else Kind.RELEASE_NOTES,
        homepage=None if of_mail else f"https://{vendor}.example/",
        changelog_url=f"https://{vendor}.example/{product}",
        adapter_type=AdapterType.ATOM if of_mail else AdapterType.RSS,
        feed_url=f"https://feeds.{vendor}.example/{product}.xml",
        tags=("cloud", product),
    )


def _look(session: Session, source_id: int, number: int, now: datetime) -> None:
    """Facts of fetching: most are well, every seventh fails, every tenth was never asked."""
    source, facts = session.get_one(Source, source_id), session.get_one(FetchFacts, source_id)
    source.health = Health.UNKNOWN
    if number % 10 == 9:
        return
    facts.first_attempt_at = now - timedelta(days=30)
    facts.last_attempt_at = facts.last_success_at = now - timedelta(minutes=number + 1)
    facts.interval = timedelta(hours=1)
    source.health = Health.OK
    if number % 7 == 3:
        facts.fail_score, facts.failures, facts.last_failure = 1.5, 3, "timeout"
        source.health = Health.DEGRADED


def _entry(slug: str, number: int, now: datetime) -> WrittenEntry:
    """One entry: the first lies ahead, the next three came in one moment, then one in 5 hours."""
    age = -timedelta(days=2) if number == 0 else timedelta(hours=5 * max(number, 3))
    sentence = _SENTENCE.format(number=number)
    text = EntryText(
        external_id=f"{slug}/{number:03}",
        source=slug,
        vendor=slug.partition(".")[0],
        published_at=now - age,
        title=f"Version {number} goes",
        url=None if number % 5 == 4 else f"https://{slug}.example/{number}",
        summary=None if number % 9 == 8 else sentence * 20,
        raw={"guid": f"{slug}/{number:03}"},
        tags=["cloud", slug.partition(".")[2]],
    )
    important = number % 3 == 0 and text.summary is not None
    importance = json.dumps(_importance(sentence)).encode() if important else None
    return WrittenEntry(text, content_hash="0" * 64, importance=importance, importance_version=1)


def _importance(sentence: str) -> dict[str, object]:
    start = sentence.index("removed")
    passage = {"text": "removed", "start": start, "end": start + len("removed")}
    evidence = {"category": "breaking", "field": "summary", **passage}
    return {"categories": ["breaking"], "evidence": [evidence]}


def _diff(number: int, at: datetime) -> bytes:
    def snapshot(which: int, fetched_at: datetime) -> dict[str, object]:
        return {
            "snapshotId": f"snapshot_{which}",
            "fetchedAt": fetched_at.isoformat().replace("+00:00", "Z"),
            "contentHash": f"{which:064x}",
            "entryCount": which,
        }

    entry = {"id": f"{SLUGS[0]}/{number:03}", "title": f"Version {number} goes"}
    added = {"op": "added", "entryId": entry["id"], "before": None, "after": entry, "fields": []}
    return json.dumps(
        {
            "id": f"diff_{number}",
            "before": snapshot(number, at - timedelta(days=1)),
            "after": snapshot(number + 1, at),
            "stats": {"added": 1, "changed": 0, "removed": 0, "rolledOff": 0, "unchanged": number},
            "truncated": False,
            "changes": [added],
        }
    ).encode()


def _fill_accounts(session: Session, now: datetime) -> tuple[list[str], list[str]]:
    """Keys of every plan and of every right that can be missing; a revoked and an expired one."""
    every = list(Scope)
    keys = [
        _key(session, Plan.FREE, now, sources=2),
        _key(session, Plan.ALL, now, addon=True),
        _key(session, Plan.STARTER, now, sources=8, addon=True),
        _key(session, Plan.ALL, now),
        _key(session, Plan.ALL, now, addon=True, scopes=[Scope.READ_ENTRIES]),
        _key(session, Plan.ALL, now, addon=True, scopes=[Scope.READ_DIFFS]),
    ]
    account = add_account(session, "gone@acme.example", now=now, plan=Plan.ALL, diffs_addon=True)
    revoked, revoked_text = add_key(session, account, name="a", scopes=every, now=now)
    revoked.revoked_at = now - timedelta(days=1)
    past = now - timedelta(minutes=1)
    _, expired_text = add_key(session, account, name="b", scopes=every, now=now, expires_at=past)
    return keys, [revoked_text, expired_text]


def _key(
    session: Session,
    plan: Plan,
    now: datetime,
    *,
    sources: int = 0,
    addon: bool = False,
    scopes: list[Scope] | None = None,
) -> str:
    email = f"{plan.value}-{addon}-{len(scopes or [])}-{scopes}@acme.example"
    account = add_account(session, email, now=now, plan=plan, diffs_addon=addon)
    key, text = add_key(session, account, name="test", scopes=scopes or list(Scope), now=now)
    select_sources(session, key, ids_of(session, SLUGS[:sources]).values(), now=now)
    return text


def the_time() -> datetime:
    """The time now, to the second."""
    return datetime.now(UTC).replace(microsecond=0)
