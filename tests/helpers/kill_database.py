"""Kill PostgreSQL again and again under writers and readers, and check what that broke.

    python tests/helpers/kill_database.py [--kills 20] [--workers 2] [--sources 40] [--seed 1]

Starts a PostgreSQL of its own, a vendor on loopback whose feeds have one more entry at each
request, and the service as an operator starts it: one ``changewire serve`` and the workers.
Somebody asks for sources without a pause, somebody else follows the entries. At random moments
the server and every process of it are killed with SIGKILL, and it is started again as a
supervisor does. Afterwards: is everything there that was acknowledged, over the API and in the
workers' logs; is the sequence of entries of each source, and that of what was followed, without
a hole and without a double; did API and workers work again within five seconds, by themselves?
Exit 1 if not.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median

import orjson
from command_line import parser_of
from shared_workers import Vendor, Workers, again_due, fill
from specimen.postgresql import PostgresServer, running_server
from specimen.serving import serve
from specimen.witnesses import Asker, Follower, Log, again_and_again
from sqlalchemy import select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from openapi.vocabulary import Plan, Scope
from storage.engine.database import Database, faults, open_database, upgrade
from storage.entries.changes import BEGINNING, changes_after
from storage.models import Entry, Source, SourceRequest
from storage.people.accounts import add_account
from storage.people.keys import add_key

EVERY = timedelta(seconds=2)
RESTART_AFTER = 0.1  # seconds; what systemd waits by default
SOON = 5.0  # seconds
LONGEST = 60.0  # seconds until the run gives up waiting


@dataclass(frozen=True, slots=True)
class Recovery:
    """Seconds from a kill to the first request, the first stored check, and heartbeats of all.

    Any worker may store it: the first one to poll the queue may take all that is due.
    """

    api: float
    ingestion: float
    every_worker: float


def killed_once(
    server: PostgresServer, database: Database, asker: Asker, logs: list[Log]
) -> Recovery:
    """Kill the server, start it, and wait until all work again."""
    begun = time.monotonic()
    server.kill()
    time.sleep(RESTART_AFTER)
    places = [log.size() for log in logs]
    server.start(max_connections="200")
    started_at = datetime.now(UTC)

    def has_checked() -> bool:
        return any(log.new_entries(place) for log, place in zip(logs, places, strict=True))

    return Recovery(
        api=_waited(begun, lambda: asker.accepted_since(begun)),
        ingestion=_waited(begun, has_checked),
        every_worker=_waited(begun, lambda: heartbeats(database, started_at) == 2 * len(logs)),
    )


def heartbeats(database: Database, since: datetime) -> int:
    """Count the queue workers with a heartbeat since then: two in each process."""
    count = text("SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > :since")
    with suppress(SQLAlchemyError), database.read() as session:
        return session.scalar(count, {"since": since}) or 0
    return 0


def _checked_sources(logs: list[Log], places: list[int]) -> set[str]:
    """Return the sources checked since the logs had these sizes."""
    return {
        slug for log, place in zip(logs, places, strict=True) for slug in log.new_entries(place)
    }


def _waited(begun: float, ready: Callable[[], bool]) -> float:
    while not ready() and time.monotonic() < begun + LONGEST:
        time.sleep(0.05)
    return time.monotonic() - begun


def faults_of(database: Database, asker: Asker, follower: Follower, logs: list[Log]) -> list[str]:
    """Return what is missing, doubled or damaged."""
    messages = faults(database)
    with database.read() as session:
        request_ids = set(session.scalars(select(SourceRequest.id)))
        counted = dict(session.execute(select(Source.slug, Source.entry_count)).all())
        titles: dict[str, list[str]] = {slug: [] for slug in counted}
        every = select(Source.slug, Entry.title).join(Entry, Entry.source_id == Source.id)
        for slug, title in session.execute(every):
            titles[slug].append(title)
        learned = list(_learned(session))
    if lost := [id_ for _, id_ in asker.accepted if id_ not in request_ids]:
        messages.append(f"{len(lost)} acknowledged requests for sources are lost")
    acknowledged = sum((log.new_entries() for log in logs), Counter[str]())
    for slug, stored in titles.items():
        if sorted(stored) != sorted(f"Release {n}" for n in range(1, len(stored) + 1)):
            messages.append(f"{slug} has holes or doubles")
        if not acknowledged[slug] <= len(stored) == counted[slug]:
            messages.append(
                f"{slug}: {acknowledged[slug]} acknowledged, {len(stored)} stored, "
                f"{counted[slug]} counted"
            )
    if follower.entries != learned:
        messages.append(f"followed {len(follower.entries)} entries of {len(learned)}, or otherwise")
    return messages


def _learned(session: Session) -> Iterator[tuple[str, str]]:
    """Give source and id of every change, in the order in which it was learned."""
    number, more = BEGINNING, True
    while more:
        page = changes_after(session, number, limit=500)
        for change in page.changes:
            number, entry = change.number, orjson.loads(change.document)
            yield entry["source"], entry["id"]
        more = page.more


def furnished(database: Database, sources: int, port: int) -> tuple[str, list[str]]:
    """Make tables, sources and a key for all of them; return the key and the slugs."""
    upgrade(database)
    fill(database, sources, port)
    now = datetime.now(UTC)
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now, plan=Plan.ALL)
        _, key = add_key(session, account, name="bench", scopes=list(Scope), now=now)
        return key, list(session.scalars(select(Source.slug)))


def _due_again(database: Database) -> None:
    """Make the sources due; without a database, wait."""
    with suppress(SQLAlchemyError):
        again_due(database, EVERY)
    time.sleep(0.5)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run. ``asked``: accepted requests; ``entries``: those that were followed.

    ``again_in``: seconds after the last kill until every source was checked.
    """

    faults: list[str]
    back: list[Recovery]
    again_in: float
    asked: int
    refused: Counter[str]
    entries: int


