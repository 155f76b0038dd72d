"""Measure the API beside its peers: CPU seconds a request, on the same data, in the same run.

    python bench/api.py [--entries 1000000] [--rounds 5] [--requests 100] [--served] [--only NAME]

The database is built once and kept in a folder (``--folder``). Every application runs in a process
of its own: called in process, and with ``--served`` behind the server that ships with us, over a
kept connection. All are asked in turn in every round; figures are medians over the rounds, and what
counts are the ratios: a busy machine makes all of them slower.
"""

import argparse
import json
import platform
from importlib.metadata import version
from pathlib import Path

from api_calls import InProcess, Served
from api_compare import OURS, Figure, bound_of, compare, ratios
from api_data import FOLDER, check_rows, data_set
from command_line import parser_of
from peers import orm
from peers.applications import NAMES

PACKAGES = ("changewire", "fastapi", "connexion", "sqlalchemy", "pydantic", "granian")


def main() -> None:
    """Build, ask, print."""
    options = _arguments()
    data = data_set(options.folder, options.entries)
    check_rows(data)
    orm.prepare(str(data.file))
    print(f"{data.entries:,} entries; Python {platform.python_version()};", end=" ")
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    kind = Served if options.served else InProcess
    figures: list[Figure] = []
    for figure in compare(
        data,
        kind=kind,
        rounds=options.rounds,
        requests=options.requests,
        names=[OURS, *options.peers],
        only=options.only,
    ):
        figures.append(figure)
        print(line(figure), flush=True)
    print_ratios(ratios(figures))
    if options.json is not None:
        options.json.write_text(json.dumps(ratios(figures), indent=1))


def line(figure: Figure) -> str:
    """Return a figure as a line of the table."""
    full = f"{figure.seconds * 1000:7.3f} ms"
    unchanged = "" if figure.unchanged is None else f"   304 {figure.unchanged * 1000:7.3f} ms"
    return f"{figure.operation:20} {figure.application:11} {figure.size:7} bytes {full}{unchanged}"


def print_ratios(ratios_by_name: dict[str, float]) -> None:
    """Print ratios with what they should be."""
    print("\nrequests for one of the peer's; of a 304, its part of its 200")
    for name, ratio in ratios_by_name.items():
        bound = bound_of(name)
        sign = "at most" if name.endswith("304") else "at least"
        print(f"{name:32} {ratio:6.2f}" + ("" if bound is None else f"   ({sign} {bound:g})"))


def _arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, entries=1_000_000, rounds=5)
    parser.add_argument("--requests", type=int, default=100, help="of each operation and round")
    parser.add_argument("--served", action="store_true", help="behind granian, over a socket")
    parser.add_argument("--only", action="append", default=[], help="an operation")
    parser.add_argument("--peers", nargs="*", default=[name for name in NAMES if name != OURS])
    parser.add_argument("--json", type=Path, help="write the ratios to a file")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    return parser.parse_args()


if __name__ == "__main__":
    main()
