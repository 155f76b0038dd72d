"""Workers beside a vendor, killed while they work, and what that must not break."""

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import psycopg
from filling import catalog_row
from specimen.listener import Handler, Listener
from specimen.postgresql import running_server
from specimen.serving import CHANGEWIRE
from sqlalchemy import select, update

from storage.catalog.removal import remove_sources
from storage.catalog.sources import save_sources
from storage.engine.database import Database, faults, open_database, upgrade
from storage.models import Entry, FetchFacts, Source

GRACE = 60.0
PER_HOST = 2


class Vendor:
    """Feeds on many loopback addresses that grow at each request; records the requests."""

    def __init__(self) -> None:
        self.requests: dict[str, list[float]] = defaultdict(list)
        self.faults: list[str] = []
        present, lock, this = Counter[str](), threading.Lock(), self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                host = self.headers["Host"]
                with lock:
                    this.requests[self.path].append(time.monotonic())
                    number = len(this.requests[self.path])
                    present.update((self.path, host))
                    if present[self.path] > 1:
                        this.faults.append(f"{self.path} was asked for by two at a time")
                    if present[host] > PER_HOST:
                        this.faults.append(f"{host} was asked by {present[host]} at a time")
                time.sleep(0.1)
                with lock:  # before the client has the response and may ask again
                    present.subtract((self.path, host))
                self.respond(200, feed(self.path, number))

        self._listener = Listener(Answering, host="0.0.0.0")
        self.port = self._listener.server_port

    def close(self) -> None:
        self._listener.close()


def feed(path: str, number: int) -> bytes:
    """Return a feed of the last 30 entries."""
    start = datetime(2026, 11, 1, tzinfo=UTC)
    items = "".join(
        f"<item><guid>{path}/{entry}</guid><title>Release {entry}</title><pubDate>"
        f"{(start + timedelta(minutes=entry)).strftime('%a, %d %b %Y %H:%M:%S GMT')}"
        "</pubDate></item>"
        for entry in range(number, max(0, number - 30), -1)
    )
    title = "<title>Acme</title>"
    return f"<rss version='2.0'><channel>{title}{items}</channel></rss>".encode()


def loopback(number: int) -> str:
    """Return one of many loopback addresses."""
    return f"127.{number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"


def fill(database: Database, sources: int, port: int, *, vendor: str = "acme") -> None:
    """Store sources, four of each of so many hosts."""
    rows = [
        catalog_row(
            f"{vendor}{number // 4}.product{number % 4}", changelog_url=address, feed_url=address
        )
        for number in range(sources)
        for address in [f"http://{loopback(number // 4)}:{port}/{number}"]
    ]
    with database.write() as session:
        save_sources(session, rows)


