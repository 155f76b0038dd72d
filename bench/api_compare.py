"""What is asked of every application, and what is made of the figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from api_calls import Call, InProcess, Served, callers
from api_data import DataSet
from peers.applications import NAMES

OURS, FLOOR = "changewire", "floor"
BOUNDS = {"fastapi": 4.0, "connexion": 5.0}
BOUND_OF_304 = 0.5
WITHOUT_FLOOR = ("sample", "sources", "rss")
DIFFERENT = 24  # requests of one operation that are asked in turn: a user's are never all the same


@dataclass(frozen=True)
class Figure:
    """What one operation costs one application: CPU seconds a request, medians over the rounds.

    ``unchanged`` is the same for requests that are answered with 304; None where there are none.
    """

    operation: str
    application: str
    seconds: float
    unchanged: float | None
    status: int
    size: int


def operations(data: DataSet) -> dict[str, list[Call]]:
    """Return the requests of every operation, each for other sources or another page."""
    key = {"X-Api-Key": data.all_key}
    free = {"X-Api-Key": data.free_key}
    threes = [data.slugs[3 * turn + 40 : 3 * turn + 43] for turn in range(DIFFERENT)]
    own = ",".join(data.slugs[40:43])
    return {
        "entries": [_entries(entry, key) for entry in threes],
        "entries, free plan": [Call(f"/api/v1/entries?sources={own}&limit=50", free)],
        "entries, 30 sources": [_entries(data.slugs[100:130], key)],
        "latest": [Call(f"/api/v1/latest?offset={50 * turn}", {}) for turn in range(8)],
        "important": [Call(f"/api/v1/important?offset={50 * turn}", {}) for turn in range(8)],
        "sample": [Call("/api/v1/sources", {})],
        "sources": [Call(f"/api/v1/sources?offset={50 * turn}", key) for turn in range(DIFFERENT)],
        "rss": [Call("/rss/updates.xml", {})],
    }


def _entries(slugs: Sequence[str], key: Mapping[str, str]) -> Call:
    return Call(f"/api/v1/entries?sources={','.join(slugs)}&limit=50", key)


def compare(
    data: DataSet,
    *,
    kind: type[InProcess] | type[Served],
    rounds: int,
    requests: int,
    names: Sequence[str] = NAMES,
    only: Sequence[str] = (),
) -> Iterator[Figure]:
    """Ask all applications in turn, round by round, and yield the medians."""
    with callers(kind, list(names), Path(data.file)) as running:
        for operation, calls in operations(data).items():
            if only and operation not in only:
                continue
            measured = {
                name: application
                for name, application in running.items()
                if not (name == FLOOR and operation in WITHOUT_FLOOR)
            }
            yield from _figures(operation, calls, measured, rounds=rounds, requests=requests)


def _figures(
    operation: str,
    calls: list[Call],
    applications: Mapping[str, Any],
    *,
    rounds: int,
    requests: int,
) -> Iterator[Figure]:
    conditional = {
        name: _with_tags(calls, application) for name, application in applications.items()
    }
    full: dict[str, list[float]] = {name: [] for name in applications}
    unchanged: dict[str, list[float]] = {name: [] for name in applications}
    last = {name: application.round(calls[0], 1) for name, application in applications.items()}
    for _ in range(rounds):
        for name, application in applications.items():
            full[name].append(_mean(application, calls, requests, status=200))
            if conditional[name]:
                unchanged[name].append(_mean(application, conditional[name], requests, status=304))
    for name in applications:
        yield Figure(
            operation=operation,
            application=name,
            seconds=median(full[name]),
            unchanged=median(unchanged[name]) if unchanged[name] else None,
            status=last[name].status,
            size=len(last[name].body),
        )


def _with_tags(calls: list[Call], application: Any) -> list[Call]:
    """Ask once and return the requests with the ETags of their answers; warms up, too."""
    responses = [application.round(call, 2) for call in calls]
    return [
        replace(call, headers={**call.headers, "If-None-Match": answer.etag})
        for call, answer in zip(calls, responses, strict=True)
        if answer.etag is not None
    ]


def _mean(application: Any, calls: list[Call], requests: int, *, status: int) -> float:
    result = application.many(calls, requests)
    assert result.status == status, (
        f"{application.name} answered {result.status}: {result.body[:200]!r}"
    )
    return float(result.seconds)


def ratios(figures: Sequence[Figure]) -> dict[str, float]:
    """Return how many requests we answer for one of each peer's, and the cost of our 304s."""
    ratio_by_name: dict[str, float] = {}
    by_operation: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        by_operation.setdefault(figure.operation, {})[figure.application] = figure
    for operation, applications in by_operation.items():
        ours = applications.pop(OURS)
        for name, peer in applications.items():
            ratio_by_name[f"{operation}: {name}"] = peer.seconds / ours.seconds
        if ours.unchanged is not None:
            ratio_by_name[f"{operation}: 304"] = ours.unchanged / ours.seconds
    return ratio_by_name


def bound_of(name: str) -> float | None:
    """Return what a ratio should be at least; for a 304, at most."""
    against = name.partition(": ")[2]
    return BOUND_OF_304 if against == "304" else BOUNDS.get(against)
