"""The result of a check: its outcome, the changes to store, and a report of both."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ingest.fetching.outcomes import Failed, Failure
from ingest.pipeline.entry_changes import EntryChanges
from ingest.pipeline.gap_changes import GapChanges
from ingest.pipeline.snapshot_changes import SnapshotChange
from ingest.pipeline.source_state import LeasedSource
from ingest.scheduling.fetch_state import CheckOutcome, Parsed
from ingest.scheduling.lookups import Lookups
from ingest.scheduling.schedule import Cadence
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

    def as_line(self) -> str:
        """Return a line for people."""
        if self.message is not None:
            return f"{self.slug}: {self.status.value}: {self.message}"
        return f"{self.slug}: {self.status.value}, {self.new} new, {self.edited} edited"


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """The changes of a document, to be stored in one transaction.

    ``recipe`` is a new one for a page that was redesigned; ``lookups`` is what is still looked for.
    """

    entries: EntryChanges
    snapshot: SnapshotChange | None = None
    gaps: GapChanges = field(default_factory=GapChanges)
    recipe: str | None = None
    lookups: Lookups | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check at ``at``. ``changes`` are None unless a document was parsed.

    ``cadence`` is None unless it was measured anew.
    """

    source: LeasedSource
    at: datetime
    outcome: CheckOutcome
    changes: DocumentChanges | None = None
    cadence: Cadence | None = None

    @property
    def is_first_today(self) -> bool:
        """Whether this is the first check of the source on its day, which measures its cadence."""
        last = self.source.state.last_attempt_at
        return last is None or last.date() != self.at.date()

    @property
    def message(self) -> str | None:
        """The message of the failure; None if the check succeeded."""
        return self.outcome.message if isinstance(self.outcome, Failed) else None

    @property
    def report(self) -> CheckReport:
        """The report of the check."""
        slug = self.source.slug
        if isinstance(self.outcome, Failed):
            failure = self.outcome.failure
            return CheckReport(
                slug, CheckStatus.FAILED, message=self.message or failure.value, failure=failure
            )
        if self.changes is None or not isinstance(self.outcome, Parsed):
            return CheckReport(slug, CheckStatus.UNCHANGED)
        new, edited = len(self.changes.entries.new), len(self.changes.entries.edited)
        return CheckReport(slug, CheckStatus.FETCHED, new=new, edited=edited)
