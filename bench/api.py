"""Compare the API with FastAPI + SQLAlchemy's ORM + response models: CPU of a request, one ratio.

Both have the same entries on SQLite, and run behind one granian worker. They are asked in turn in
every round; figures are medians over the rounds. The ratio is FastAPI's CPU by ours.

    pip install 'changewire[bench]'
    python bench/api.py [--entries 100000] [--rounds 5] [--requests 200] [--starts]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import mean, median

from common import ROOT, Application, parser_of
from entries import SLUGS, fill
from peer import fill as fill_peer
from specimen.serving import free_port

from service.command_line import COMMANDS
from storage.engine.database import open_database

OPERATIONS = {
    "/entries, 3 sources": [
        f"/api/v1/entries?sources={','.join(SLUGS[place : place + 3])}"
        for place in range(40, 112, 3)
    ],
    "/entries, 30 sources": [f"/api/v1/entries?sources={','.join(SLUGS[100:130])}"],
    "/latest": [f"/api/v1/latest?offset={offset}" for offset in range(0, 400, 50)],
}
SHOW = """import atexit, sys; from service.cli import main; sys.argv[0] = "changewire"
large = "connexion", "docutils", "flask", "httpx2", "mcp", "pydantic", "schemathesis", "sqlalchemy"
loaded = lambda: [len(sys.modules), *(name for name in large if name in sys.modules)]
atexit.register(lambda: print(*loaded(), file=sys.stderr)); main()"""


def main() -> None:
    """Fill both, compare, print."""
    parser = parser_of(__doc__, entries=100_000, rounds=5, requests=200)
    parser.add_argument("--starts", action="store_true", help="what each command's help costs")
    options = parser.parse_args()
    if options.starts:
        print_starts()
        return
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/changewire.db"
        os.environ["PEER_DATABASE"] = str(Path(folder) / "peer.db")
        with closing(open_database(url)) as database:
            key = fill(database, options.entries)
        fill_peer(options.entries, key)
        settings = {"CHANGEWIRE_DATABASE_URL": url, "CHANGEWIRE_REQUEST_UNITS": "100000000"}
        ours = Application("service.app:from_environment", free_port(), settings)
        with closing(ours), closing(Application("peer:application", free_port(), {})) as peer:
            print(f"{'CPU of a page of 50':24}{'Changewire':>12}{'FastAPI':>12}{'ratio':>8}")
            for name, targets in OPERATIONS.items():
                headers = {} if name == "/latest" else {"X-Api-Key": key}
                used, peers = compared([ours, peer], targets, headers, options)
                print(f"{name:24}{used * 1e3:9.2f} ms{peers * 1e3:9.2f} ms{peers / used:8.2f}")


def print_starts() -> None:
    """Print the CPU of each command's help, how many modules it loads, and which large ones."""
    for name in ("--version", "--help", *COMMANDS):
        before, command = os.times(), [sys.executable, "-c", SHOW, name, "--help"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        print(f"{name:12}{sum(os.times()[2:4]) - sum(before[2:4]):6.2f} s  {done.stderr.strip()}")


def compared(
    applications: list[Application],
    targets: list[str],
    headers: dict[str, str],
    options: argparse.Namespace,
) -> list[float]:
    """Return the median CPU seconds of a request for each application."""
    answers = [json.loads(application.get(targets[0], headers)) for application in applications]
    assert answers[0] == answers[1], "the two do not answer alike"
    seconds: list[list[float]] = [[] for _ in applications]
    for turn in range(options.rounds + 1):
        for place, application in enumerate(applications):
            used = application.each(targets, headers, options.requests)
            if turn:  # the first only warms up
                seconds[place].append(mean(cpu for cpu, _ in used))
    return [median(figures) for figures in seconds]


if __name__ == "__main__":
    main()