def run(*, kills: int, workers: int, sources: int, seed: int) -> Outcome:
    """Run the whole test."""
    with (
        closing(Vendor()) as vendor,
        running_server(max_connections="200") as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        database = open_database(server.address(server.create()))
        following = furnished(database, sources, vendor.port)
        return _run(server, database, Path(folder), following, kills, workers, seed)


def _run(
    server: PostgresServer,
    database: Database,
    folder: Path,
    following: tuple[str, list[str]],
    kills: int,
    workers: int,
    seed: int,
) -> Outcome:
    address = database.engine.url.render_as_string(hide_password=False)
    files = [folder / f"worker{number}.log" for number in range(workers)]
    processes = [Workers(address, file, level="info") for file in files]
    logs, rng = [Log(file) for file in files], random.Random(seed)
    recoveries: list[Recovery] = []
    trusting = {"CHANGEWIRE_TRUSTED_PROXIES": "127.0.0.1/32", "CHANGEWIRE_LOG_LEVEL": "error"}
    with serve(address, folder, trusting) as site:
        asker, follower = Asker(site), Follower(site, *following)
        for group in processes:
            group.start()
        try:
            with again_and_again(asker.again, follower.again, partial(_due_again, database)):
                _waited(time.monotonic(), lambda: any(log.new_entries() for log in logs))
                for _ in range(kills):
                    time.sleep(rng.uniform(1.0, 4.0))
                    recoveries.append(killed_once(server, database, asker, logs))
                places = [log.size() for log in logs]
                again_in = _waited(
                    time.monotonic(),
                    lambda: len(_checked_sources(logs, places)) == len(following[1]),
                )
        finally:
            for group in processes:
                group.stop()
        follower.again()
        follower.close()
    messages = faults_of(database, asker, follower, logs)
    database.close()
    if again_in >= LONGEST:
        messages.append(f"not every source was checked within {LONGEST:g} s of the last kill")
    if max(recovery.every_worker for recovery in recoveries) >= LONGEST:
        messages.append(f"a worker did not work again within {LONGEST:g} s")
    accepted, followed = len(asker.accepted), len(follower.entries)
    return Outcome(messages, recoveries, again_in, accepted, asker.failures, followed)


def main() -> int:
    """Run what the command line asks for."""
    parser = parser_of(__doc__, kills=20, workers=2, sources=40, seed=1)
    outcome = run(**vars(parser.parse_args()))
    for name in ("api", "ingestion", "every_worker"):
        after = [getattr(recovery, name) for recovery in outcome.back]
        print(
            f"{len(after)} kills: {name} worked again after "
            f"{median(after):.1f} s at the median, {max(after):.1f} at most"
        )
    print(f"every source was checked within {outcome.again_in:.0f} s of the last kill")
    print(f"{outcome.asked} requests for sources accepted, others: {dict(outcome.refused)}")
    print(f"{outcome.entries} entries followed")
    messages = list(outcome.faults)
    if max(max(recovery.api, recovery.ingestion) for recovery in outcome.back) > SOON:
        messages.append(f"the service was not back within {SOON:g} s")
    print("\n".join(messages) or "no fault")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
