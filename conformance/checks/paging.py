"""When entries were published, and the order that follows from it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from conformance.checks.probe import Probe
from conformance.sampling import Listing
from openapi.parsing import normal_time


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
