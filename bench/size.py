"""Measure what each operation costs as the database grows: first pages and deep ones.

    python bench/size.py [--entries 10000 100000 1000000 5000000] [--keep]

Figures are CPU seconds of one request in process, the median over rounds that go through all
sizes in turn. The texts are shorter than those of bench/api.py, so that five million entries stay
below 8 GB. Databases of a million entries and more are deleted at the end unless ``--keep``.
"""

import argparse
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from api_calls import Call, InProcess
from api_data import FOLDER, DataSet, data_set, remove
from command_line import parser_of

SUMMARY = 120
LARGE = 1_000_000
BOUND_OF_SIZE, BOUND_OF_DEPTH = 1.3, 3.0
SHALLOW, DEEP, DEEPEST = 1_000, 10_000, 100_000


def operations(data: DataSet) -> Iterator[tuple[str, Call]]:
    """Yield every operation by name; those of deep pages only where there are such pages."""
    key = {"X-Api-Key": data.all_key}
    for count in (3, 10, 30, 100):
        for offset in (0, SHALLOW, DEEP):
            slugs = data.slugs[:count]
            target = f"/api/v1/entries?sources={','.join(slugs)}&limit=50&offset={offset}"
            if offset < data.entries // 100:
                yield _name(f"entries, {count} sources", offset), Call(target, key)
    of_three = ",".join(data.slugs[:3])
    yield "entries, followed", Call(f"/api/v1/changes?sources={of_three}", key)
    for feed in ("latest", "important"):
        for offset in (0, SHALLOW, DEEP, DEEPEST):
            if offset < data.entries // 20:
                target = f"/api/v1/{feed}?limit=50&offset={offset}"
                yield _name(feed, offset), Call(target, {})
    yield "sample", Call("/api/v1/sources", {})
    yield "sources", Call("/api/v1/sources", key)
    yield "sources, deep", Call("/api/v1/sources?offset=4900", key)
    yield "diffs", Call(f"/api/v1/diffs?source={data.slugs[0]}", key)
    yield "rss", Call("/rss/updates.xml", {})


def _name(operation: str, offset: int) -> str:
    return f"{operation}, from {offset:,}" if offset else operation


def main() -> None:
    """Build every size, ask, print, delete."""
    options = _arguments()
    sizes = [data_set(options.folder, count, summary=SUMMARY) for count in options.entries]
    try:
        medians = _measured(sizes, rounds=options.rounds, requests=options.requests)
    finally:
        for size in sizes:
            if size.entries >= LARGE and not options.keep:
                remove(size)
    _print(medians, [size.entries for size in sizes])
    if options.json is not None:
        options.json.write_text(json.dumps(medians, indent=1))


def _measured(sizes: list[DataSet], *, rounds: int, requests: int) -> dict[str, dict[int, float]]:
    seconds: dict[str, dict[int, list[float]]] = {}
    with ExitStack() as running:
        applications = []
        for data in sizes:
            application = InProcess("changewire", data.file)
            running.callback(application.close)
            applications.append((data, application))
        for turn in range(rounds + 1):
            for data, application in applications:
                for name, call in operations(data):
                    result = application.round(call, requests)
                    assert result.status == 200, f"{name}: {result.body[:300]!r}"
                    if turn:  # the first only warms up
                        of_size = seconds.setdefault(name, {}).setdefault(data.entries, [])
                        of_size.append(result.seconds)
    return {
        name: {entries: median(durations) for entries, durations in by_size.items()}
        for name, by_size in seconds.items()
    }


def _print(medians: dict[str, dict[int, float]], sizes: list[int]) -> None:
    print(f"{'ms CPU a request':34}" + "".join(f"{size:>12,}" for size in sizes))
    for name, by_size in medians.items():
        cells = [f"{by_size[size] * 1000:12.3f}" if size in by_size else " " * 12 for size in sizes]
        print(f"{name:34}" + "".join(cells) + _judged(name, medians, sizes))


def _judged(name: str, medians: dict[str, dict[int, float]], sizes: list[int]) -> str:
    """Say how the largest compares: a first page with the smallest, a deep one with the first."""
    of, _, depth = name.partition(", from ")
    largest = medians[name].get(sizes[-1])
    if depth:
        first = medians[of].get(sizes[-1])
        return _ratio(largest, first, BOUND_OF_DEPTH, "of its first page")
    return _ratio(largest, medians[name].get(sizes[0]), BOUND_OF_SIZE, "of the smallest")


def _ratio(figure: float | None, reference: float | None, bound: float, description: str) -> str:
    if figure is None or reference is None:
        return ""
    ratio = figure / reference
    return f"   {ratio:5.2f} {description}" + ("" if ratio <= bound else f", above {bound:g}")


def _arguments() -> argparse.Namespace:
    parser = parser_of(__doc__, rounds=5, requests=20)
    parser.add_argument(
        "--entries", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 5_000_000]
    )
    parser.add_argument("--keep", action="store_true", help="do not delete large databases")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    return parser.parse_args()


if __name__ == "__main__":
    main()
