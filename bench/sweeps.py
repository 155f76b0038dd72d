"""Sweeps over feeds against lemon24/reader and newsboat: processor seconds, as ratios.

    python bench/sweeps.py [--feeds 1000] [--rounds 3] [--recorded FOLDER] [--peers FOLDER]
        [--json FILE]

Each round starts from nothing and takes the programs in turn through the same three sweeps of
the same feeds: all new, unchanged, one new item in every tenth feed. Then feeds of 1,000 items
are read whole, and again with one new item program. What a command uses from its
start to its end is counted, with all its children; the server of the feeds is not. The figures
are medians over the rounds; a ratio below 1 means that Changewire used less.

The feeds are invented, or recorded ones where ``--recorded`` names a folder of them. Recorded ones
are few, so what a sweep over no feed costs is told as well, and taken from the ratios.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from command_line import parser_of
from sweep_feeds import digest
from sweep_peers import (
    BenchFailed,
    Changewire,
    Newsboat,
    Reader,
    Sweeper,
    has_newsboat,
    reader_python,
)
from sweep_recorded import recorded_feeds

ITEMS = 30
LONG = 1_000  # items of a long feed
LONG_FEEDS = 6  # so that what it takes to start a child that parses is seen as what it is
STEP = 10  # one feed in so many has news
PEERS = Path(tempfile.gettempdir()) / "changewire-bench-peers"
FIRST, UNCHANGED, TENTH = "first sweep", "unchanged sweep", "10 % with one new item"
LONG_WHOLE, LONG_NEW = "1,000 items, whole", "1,000 items, one new"
IDLE = "no feed at all"

Seconds = dict[str, dict[str, list[float]]]  # by what was done, by program


@contextmanager
def serving(
    port: int, *, items: int = ITEMS, recorded: Path | None = None
) -> Iterator[HTTPConnection]:
    """Run the server of feeds beside us; gives a connection to steer it."""
    script = str(Path(__file__).with_name("sweep_feeds.py"))
    options = [f"--items={items}", *([f"--recorded={recorded}"] if recorded else [])]
    with subprocess.Popen([sys.executable, script, str(port), *options]) as process:
        try:
            yield _connected(port)
        finally:
            process.kill()


def _connected(port: int) -> HTTPConnection:
    for _ in range(200):
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            connection.connect()
        except OSError:
            time.sleep(0.05)
        else:
            return connection
    raise BenchFailed("the server of feeds does not start")


def publish(connection: HTTPConnection, step: int) -> None:
    """Let every ``step``-th feed publish one more item."""
    connection.request("GET", f"/publish/{step}")
    connection.getresponse().read()


def addresses(port: int, feeds: int) -> list[str]:
    """Return the addresses of the feeds, each on a host of its own."""
    return [
        f"http://127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}:{port}"
        f"/feed/{number}"
        for number in range(feeds)
    ]


def sweepers(folder: Path, names: Sequence[str], peers: Path) -> Iterator[Sweeper]:
    """Give the programs that take part, each with an empty folder of its own."""
    for name in names:
        place = folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        match name:
            case "changewire":
                yield Changewire(place)
            case "reader":
                yield Reader(place, reader_python(peers))
            case _:
                yield Newsboat(place)


def one_round(port: int, feeds: int, folder: Path, names: Sequence[str], peers: Path) -> Seconds:
    """Take every program through the sweeps of one round."""
    seconds: Seconds = defaultdict(lambda: defaultdict(list))
    with serving(port, items=ITEMS) as connection:
        for url in addresses(port, feeds):  # written before anybody is measured
            connection.request("GET", f"/feed/{url.rpartition('/')[2]}")
            connection.getresponse().read()
        programs = list(sweepers(folder, names, peers))
        for program in programs:
            program.prepare(addresses(port, feeds))
        for done in (FIRST, UNCHANGED, TENTH):
            if done == TENTH:
                publish(connection, STEP)
            for program in programs:
                seconds[done][program.name].append(program.sweep())
        expected = feeds * ITEMS + -(-feeds // STEP)
        for program in programs:
            if program.entries() != expected:
                raise BenchFailed(
                    f"{program.name} stored {program.entries()}, not {expected} entries"
                )
    return seconds


def recorded_round(
    port: int, feeds: int, folder: Path, names: Sequence[str], peers: Path, recorded: Path
) -> Seconds:
    """Take every program through the sweeps of recorded feeds, and through one of none."""
    seconds: Seconds = defaultdict(lambda: defaultdict(list))
    for program in sweepers(folder / "idle", names, peers):
        program.prepare([])
        seconds[IDLE][program.name].append(program.sweep())
    with serving(port, recorded=recorded) as connection:
        programs = list(sweepers(folder, names, peers))
        for program in programs:
            program.prepare(addresses(port, feeds))
        for done in (FIRST, UNCHANGED, TENTH):
            if done == TENTH:
                publish(connection, STEP)
            for program in programs:
                seconds[done][program.name].append(program.sweep())
        print(*(f"{program.name} stored {program.entries()} entries" for program in programs))
    return seconds


def long_feed(port: int, folder: Path, names: Sequence[str], peers: Path) -> Seconds:
    """Read long feeds whole, and again with one new item; less what it takes to do nothing."""
    seconds: Seconds = defaultdict(lambda: defaultdict(list))
    with serving(port, items=LONG) as connection:
        for program in sweepers(folder, names, peers):
            program.prepare(addresses(port, LONG_FEEDS))
            full = program.sweep()
            idle = program.sweep()
            publish(connection, 1)
            seconds[LONG_WHOLE][program.name].append(full - idle)
            seconds[LONG_NEW][program.name].append(program.sweep() - idle)
    return seconds


def measured(
    feeds: int,
    rounds: int,
    *,
    names: Sequence[str],
    peers: Path = PEERS,
    port: int = 8941,
    recorded: Path | None = None,
) -> dict[str, dict[str, float]]:
    """Return the medians of the seconds, by what was done and by program."""
    all_seconds: Seconds = defaultdict(lambda: defaultdict(list))
    for turn in range(rounds):
        order = [*names[turn % len(names) :], *names[: turn % len(names)]]
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            if recorded:
                parts = [recorded_round(port, feeds, place, order, peers, recorded)]
            else:
                parts = [
                    one_round(port, feeds, place, order, peers),
                    long_feed(port, place, order, peers),
                ]
            for part in parts:
                for done, by_name in part.items():
                    for name, values in by_name.items():
                        all_seconds[done][name] += values
    return {
        done: {name: median(values) for name, values in by_name.items()}
        for done, by_name in all_seconds.items()
    }


def ratios(seconds: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return what Changewire used in relation to the others, and to itself for the long feed."""
    idle = seconds.get(IDLE, {})
    ratio_of = {
        f"{done}: changewire / {name}": (by_name["changewire"] - idle.get("changewire", 0))
        / (used - idle.get(name, 0))
        for done, by_name in seconds.items()
        for name, used in by_name.items()
        if name != "changewire" and done not in (LONG_WHOLE, LONG_NEW, IDLE)
    }
    if idle:
        return ratio_of
    ours = seconds[LONG_NEW]["changewire"] / seconds[LONG_WHOLE]["changewire"]
    return {**ratio_of, "1,000 items: one new / whole": ours}


