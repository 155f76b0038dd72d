"""PostgreSQL killed under writers: what was acknowledged is kept, and all go on by themselves."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import partial

import orjson
import pytest
from shared_workers import Vendor, Workers, again_due, entry_faults, fill
from specimen.serving import serve
from specimen.witnesses import Asker, Follower, Log, again_and_again
from sqlalchemy import select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from waiting import wait_until

from openapi.vocabulary import Plan, Scope
from storage.engine.database import Database, open_database, upgrade
from storage.entries.changes import BEGINNING, changes_after
from storage.models import Source, SourceRequest
from storage.people.accounts import add_account
from storage.people.keys import add_key

SOURCES = 40
RESTART_AFTER = 0.1  # seconds; what systemd waits by default
SETTINGS = {"max_connections": "200"}
PATIENCE = 60.0  # seconds
TRUSTING = {"CHANGEWIRE_TRUSTED_PROXIES": "127.0.0.1/32", "CHANGEWIRE_LOG_LEVEL": "error"}


@pytest.mark.only_on("postgresql")
def test_nothing_acknowledged_is_lost_when_the_database_is_killed(new_server, tmp_path, kills):
    server, rng = new_server(), random.Random(1)
    server.start(**SETTINGS)
    address = server.address(server.create())
    logs = [Log(tmp_path / f"worker{number}.log") for number in range(2)]
    workers = [Workers(address, log.file, level="info") for log in logs]
    with closing(Vendor()) as vendor, closing(open_database(address)) as database:
        following = furnished(database, vendor.port)
        with serve(address, tmp_path, TRUSTING) as site:
            asker, follower = Asker(site), Follower(site, *following)
            for group in workers:
                group.start()
            try:
                with again_and_again(asker.again, follower.again, partial(due_again, database)):
                    wait_until(lambda: any(log.new_entries() for log in logs))
                    for _ in range(kills):
                        time.sleep(rng.uniform(1.0, 4.0))
                        kill_and_recover(server, database, asker, logs)
                    sizes = [log.size() for log in logs]
                    wait_until(lambda: len(checked(logs, sizes)) == SOURCES, PATIENCE)
            finally:
                for group in workers:
                    group.stop()
            follower.again()
            follower.close()
        with database.read() as session:
            request_ids = set(session.scalars(select(SourceRequest.id)))
            learned = list(changes(session))

        assert entry_faults(database, sum((log.new_entries() for log in logs), Counter())) == []
    assert asker.accepted
    assert {id_ for _, id_ in asker.accepted} <= request_ids
    assert follower.entries
    assert follower.entries == learned
    server.stop()


def furnished(database: Database, port: int) -> tuple[str, list[str]]:
    """Make tables, sources and a key for all of them; return the key and the slugs."""
    upgrade(database)
    fill(database, SOURCES, port)
    now = datetime.now(UTC)
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now, plan=Plan.ALL)
        _, key = add_key(session, account, name="follower", scopes=list(Scope), now=now)
        return key, list(session.scalars(select(Source.slug)))


def due_again(database: Database) -> None:
    """Make the sources due; without a database, wait."""
    with suppress(SQLAlchemyError):
        again_due(database, timedelta(seconds=2))
    time.sleep(0.5)


def kill_and_recover(server, database: Database, asker: Asker, logs: list[Log]) -> None:
    """Kill the server, start it, and wait until the API and every worker work again.

    Any worker may store the next check: the first to poll the queue may take all that is due.
    """
    killed_at = time.monotonic()
    server.kill()
    time.sleep(RESTART_AFTER)
    sizes, started_at = [log.size() for log in logs], datetime.now(UTC)
    server.start(**SETTINGS)
    wait_until(lambda: asker.accepted_since(killed_at), PATIENCE)
    wait_until(lambda: checked(logs, sizes), PATIENCE)
    wait_until(lambda: heartbeats(database, started_at) == 2 * len(logs), PATIENCE)


def heartbeats(database: Database, since: datetime) -> int:
    """Count the queue workers with a heartbeat since then: two in each process."""
    count = text("SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > :since")
    with suppress(SQLAlchemyError), database.read() as session:
        return session.scalar(count, {"since": since}) or 0
    return 0


def checked(logs: list[Log], sizes: list[int]) -> set[str]:
    """Return the sources checked since the logs had these sizes."""
    return {slug for log, size in zip(logs, sizes, strict=True) for slug in log.new_entries(size)}


def changes(session: Session) -> Iterator[tuple[str, str]]:
    """Give source and id of every change, in the order in which it was learned."""
    number, more = BEGINNING, True
    while more:
        page = changes_after(session, number, limit=500)
        for change in page.changes:
            number, entry = change.number, orjson.loads(change.document)
            yield entry["source"], entry["id"]
        more = page.more
