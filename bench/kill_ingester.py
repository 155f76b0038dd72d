"""Kill the ingester at random moments under load, and check what that broke.

    python bench/kill_ingester.py [--kills 100] [--sources 60] [--seed 1]

A worker process reads generated feeds, of which every request finds one more entry, and says
what it has stored. It is killed with SIGKILL; then the database is opened and held against what
the worker said: nothing acknowledged may be missing, nothing half stored, nothing twice.
Exits 1 with a list of faults if there are any. `tox -e faults` runs it with 25 kills, and with
CHANGEWIRE_KILLS as many.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
from command_line import parser_of
from specimen.ingestion import feed_rows, loopback_client
from sqlalchemy import func, select, update
from vendors import running

from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from ingest.workers.local import run_local
from service.telemetry.logs import set_up_logs
from storage.catalog.sources import save_sources
from storage.engine.database import Database, faults, open_database, upgrade
from storage.models import Entry, FetchFacts, Gap, Snapshot, Source


def ingest(url: str) -> None:
    """Work as the ingester does; what the child runs."""
    set_up_logs("json", "info")
    database = open_database(url)
    with ParserPool() as parsers:
        world = Ingestion(database, loopback_client(), parsers, now=lambda: datetime.now(UTC))
        run_local(world, threading.Event(), threads=16, on_report=lambda _: None)


def make_due(database: Database) -> None:
    """Let the time pass that a killed worker's leases and every interval take."""
    past = datetime.now(UTC) - timedelta(minutes=1)
    with database.write() as session:
        session.execute(update(FetchFacts).values(next_check_at=past, leased_until=None))


def faults_of(database: Database, acknowledged: Counter[str]) -> list[str]:
    """Return what is missing, half stored, doubled or damaged."""
    messages = faults(database)
    with database.read() as session:
        stored = dict(
            session.execute(
                select(Source.slug, func.count(Entry.id))
                .outerjoin(Entry, Entry.source_id == Source.id)
                .group_by(Source.slug)
            ).all()
        )
        for slug, count in acknowledged.items():
            if stored[slug] < count:
                messages.append(f"{slug}: {count} acknowledged, {stored[slug]} stored")
        facts = select(Source.slug, Source.entry_count, FetchFacts.body_hash).join(Source.facts)
        snapshots = set(session.scalars(select(Source.slug).join(Snapshot)))
        for slug, count, body_hash in session.execute(facts):
            if count != stored[slug]:
                messages.append(f"{slug}: counts {count} entries and has {stored[slug]}")
            if (body_hash is not None) != bool(stored[slug]) or bool(stored[slug]) != (
                slug in snapshots
            ):
                messages.append(f"{slug}: entries, facts and snapshots do not go together")
        doubled = (
            select(Entry.source_id, Entry.title)
            .group_by(Entry.source_id, Entry.title)
            .having(func.count() > 1)
        )
        messages += [
            f"source {key}: {title} is stored twice" for key, title in session.execute(doubled)
        ]
        messages += [f"a gap after {gap.after_id}" for gap in session.scalars(select(Gap))]
    return messages


def killed_once(url: str, wait: float) -> tuple[Counter[str], list[str]]:
    """Run the ingester, kill it after a while; return what it acknowledged and left behind."""
    acknowledged: Counter[str] = Counter()
    with subprocess.Popen(
        [sys.executable, __file__, "--ingest", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None

        def kill() -> None:
            time.sleep(wait)
            child.send_signal(signal.SIGKILL)

        killer: threading.Thread | None = None
        for line in child.stdout:
            if killer is None:  # the first check is stored, so the load has begun
                killer = threading.Thread(target=kill)
                killer.start()
            event = orjson.loads(line) if line.startswith(b"{") and line.endswith(b"\n") else {}
            if event.get("event") == "checked":
                acknowledged[event["slug"]] += event["new"]
            elif event.get("level") == "error":
                print(event)
        if killer is not None:
            killer.join()
    return acknowledged, orphans(child.pid)


def orphans(session: int) -> list[str]:
    """Return the processes of a session that are still there after a second."""
    for _ in range(20):
        running_processes = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                running_processes.append(f"process {stat.parent.name} outlived the ingester")
        if not running_processes:
            return []
        time.sleep(0.1)
    return running_processes


def main() -> int:
    """Kill as often as the command line says; return the exit status."""
    parser = parser_of(__doc__, kills=100, sources=60, seed=1, port=8932)
    parser.add_argument("--ingest", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ingest:
        ingest(options.ingest)
        return 0
    chance = random.Random(options.seed)
    acknowledged: Counter[str] = Counter()
    messages: list[str] = []
    with tempfile.TemporaryDirectory() as folder, running(options.port) as port_suffix:
        url = f"sqlite:///{folder}/kill.db"
        database = open_database(url)
        upgrade(database)
        addresses = [
            f"http://127.0.0.{1 + number % 20}{port_suffix}/feed/{number}?grow"
            for number in range(options.sources)
        ]
        with database.write() as session:
            save_sources(session, feed_rows(addresses))
        for number in range(1, options.kills + 1):
            make_due(database)
            new_entries, orphaned = killed_once(url, chance.uniform(0, 0.8))
            acknowledged += new_entries
            messages += orphaned + faults_of(database, acknowledged)
            if number % 10 == 0:
                print(
                    f"{number} kills, {acknowledged.total()} acknowledged, {len(messages)} faults"
                )
            if messages:
                break
        with database.read() as session:
            stored = session.scalar(select(func.count()).select_from(Entry))
        database.close()
    print(
        f"{number} kills, {acknowledged.total()} entries acknowledged, {stored} stored, "
        f"{len(messages)} faults"
    )
    print("\n".join(messages))
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