def programs() -> list[str]:
    """Return who can take part on this machine."""
    return ["changewire", "reader", *(["newsboat"] if has_newsboat() else [])]


def quick() -> dict[str, float]:
    """Return the ratios of one small round; starting up weighs more in them than in a big one."""
    return ratios(measured(60, 1, names=["changewire", "reader"]))


def table(seconds: Mapping[str, Mapping[str, float]]) -> str:
    """Write the seconds for people."""
    names = list(next(iter(seconds.values())))
    lines = [f"{'processor seconds':28}" + "".join(f"{name:>12}" for name in names)]
    for done, by_name in seconds.items():
        lines.append(f"{done:28}" + "".join(f"{by_name[name]:12.3f}" for name in names))
    return "\n".join(lines)


def main() -> None:
    """Measure as the command line says."""
    parser = parser_of(__doc__, feeds=1_000, rounds=3, port=8941)
    parser.add_argument("--only", nargs="+", help="programs that take part", default=programs())
    parser.add_argument("--peers", type=Path, default=PEERS, help="environment of the peers")
    parser.add_argument("--recorded", type=Path, help="a folder of recorded feeds")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    feeds = len(recorded_feeds(options.recorded)) if options.recorded else options.feeds
    seconds = measured(
        feeds,
        options.rounds,
        names=options.only,
        peers=options.peers,
        port=options.port,
        recorded=options.recorded,
    )
    figures = ratios(seconds)
    if options.recorded:
        print(f"{feeds} recorded feeds; ratios without what a sweep over no feed costs\n")
    else:
        print(f"{feeds} feeds of {ITEMS} items, data {digest(feeds, ITEMS)}\n")
    print(table(seconds))
    print()
    for name, ratio in figures.items():
        print(f"{name:52} {ratio:.3f}")
    if options.json:
        options.json.write_text(
            json.dumps({"seconds": seconds, "ratios": figures}, indent=2) + "\n"
        )


if __name__ == "__main__":
    main()
