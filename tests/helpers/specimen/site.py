"""The database of the specimen with the keys to it, and the service over it, in process."""

import logging
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import structlog
from pydantic import SecretStr
from sqlalchemy import URL, create_engine, make_url, select, text
from sqlalchemy.orm import Session
from starlette.types import ASGIApp

from conformance.callers import LimitedKey
from handlers.http.auth import PLAIN_SESSION_COOKIE
from handlers.majors import Major
from openapi.vocabulary import Health, Plan, Scope
from service.app import create_app
from service.settings import Settings
from specimen.rows import (
    DIFFS,
    ENTRIES,
    MORE_PUBLISHING,
    MORE_SLUGS,
    PACKAGES,
    PUBLISHING,
    SLUGS,
    diff,
    entry,
    source,
)
from storage.catalog.packages import save_packages
from storage.catalog.sources import ids_of, save_sources
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import add_webhook
from storage.engine.database import open_database, upgrade
from storage.engine.postgresql import DIRECT, Connections
from storage.entries.diffs import add_diff
from storage.entries.entry_writes import save_entries
from storage.models import ApiKey, Delivery, DeliveryAttempt, FetchFacts, Source, Webhook
from storage.models.webhooks import DeliveryState
from storage.people.accounts import add_account
from storage.people.follows import follow_sources
from storage.people.keys import add_key
from storage.people.sessions import add_session


@dataclass(frozen=True, slots=True)
class Site:
    """A database with everything in it, and the keys to it."""

    url: str
    """Its address, as an operator writes it."""
    keys: Mapping[str, str] = field(repr=False)
    """By what they may: free and starter have some sources, diffs may everything, all has no
    add-on, the others lack a scope."""
    dead_keys: tuple[str, ...] = field(repr=False)
    """A revoked and an expired one."""
    session: str = field(repr=False)
    """The cookie of somebody on the Free plan who is signed in: NAME=VALUE."""

    @property
    def file(self) -> Path:
        """The file of a site on SQLite."""
        return _file_of(make_url(self.url))

    @property
    def limited_keys(self) -> tuple[LimitedKey, ...]:
        """Those of the keys that lack a scope or the add-on."""
        return (
            (self.keys["all"], "/diffs", 402),
            (self.keys["entries only"], "/diffs", 403),
            (self.keys["diffs only"], "/entries", 403),
        )


def make_site(folder: Path, *, now: datetime, large: bool = False) -> Site:
    """Write the database of a service into a folder; a large one has lists of several pages."""
    name = "large" if large else "changewire"
    return fill_site(f"sqlite:///{folder}/{name}.db", now=now, large=large)


def fill_site(
    url: str, *, now: datetime, large: bool = False, connections: Connections = DIRECT
) -> Site:
    """Put everything into an empty database, on SQLite or PostgreSQL."""
    database = open_database(url, connections=connections)
    upgrade(database)
    with database.write() as session:
        _fill_catalog(session, now)
        if large:
            _fill_further(session, now)
        keys = {name: _key(session, name, now, *rights) for name, rights in _RIGHTS.items()}
        dead = _dead_keys(session, now)
        _add_webhooks(session, now)
        visitor = add_account(session, "visitor@acme.example", now=now)
        cookie = f"{PLAIN_SESSION_COOKIE}={add_session(session, visitor, now=now)}"
    database.close()
    return Site(url, keys, dead, cookie)


@contextmanager
def copied(site: Site) -> Iterator[str]:
    """A copy of a site's database until the block ends; gives its address.

    PostgreSQL copies only a database that nobody is connected to.
    """
    address = make_url(site.url)
    if address.get_backend_name() == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{shutil.copy(_file_of(address), folder)}"
        return
    name = f"{address.database}_{next(_copies)}"
    _maintain(address, f"CREATE DATABASE {name} TEMPLATE {address.database} STRATEGY file_copy")
    try:
        yield address.set(database=name).render_as_string(hide_password=False)
    finally:
        _maintain(address, f"DROP DATABASE {name} WITH (FORCE)")


_copies = count()