class Workers:
    """Processes of ``changewire worker``."""

    def __init__(self, address: str, log: Path, *, level: str = "warning") -> None:
        self._log = log
        self._environment = {
            **os.environ,
            "CHANGEWIRE_DATABASE_URL": address,
            "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
            "CHANGEWIRE_LOG_LEVEL": level,
        }
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start one more."""
        with self._log.open("ab") as log:
            self.running.append(
                subprocess.Popen(
                    [*CHANGEWIRE, "worker"],
                    env=self._environment,
                    stdout=log,
                    stderr=log,
                    cwd=self._log.parent,
                    start_new_session=True,
                )
            )

    def kill(self, chosen: subprocess.Popen[bytes]) -> None:
        """Kill one with its children, as the kernel does without memory."""
        os.killpg(chosen.pid, signal.SIGKILL)
        chosen.wait()
        self.running.remove(chosen)

    def stop(self) -> None:
        """Stop all."""
        for worker in self.running:
            worker.terminate()
        for worker in self.running:
            worker.wait(30)


def stored_titles(database: Database) -> dict[str, list[str]]:
    """Return the titles that are stored, by source."""
    titles: dict[str, list[str]] = defaultdict(list)
    with database.read() as session:
        every = select(Source.slug, Entry.title).outerjoin(Entry, Entry.source_id == Source.id)
        for slug, title in session.execute(every):
            titles[slug] += [] if title is None else [title]
    return titles


def entry_faults(database: Database, acknowledged: Mapping[str, int]) -> list[str]:
    """Return what is missing of the entries that logs acknowledge, doubled or damaged."""
    address = database.engine.url.render_as_string(hide_password=False)
    with closing(open_database(address)) as fresh:  # an old connection checks FTS5 by what it knew
        messages = faults(fresh)
    with database.read() as session:
        counted = dict(session.execute(select(Source.slug, Source.entry_count)).all())
    for slug, titles in stored_titles(database).items():
        if sorted(titles) != sorted(f"Release {n}" for n in range(1, len(titles) + 1)):
            messages.append(f"{slug} has holes or doubles")
        if not acknowledged.get(slug, 0) <= len(titles) == counted[slug]:
            messages.append(
                f"{slug}: {acknowledged.get(slug, 0)} acknowledged, {len(titles)} stored, "
                f"{counted[slug]} counted"
            )
    return messages


def all_due(database: Database) -> None:
    """Let the time pass that the leases of a killed worker and every interval take."""
    past = datetime.now(UTC) - timedelta(minutes=1)
    with database.write() as session:
        session.execute(update(FetchFacts).values(next_check_at=past, leased_until=None))


def again_due(database: Database, every: timedelta) -> None:
    """Make sources due that were last checked longer ago than the interval."""
    now = datetime.now(UTC)
    with database.write() as session:
        session.execute(
            update(FetchFacts)
            .where(FetchFacts.last_attempt_at <= now - every, FetchFacts.next_check_at > now)
            .values(next_check_at=now)
        )


def replace_all(database: Database, sources: int, port: int) -> None:
    """Remove the sources that come and go, in whatever state they are, and make them anew."""
    going = select(Source.id).where(Source.slug.startswith("going"))
    with database.write() as session:
        remove_sources(session, session.scalars(going).all(), now=datetime.now(UTC))
    fill(database, sources, port, vendor="going")


def faults_of(
    database: Database, vendor: Vendor, sources: int, *, every: float, until: float
) -> list[str]:
    """Return the faults."""
    messages = sorted(set(vendor.faults))
    if len(vendor.requests) < sources:
        messages.append(f"{sources - len(vendor.requests)} sources were never asked for")
    for path, times in vendor.requests.items():
        waited = max(later - earlier for earlier, later in pairwise([*times, until]))
        if waited > every + GRACE:
            messages.append(f"{path} waited {waited:.0f} s")
    stored = entry_faults(database, {})
    messages += [it for it in stored if not it.startswith("going")]  # made anew, at a later entry
    return messages


def stuck(address: str) -> list[str]:
    """Return leases and jobs that are still held."""
    held = {
        "leases": "SELECT count(*) FROM fetch_facts WHERE leased_until > now()",
        "jobs": "SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'",
    }
    with psycopg.connect(address.replace("+psycopg", "", 1)) as connection:
        counts = {name: connection.execute(query).fetchone() for name, query in held.items()}
    return [f"{row[0]} {name} are stuck" for name, row in counts.items() if row and row[0]]


def run(
    *, workers: int, kills: int, sources: int, removed: int, every: float, seed: int
) -> list[str]:
    """Kill workers on PostgreSQL at random moments; return the faults.

    Every source is made due again so many seconds after it was checked. Further sources are removed
    and made anew, while they are checked or not. A fault is a source that waited longer than its
    interval and a minute, two requests for a source or three for a host at a time, an entry stored
    twice, a lease or job that stays, or an ERROR in PostgreSQL's log.
    """
    rng = random.Random(seed)
    vendor, vendor_of_removed = Vendor(), Vendor()
    with running_server(max_connections="200") as server, tempfile.TemporaryDirectory() as folder:
        address = server.address(server.create())
        database = open_database(address)
        upgrade(database)
        fill(database, sources, vendor.port)
        group = Workers(address, Path(folder) / "log")
        for _ in range(workers):
            group.start()
        begun, killed = time.monotonic(), 0
        next_kill = begun + 15
        last_turn = begun
        while killed < kills or time.monotonic() < next_kill + every + GRACE:
            again_due(database, timedelta(seconds=every))
            if rng.random() < 0.2:
                replace_all(database, removed, vendor_of_removed.port)
            if killed < kills and time.monotonic() >= next_kill:
                group.kill(rng.choice(group.running))
                group.start()
                killed += 1
                next_kill = time.monotonic() + rng.uniform(1.0, 6.0)
            time.sleep(0.5)
            last_turn = time.monotonic()
        messages = faults_of(database, vendor, sources, every=every, until=last_turn)
        group.stop()
        messages += stuck(address)
        messages += [line for line in server.log.read_text().splitlines() if "ERROR:" in line]
        database.close()
        vendor.close()
        vendor_of_removed.close()
        if messages:
            print((Path(folder) / "log").read_text()[-3000:])
    return messages
