"""Workers as processes: never two at one source, stopped by a signal at once."""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from threading import Event, Lock

import pytest
from filling import catalog_row
from specimen.listener import Handler, Listener
from sqlalchemy import select
from waiting import wait_until

from storage.catalog.sources import save_sources
from storage.engine.database import open_database
from storage.models import Entry, FetchFacts

pytestmark = pytest.mark.slow

FEED = (
    b"<rss version='2.0'><channel><title>Acme</title><item><guid>1</guid><title>One</title>"
    b"<pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate></item></channel></rss>"
)


class Presence:
    """A server on every loopback address that takes its time and notes who is there at once."""

    def __init__(self):
        self.asked, self.most = Counter(), Counter()
        self.arrived, self.released = Event(), Event()
        self.seconds = 0.05
        present, lock, this = Counter(), Lock(), self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                names = (self.path, self.headers["Host"])
                with lock:
                    this.asked[self.path] += 1
                    present.update(names)
                    for name in names:
                        this.most[name] = max(this.most[name], present[name])
                this.arrived.set()
                this.released.wait(this.seconds)
                with lock:
                    present.subtract(names)
                self.respond(200, FEED)

        self._listener = Listener(Answering, host="0.0.0.0")
        self.port = self._listener.server_port

    def close(self):
        self.released.set()
        self._listener.close()


@pytest.fixture
def presence():
    presence = Presence()
    yield presence
    presence.close()


@pytest.fixture
def database_url(tmp_path, empty_database_file):
    shutil.copy(empty_database_file, tmp_path / "changewire.db")
    return f"sqlite:///{tmp_path}/changewire.db"


@pytest.fixture
def database(database_url):
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture
def start(tmp_path, database_url):
    """Start a command as a process of its own."""
    environment = os.environ | {
        "CHANGEWIRE_DATABASE_URL": database_url,
        "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
        "CHANGEWIRE_OUTBOX": str(tmp_path / "outbox"),
        "PYTHONUNBUFFERED": "1",
    }
    started = []

    def start(*arguments):
        command = [sys.executable, "-m", "service.cli", *arguments]
        with (tmp_path / f"{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=tmp_path, env=environment, stdout=log, stderr=log
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def add_sources(database, presence, *, hosts, each):
    rows = [
        catalog_row(f"vendor{host}.product{number}", changelog_url=address, feed_url=address)
        for host in range(1, hosts + 1)
        for number in range(each)
        for address in [f"http://127.0.0.{host}:{presence.port}/{host}/{number}"]
    ]
    with database.write() as session:
        save_sources(session, rows)


def test_two_workers_share_sources_without_meeting_at_one(database, presence, start, tmp_path):
    add_sources(database, presence, hosts=6, each=6)

    workers = [start("worker"), start("worker")]
    wait_until(lambda: len(presence.asked) == 36)

    def all_stored():
        with database.read() as session:
            return len(session.scalars(select(Entry.id)).all()) == 36

    def both_listen():  # the second may still be starting when all is done
        return all("stop with Ctrl+C" in log.read_text() for log in tmp_path.glob("?.log"))

    wait_until(all_stored)
    wait_until(both_listen)
    for worker in workers:
        worker.send_signal(signal.SIGTERM)
    assert [worker.wait(30) for worker in workers] == [0, 0]
    assert set(presence.asked.values()) == {1}
    assert max(presence.most.values()) <= 2


def test_the_whole_service_stops_at_once_though_vendors_hang(
    database, presence, start, tmp_path, unused_port
):
    presence.seconds = 600
    add_sources(database, presence, hosts=3, each=1)

    service = start("up", "--port", str(unused_port))
    assert presence.arrived.wait(240)
    service.send_signal(signal.SIGINT)

    assert service.wait(10) == 0
    with database.read() as session:
        facts = session.scalars(select(FetchFacts)).all()
    assert [(fact.leased_until, fact.last_attempt_at) for fact in facts] == [(None, None)] * 3
    assert b"Traceback" not in (tmp_path / "0.log").read_bytes()