def _maintain(address: URL, statement: str) -> None:
    """Run a statement about a database on its server, beside that database."""
    engine = create_engine(address.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def _file_of(address: URL) -> Path:
    if address.get_backend_name() != "sqlite" or address.database is None:
        raise ValueError("this site's database is no file")
    return Path(address.database)


@contextmanager
def open_service(url: str, majors: tuple[Major, ...] | None = None) -> Iterator[ASGIApp]:
    """The service over such a database, as a server process builds it."""
    settings = Settings(
        database_url=url, site_url="http://localhost", secret_key=SecretStr("x" * 32)
    )
    database = open_database(settings.database_url)
    try:
        yield create_app(settings, database, majors=majors)
    finally:
        database.close()


def quiet() -> None:
    """Let services of this process log nothing: with a fault they would log a lot."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def the_time() -> datetime:
    """The time now, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def _fill_catalog(session: Session, now: datetime) -> None:
    save_sources(session, [source(slug) for slug in SLUGS])
    save_packages(session, PACKAGES)
    for slug, source_id in ids_of(session, PUBLISHING).items():
        new = [entry(slug, number, now) for number in range(ENTRIES)]
        save_entries(session, source_id, new=new, edited=[], now=now)
    first = ids_of(session, SLUGS[:1])[SLUGS[0]]
    for number in range(DIFFS):
        at = now - timedelta(days=DIFFS - number)
        add_diff(session, first, document=diff(number, at), now=at)
    for number, slug in enumerate(SLUGS):
        _look(session, ids_of(session, [slug])[slug], number, now)
    session.flush()


def _fill_further(session: Session, now: datetime) -> None:
    """Add more sources, some with entries, the last of these with diffs."""
    save_sources(session, [source(slug) for slug in MORE_SLUGS])
    for slug, source_id in ids_of(session, MORE_PUBLISHING).items():
        new = [entry(slug, number, now) for number in range(ENTRIES)]
        save_entries(session, source_id, new=new, edited=[], now=now)
    last = ids_of(session, MORE_PUBLISHING[-1:])[MORE_PUBLISHING[-1]]
    for number in range(DIFFS):
        at = now - timedelta(days=DIFFS - number)
        add_diff(session, last, document=diff(number, at), now=at)
    for number, slug in enumerate(MORE_SLUGS):
        _look(session, ids_of(session, [slug])[slug], number, now)
    session.flush()


def _look(session: Session, source_id: int, number: int, now: datetime) -> None:
    """Facts of fetching: most are well, every seventh fails, every tenth was never asked."""
    row, facts = session.get_one(Source, source_id), session.get_one(FetchFacts, source_id)
    row.health = Health.UNKNOWN
    if number % 10 == 9:
        return
    facts.first_attempt_at = now - timedelta(days=30)
    facts.last_attempt_at = facts.last_success_at = now - timedelta(minutes=number + 1)
    facts.interval = timedelta(hours=1)
    row.health = Health.OK
    if number % 7 == 3:
        facts.fail_score, facts.failures, facts.last_failure = 1.5, 3, "timeout"
        row.health = Health.DEGRADED


_RIGHTS: dict[str, tuple[Plan, bool, list[Scope], int]] = {
    "free": (Plan.FREE, False, list(Scope), 2),
    "diffs": (Plan.ALL, True, list(Scope), 0),
    "starter": (Plan.STARTER, True, list(Scope), 8),
    "all": (Plan.ALL, False, list(Scope), 0),
    "entries only": (Plan.ALL, True, [Scope.READ_ENTRIES], 0),
    "diffs only": (Plan.ALL, True, [Scope.READ_DIFFS], 0),
}
"""The plan, the add-on, the scopes, and how many sources are selected."""


def _key(
    session: Session,
    name: str,
    now: datetime,
    plan: Plan,
    addon: bool,
    scopes: list[Scope],
    selected: int,
) -> str:
    """A key of an account of its own."""
    email = f"{name.replace(' ', '-')}@acme.example"
    account = add_account(session, email, now=now, plan=plan, diffs_addon=addon)
    key, text = add_key(session, account, name="test", scopes=scopes, now=now)
    follow_sources(session, key.account_id, ids_of(session, SLUGS[:selected]).values(), now=now)
    return text


def _add_webhooks(session: Session, now: datetime) -> None:
    """Give each account with a key a webhook, with a message that arrived and one that did not."""
    for key in session.scalars(select(ApiKey)).all():
        address = f"https://hooks.acme.example/{key.public_id}"
        settings = Webhook(name="importer", url=address, key_id=key.id, only_important=True)
        settings.failing_since = settings.last_attempt_at = settings.last_success_at = now
        webhook = add_webhook(session, key.account_id, settings, now=now)
        for state in (DeliveryState.DELIVERED, DeliveryState.DEAD):
            test = session.get_one(Delivery, add_test_event(session, webhook.id, now=now))
            test.state, test.attempts, test.next_attempt_at, test.ended_at = state, 1, None, now
            status = 200 if state is DeliveryState.DELIVERED else 503
            fault = None if state is DeliveryState.DELIVERED else "The server answered 503."
            session.add(
                DeliveryAttempt(
                    delivery_id=test.id,
                    at=now,
                    duration_ms=120,
                    status=status,
                    fault=fault,
                    answer=b"ok",
                )
            )


def _dead_keys(session: Session, now: datetime) -> tuple[str, str]:
    account = add_account(session, "gone@acme.example", now=now, plan=Plan.ALL, diffs_addon=True)
    every, past = list(Scope), now - timedelta(minutes=1)
    revoked, revoked_text = add_key(session, account, name="a", scopes=every, now=now)
    revoked.revoked_at = now - timedelta(days=1)
    _, expired_text = add_key(session, account, name="b", scopes=every, now=now, expires_at=past)
    return revoked_text, expired_text
