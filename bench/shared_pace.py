"""How fast workers on one PostgreSQL check sources that have not changed, and what a check costs.

    python bench/shared_pace.py [--workers 1 4] [--sources 2000] [--seconds 30]

Starts a PostgreSQL of its own, a vendor on loopback that answers 304 after 150 ms, and so many
workers as an operator starts them. Every source is due again at once. Prints the checks of all
workers in a second, the CPU milliseconds of a worker for a check, the connections of a worker and
the lines with ERROR in PostgreSQL's log.
"""

import tempfile
import time
from datetime import timedelta
from pathlib import Path

import psycopg
from command_line import parser_of
from shared_workers import Workers, again_due, fill
from specimen.listener import Handler, Listener
from specimen.postgresql import running_server
from specimen.processes import seconds_of

from storage.engine.database import open_database, upgrade

ANSWERS_AFTER = 0.15  # seconds
TAG = '"unchanged"'
FEED = b"<rss version='2.0'><channel><title>Acme</title></channel></rss>"


class Vendor:
    """Feeds that never change, on any loopback address; counts the requests."""

    def __init__(self) -> None:
        self.requests = 0
        this = self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                this.requests += 1
                time.sleep(ANSWERS_AFTER)
                known = self.headers["If-None-Match"] == TAG
                self.respond(304 if known else 200, b"" if known else FEED, {"ETag": TAG})

        self._listener = Listener(Answering, host="0.0.0.0")
        self.port = self._listener.server_port

    def close(self) -> None:
        self._listener.close()


def connections(address: str) -> int:
    """Return the connections to a database but this one."""
    with psycopg.connect(address.replace("+psycopg", "", 1)) as connection:
        found = connection.execute(
            "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
        ).fetchone()
    return found[0] if found else 0


def measure(workers: int, sources: int, seconds: float) -> None:
    """Let so many workers check all sources again and again; print what they did."""
    vendor = Vendor()
    with (
        running_server(max_connections="200") as postgresql,
        tempfile.TemporaryDirectory() as folder,
    ):
        address = postgresql.address(postgresql.create())
        database = open_database(address)
        upgrade(database)
        fill(database, sources, vendor.port)
        group = Workers(address, Path(folder) / "log")
        for _ in range(workers):
            group.start()
        while vendor.requests < sources:
            time.sleep(0.5)  # the first time they are read whole
        most, begun, requests = 0, time.monotonic(), vendor.requests
        used = {worker.pid: seconds_of(worker.pid) for worker in group.running}
        while time.monotonic() < begun + seconds:
            again_due(database, timedelta(0))
            most = max(most, connections(address))
            time.sleep(1)
        took, checks = time.monotonic() - begun, vendor.requests - requests
        spent = sum(seconds_of(pid) - before for pid, before in used.items())
        group.stop()
        errors = postgresql.log.read_text().count("ERROR")
        database.close()
    vendor.close()
    print(
        f"{workers} workers: {checks / took:.0f} checks a second, {1000 * spent / checks:.2f} ms "
        f"CPU of a worker for each, {most / workers:.0f} connections of a worker at most, "
        f"{errors} errors in PostgreSQL's log"
    )


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, sources=2_000, seconds=30.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4])
    options = parser.parse_args()
    for workers in options.workers:
        measure(workers, options.sources, options.seconds)


if __name__ == "__main__":
    main()
