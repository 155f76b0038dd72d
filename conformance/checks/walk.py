"""Looking at several pages or several entries together."""

from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

from conformance.checks.probe import Probe
from conformance.exchange import Answer


def pages(
    probe: Probe, path: str, params: Mapping[str, str | int], *, limit: int, count: int
) -> list[Answer]:
    """The first pages of a listing."""
    return [
        probe.get(path, {**params, "limit": limit, "offset": limit * number})
        for number in range(count)
    ]


def overlaps(probe: Probe, found: list[Answer], whole: list[dict[str, Any]]) -> None:
    """Expect that pages together are the beginning of one large page, each item once."""
    together: list[dict[str, Any]] = []
    for answer in found:
        known = {(item["source"], item["id"]) for item in together}
        again = [item["id"] for item in answer.items if (item["source"], item["id"]) in known]
        probe.expect(not again, answer, f"has {', '.join(map(str, again[:3]))} again")
        together += answer.items
    shared = min(len(together), len(whole))
    same = together[:shared] == whole[:shared]
    probe.expect(same, found[-1], "is not a part of the same listing in one page")


def moment_of(written: object) -> datetime:
    """The moment that a time of RFC 3339 stands for: one has many spellings."""
    return datetime.fromisoformat(str(written))


def published(item: Mapping[str, Any]) -> datetime:
    """When an entry was published."""
    return moment_of(item["published_at"])


def newest_first(probe: Probe, answer: Answer) -> None:
    """Expect entries by time of publication, then by id, both descending."""
    for before, after in pairwise(answer.items):
        times = before["published_at"], after["published_at"]
        first, second = published(before), published(after)
        probe.expect(first >= second, answer, f"has {times[0]} before {times[1]}")
        tied = first == second and before["source"] == after["source"]
        in_order = not tied or str(before["id"]) > str(after["id"])
        probe.expect(in_order, answer, f"has the id {before['id']} before {after['id']}")
