"""Compare a million entries with ten thousand: CPU and time of pages and searches, memory.

Both databases are filled by the functions that ingestion uses (a million entries take minutes) and
asked over HTTP. CPU is that of the server and, on PostgreSQL, of the database. Promises at a
million: 99 of 100 requests for the first page of a list take 20 ms of CPU at most, for a search or
a page of the site 50, at any offset 100.

    python bench/million.py [--entries 1000000] [--small 10000] [--requests 200]
        [--on sqlite postgresql]
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlencode

from common import Application, parser_of, quantile
from entries import PURL, SLUGS, fill
from specimen.postgresql import running_server
from specimen.serving import free_port

from storage.engine.database import open_database

TARGETS: dict[str, tuple[str, dict[str, str | int]]] = {
    "latest": ("latest", {}),
    "latest, offset 1,000": ("latest", {"offset": 1_000}),
    "latest, offset 9,000": ("latest", {"offset": 9_000}),
    "latest, offset 500,000": ("latest", {"offset": 500_000}),
    "important": ("important", {}),
    "important, a category": ("important", {"category": "breaking"}),
    "entries, 3 sources": ("entries", {"sources": ",".join(SLUGS[:3])}),
    "entries, 3 sources, offset 1,000": (
        "entries",
        {"sources": ",".join(SLUGS[:3]), "offset": 1_000},
    ),
    "entries, 100 sources": ("entries", {"sources": ",".join(SLUGS[:100])}),
    "changes, 3 sources": ("changes", {"sources": ",".join(SLUGS[:3])}),
    "changes of all": ("changes", {}),
    "deadlines": ("deadlines", {}),
    "deadlines, a category": ("deadlines", {"category": "breaking"}),
    "deadlines, a word": ("deadlines", {"q": "endpoint"}),
    "upgrades, the largest source": ("upgrades", {"purl": PURL + SLUGS[0], "from": "1.0"}),
    "upgrades, the 100th": ("upgrades", {"purl": PURL + SLUGS[99], "from": "1.0"}),
    "sources": ("sources", {}),
    "vendor": ("latest", {"vendor": "vendor001"}),
    "search, a common word": ("latest", {"q": "endpoint"}),
    "search, two common words": ("latest", {"q": "endpoint token"}),
    "search, a rare word": ("latest", {"q": SLUGS[900].replace(".", "")}),
    "search, a word of none": ("latest", {"q": "nothinglikeit"}),
    "search, a beginning": ("latest", {"q": "dep*"}),
    "search, a phrase": ("latest", {"q": '"endpoint token"'}),
    "search, without a word": ("latest", {"q": "endpoint -token"}),
    "search, by relevance": ("latest", {"q": "endpoint token", "order": "relevance"}),
    "search in 3 sources": ("entries", {"sources": ",".join(SLUGS[:3]), "q": "endpoint"}),
}
PAGES = ("/", "/latest", "/important", "/edits", "/deadlines", "/sources", "/vendors/vendor001")
PAGES += (f"/sources/{SLUGS[0]}", "/latest?q=endpoint", "/deadlines?q=endpoint", "/status")
TARGETS |= {f"page {path}": (path, {}) for path in PAGES}
WITH_KEY = {"entries", "changes", "sources", "upgrades"}
POSTGRESQL = {"shared_buffers": "1GB", "max_wal_size": "8GB", "jit": "off"}
POSTGRESQL |= {"max_parallel_workers_per_gather": "0"}


def main() -> None:
    """Fill, ask and print, on each database."""
    parser = parser_of(__doc__, entries=1_000_000, small=10_000, requests=200)
    parser.add_argument("--on", nargs="+", default=["sqlite"], choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    for kind in options.on:
        figures, resident = [], []
        for entries in (options.small, options.entries):
            with served(kind, entries) as (application, key):
                figures.append(dict(measured(application, key, options)))
                resident.append(application.resident_bytes() / 1e6)
        print(f"\n{kind}, ms{options.small:>35,}{options.entries:>14,}{'time that passed':>24}")
        print(f"{'':32}{'CPU p50':>11}{'CPU p50':>11}{'p99':>11}{'p50':>11}{'p99':>11}")
        for name, small in figures[0].items():
            cpu, passed = zip(*figures[1][name], strict=True)
            parts = [quantile([used for used, _ in small], 0.5)]
            parts += [quantile(each, part) for each in (cpu, passed) for part in (0.5, 0.99)]
            print(f"{name:32}" + "".join(f"{part * 1e3:11.2f}" for part in parts))
        print(f"memory of the server: {resident[0]:.0f} MB, {resident[1]:.0f} MB")


@contextmanager
def served(kind: str, entries: int) -> Iterator[tuple[Application, str]]:
    """Give the service over a database of so many entries, and a key of the plan All."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            with asked(f"sqlite:///{folder}/changewire.db", entries, None) as both:
                yield both
            return
        with running_server(**POSTGRESQL) as server:
            pid = int((server.data / "postmaster.pid").read_text().split()[0])
            name = server.create()
            with asked(server.address(name), entries, pid) as both:
                server.execute("VACUUM ANALYZE", name)
                server.execute("CHECKPOINT")  # or it would be counted as ours
                yield both


@contextmanager
def asked(url: str, entries: int, beside: int | None) -> Iterator[tuple[Application, str]]:
    """Fill a database and serve it."""
    database = open_database(url)
    key = fill(database, entries)
    database.close()
    settings = {"CHANGEWIRE_DATABASE_URL": url, "CHANGEWIRE_REQUEST_UNITS": "100000000"}
    program = "service.app:from_environment"
    with closing(Application(program, free_port(), settings, beside)) as application:
        yield application, key


def measured(
    application: Application, key: str, options: argparse.Namespace
) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Yield the CPU seconds and the seconds of the requests for each page."""
    for name, (operation, parameters) in TARGETS.items():
        target = f"/api/v1/{operation}?{urlencode(parameters)}"
        target = operation if operation.startswith("/") else target
        headers = {"X-Api-Key": key} if operation in WITH_KEY else {}
        application.get(target, headers)
        yield name, application.each([target], headers, options.requests)


if __name__ == "__main__":
    main()
