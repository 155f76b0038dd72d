"""Checks of several pages or several entries together."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from conformance.checks.probe import Probe
from conformance.http_messages import Response
from conformance.sampling import Listing
from openapi.parsing import normal_time


def pages(
    probe: Probe, path: str, params: Mapping[str, str | int], *, limit: int, count: int
) -> list[Response]:
    """Return the first pages of a listing."""
    return [
        probe.get(path, {**params, "limit": limit, "offset": limit * number})
        for number in range(count)
    ]


def overlaps(probe: Probe, pages: list[Response], listed: list[dict[str, Any]]) -> None:
    """Expect that pages together are the beginning of one large page, each item once."""
    together: list[dict[str, Any]] = []
    for response in pages:
        earlier = {(item["source"], item["id"]) for item in together}
        again = [item["id"] for item in response.items if (item["source"], item["id"]) in earlier]
        probe.expect(not again, response, f"has {', '.join(map(str, again[:3]))} again")
        together += response.items
    shared = min(len(together), len(listed))
    same = together[:shared] == listed[:shared]
    probe.expect(same, pages[-1], "is not a part of the same listing in one page")


def moment_of(written: object) -> datetime:
    """Return the moment of a time in RFC 3339, which has many spellings."""
    return datetime.fromisoformat(normal_time(str(written)))


def published(item: Mapping[str, Any]) -> datetime:
    """Return when an entry was published."""
    return moment_of(item["published_at"])


def newest_first(probe: Probe, listing: Listing) -> None:
    """Expect entries by time of publication, then by id, both descending, across pages too."""
    for before, after in listing.neighbours():
        response = listing.page_of(after)
        times = before["published_at"], after["published_at"]
        first, second = published(before), published(after)
        probe.expect(first >= second, response, f"has {times[0]} before {times[1]}")
        tied = first == second and before["source"] == after["source"]
        in_order = not tied or str(before["id"]) > str(after["id"])
        probe.expect(in_order, response, f"has the id {before['id']} before {after['id']}")
