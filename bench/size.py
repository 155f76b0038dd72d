"""Measure what each operation costs as the database grows: first pages and deep ones.

    python bench/size.py [--entries 10000 100000 1000000 5000000] [--keep]

Figures are CPU seconds of one request in process, the median over rounds that go through all
sizes in turn. The texts are shorter than those of bench/api.py, so that five million entries stay
below 8 GB. Databases of a million entries and more are deleted at the end unless ``--keep``.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from api_calls import Call, InProcess
from api_data import DataSet, data_set, remove

SUMMARY = 120
LARGE = 1_000_000
BOUND_OF_SIZE, BOUND_OF_DEPTH = 1.3, 3.0
SHALLOW, DEEP, DEEPEST = 1_000, 10_000, 100_000


def operations(made: DataSet) -> Iterator[tuple[str, Call]]:
    """Yield every operation by name; those of deep pages only where there are such pages."""
    key = {"X-Api-Key": made.all_key}
    for count in (3, 10, 30, 100):
        for offset in (0, SHALLOW, DEEP):
            slugs = made.slugs[:count]
            target = f"/api/v1/entries?sources={','.join(slugs)}&limit=50&offset={offset}"
            if offset < made.entries // 100:
                yield _name(f"entries, {count} sources", offset), Call(target, key)
    of_three = ",".join(made.slugs[:3])
    yield "entries, followed", Call(f"/api/v1/entries?sources={of_three}&follow=start", key)
    for feed in ("latest", "important"):
        for offset in (0, SHALLOW, DEEP, DEEPEST):
            if offset < made.entries // 20:
                target = f"/api/v1/{feed}?limit=50&offset={offset}"
                yield _name(feed, offset), Call(target, {})
    yield "sample", Call("/api/v1/sources", {})
    yield "sources", Call("/api/v1/sources", key)
    yield "sources, deep", Call("/api/v1/sources?offset=4900", key)
    yield "diffs", Call(f"/api/v1/diffs?source={made.slugs[0]}", key)
    yield "rss", Call("/rss/updates.xml", {})


def _name(operation: str, offset: int) -> str:
    return f"{operation}, from {offset:,}" if offset else operation


def main() -> None:
    """Build every size, ask, print, delete."""
    asked = _arguments()
    sizes = [data_set(asked.folder, count, summary=SUMMARY) for count in asked.entries]
    try:
        found = _measured(sizes, rounds=asked.rounds, requests=asked.requests)
    finally:
        for each in sizes:
            if each.entries >= LARGE and not asked.keep:
                remove(each)
    _print(found, [each.entries for each in sizes])
    if asked.json is not None:
        asked.json.write_text(json.dumps(found, indent=1))


def _measured(sizes: list[DataSet], *, rounds: int, requests: int) -> dict[str, dict[int, float]]:
    seconds: dict[str, dict[int, list[float]]] = {}
    with ExitStack() as running:
        applications = []
        for made in sizes:
            application = InProcess("changewire", made.file)
            running.callback(application.close)
            applications.append((made, application))
        for turn in range(rounds + 1):
            for made, application in applications:
                for name, call in operations(made):
                    answer = application.round(call, requests)
                    assert answer.status == 200, f"{name}: {answer.body[:300]!r}"
                    if turn:  # the first only warms up
                        of_size = seconds.setdefault(name, {}).setdefault(made.entries, [])
                        of_size.append(answer.seconds)
    return {
        name: {entries: median(each) for entries, each in by_size.items()}
        for name, by_size in seconds.items()
    }


def _print(found: dict[str, dict[int, float]], sizes: list[int]) -> None:
    print(f"{'ms CPU a request':34}" + "".join(f"{each:>12,}" for each in sizes))
    for name, by_size in found.items():
        cells = [f"{by_size[size] * 1000:12.3f}" if size in by_size else " " * 12 for size in sizes]
        print(f"{name:34}" + "".join(cells) + _judged(name, found, sizes))


def _judged(name: str, found: dict[str, dict[int, float]], sizes: list[int]) -> str:
    """Say how the largest compares: a first page with the smallest, a deep one with the first."""
    of, _, depth = name.partition(", from ")
    largest = found[name].get(sizes[-1])
    if depth:
        first = found[of].get(sizes[-1])
        return _ratio(largest, first, BOUND_OF_DEPTH, "of its first page")
    return _ratio(largest, found[name].get(sizes[0]), BOUND_OF_SIZE, "of the smallest")


def _ratio(this: float | None, other: float | None, bound: float, what: str) -> str:
    if this is None or other is None:
        return ""
    ratio = this / other
    return f"   {ratio:5.2f} {what}" + ("" if ratio <= bound else f", above {bound:g}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--entries", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 5_000_000]
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--keep", action="store_true", help="do not delete large databases")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "changewire-bench"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
