"""Reports of checks: for logs, metrics and people."""

from dataclasses import dataclass
from enum import StrEnum

from ingest.fetching.outcomes import Failure
from openapi.vocabulary import Json


class CheckStatus(StrEnum):
    """How a check ended."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A summary of a check, for logs and for people. ``message`` says why it failed."""

    slug: str
    status: CheckStatus
    new: int = 0
    edited: int = 0
    message: str | None = None
    failure: Failure | None = None

    def as_fields(self) -> dict[str, Json]:
        """Return the fields of a log line."""
        fields: dict[str, Json] = {
            "slug": self.slug,
            "status": self.status.value,
            "new": self.new,
            "edited": self.edited,
        }
        return fields if self.message is None else {**fields, "message": self.message}
