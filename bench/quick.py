"""A small run of the measurements, beside what was recorded: information, never a failure.

    python bench/quick.py [--record]

The ratios are those of bench/api.py over 20,000 entries and of bench/sweeps.py over a few feeds;
seconds of CPU are those of ``quick_times``. ``--record`` writes them to bench/recorded.json, to be
compared with.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

RECORDED = Path(__file__).with_name("recorded.json")
ENTRIES, ROUNDS, REQUESTS = 20_000, 3, 16
OPERATIONS = ("entries", "latest", "important", "sample", "sources", "rss")
FAR = 0.25  # runs as small as this differ by less


def main() -> None:
    """Measure what can be measured, and print it beside the recorded figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true")
    record = parser.parse_args().record
    began = time.monotonic()
    results = {measure.__name__: _tried(measure) for measure in (api, sweeps, seconds)}
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for part, figures in results.items():
        print(f"\n{part:44} {'now':>7} {'recorded':>9}")
        for name, figure in figures.items():
            print(_line(name, figure, recorded.get(part, {}).get(name)))
    print(f"\n{time.monotonic() - began:.0f} seconds. A busy machine moves these figures.")
    if record:
        rounded = {
            part: {name: round(figure, 3) for name, figure in figures.items()}
            for part, figures in results.items()
        }
        RECORDED.write_text(json.dumps(rounded, indent=1) + "\n")


def _line(name: str, figure: float, before: float | None) -> str:
    if before is None:
        return f"{name:44} {figure:7.2f}"
    moved = "  moved" if abs(figure / before - 1) > FAR else ""
    return f"{name:44} {figure:7.2f} {before:9.2f}{moved}"


def _tried(measure: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Measure; what lacks a peer or a tool is said and left out."""
    try:
        return measure()
    except Exception as error:  # noqa: BLE001 - information, not a test
        print(f"{measure.__name__} could not be measured: {type(error).__name__}: {error}")
        return {}


def api() -> dict[str, float]:
    """Return the ratios of the API beside its peers."""
    from api_calls import InProcess
    from api_compare import compare, ratios
    from api_data import FOLDER, data_set
    from peers import orm

    made = data_set(FOLDER, ENTRIES)
    orm.prepare(str(made.file))
    return ratios(
        list(compare(made, kind=InProcess, rounds=ROUNDS, requests=REQUESTS, only=OPERATIONS))
    )


def sweeps() -> dict[str, float]:
    """Return the ratios of ingestion beside its peers."""
    from sweeps import quick

    return quick()


def seconds() -> dict[str, float]:
    """Return CPU seconds of what has no peer."""
    from quick_times import times

    return times()


if __name__ == "__main__":
    main()
