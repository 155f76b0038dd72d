"""Searches besides a source's document, and the time of their next attempt. Pure.

Postings of teasers that could not be had, and the tags of a repository that date its releases. Both
are asked for when the source is checked anyway, a few times, with growing pauses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

import msgspec

PAUSES: Final = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=3))
"""How long to wait after each failure; after one more there is no further try."""


@dataclass(frozen=True, slots=True)
class Tries:
    """How often something could not be had in a row, and when to try it again."""

    failures: int
    next_at: datetime


def after_failure(tries: Tries | None, *, now: datetime) -> Tries | None:
    """Return when to try again what failed once more; None when it is given up."""
    failures = 0 if tries is None else tries.failures
    if failures >= len(PAUSES):
        return None
    return Tries(failures + 1, now + PAUSES[failures])


@dataclass(frozen=True, slots=True)
class ReleaseWalk:
    """Where the walk through a repository's releases and tags goes on, at ``next_at``.

    ``page`` is the next one of the releases API, 0 when those are read; ``after`` is the last tag
    of the feed of tags that was read. ``requests`` counts them all, ``failures`` those in a row.
    """

    next_at: datetime
    page: int = 1
    after: str | None = None
    requests: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Lookups:
    """Pending searches of a source: postings by the ids of entries, dates of releases."""

    postings: Mapping[str, Tries] = field(default_factory=dict)
    releases: ReleaseWalk | None = None

    def is_due(self, now: datetime) -> bool:
        """Return whether a check tries something now, which needs the whole document."""
        if self.releases is not None and self.releases.next_at <= now:
            return True
        return any(tries.next_at <= now for tries in self.postings.values())

    def with_posting(self, entry_id: str, tries: Tries | None) -> "Lookups":
        """Return what is looked for with other tries for one posting; None: no more."""
        others = {id_: tried for id_, tried in self.postings.items() if id_ != entry_id}
        return replace(self, postings=others if tries is None else {**others, entry_id: tries})


def to_json(lookups: Lookups) -> str | None:
    """Return what is stored of lookups; None where there are none."""
    if not lookups.postings and lookups.releases is None:
        return None
    return msgspec.json.encode(lookups).decode()


def from_json(stored: str | None) -> Lookups:
    """Return the lookups that are stored."""
    return Lookups() if stored is None else msgspec.json.decode(stored, type=Lookups)
