"""What is remembered of a source between two looks, and how one look changes it.

``after`` is the whole of it: the facts before and how the look ended go in, the facts to store
come out, the time of the next look among them. Nothing else decides.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from ingest.fetching.outcomes import (
    FRUITLESS,
    Failed,
    Failure,
    Fetched,
    NotModified,
    Outcome,
    Validators,
)
from ingest.scheduling.health import HealthFacts, after_failure, after_success
from ingest.scheduling.schedule import (
    FEED_START,
    PAGE_START,
    Cadence,
    Pace,
    interval,
    next_check,
)
from openapi.vocabulary import AdapterType

SETTLED_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Facts:
    """The fetch facts of one source.

    ``feed_url`` is the address that is asked. ``redirect_url`` is where permanent redirects
    were first seen to lead at ``redirect_seen_at``; it becomes the feed_url when it is seen
    again. ``etag`` and ``last_modified`` belong to ``validators_url``. ``body_hash`` and
    ``parser_version`` tell whether a document was read before. ``failures`` and
    ``first_failed_at`` are about the failures in a row up to now; ``last_failure`` and
    ``last_status`` about the last attempt, None after a success. ``retry_after_at`` is until
    when the vendor asked, at this address, to be left alone.
    """

    slug: str
    adapter_type: AdapterType
    feed_url: str
    redirect_url: str | None = None
    redirect_seen_at: datetime | None = None
    etag: str | None = None
    last_modified: str | None = None
    validators_url: str | None = None
    body_hash: str | None = None
    parser_version: str | None = None
    fail_score: float = 0.0
    failures: int = 0
    first_failed_at: datetime | None = None
    first_attempt_at: datetime | None = None
    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    last_failure: Failure | None = None
    last_status: int | None = None
    empty_streak: int = 0
    interval: timedelta | None = None
    median_gap: timedelta | None = None
    entries_180d: int = 0
    newest_published_at: datetime | None = None
    ttl: timedelta | None = None
    open_gap: bool = False
    next_check_at: datetime | None = None
    retry_after_at: datetime | None = None

    def validators_for(self, parser_version: str) -> Validators | None:
        """Return what to send for a parser: a newer one has to see the document again."""
        return self.validators if self.parser_version == parser_version else None

    def knows(self, body_hash: str, parser_version: str) -> bool:
        """Tell whether this very document was read before, by this very parser."""
        return (self.body_hash, self.parser_version) == (body_hash, parser_version)

    @property
    def validators(self) -> Validators | None:
        """The validators to send, None if the vendor gave none."""
        if self.validators_url is None or (self.etag is None and self.last_modified is None):
            return None
        return Validators(self.validators_url, self.etag, self.last_modified)

    @property
    def usual_interval(self) -> timedelta:
        """The interval, or the one that every source of this kind starts with."""
        return self.interval or start_interval(self.adapter_type)


@dataclass(frozen=True, slots=True)
class Read:
    """A document came and was read into entries.

    ``open_gap`` tells whether entries may be missing between this document and what was known.
    """

    fetched: Fetched
    body_hash: str
    parser_version: str
    ttl: timedelta | None = None
    open_gap: bool = False


@dataclass(frozen=True, slots=True)
class Recognised:
    """A document came that is, byte for byte, the one that was read last time."""

    fetched: Fetched


Result: TypeAlias = Read | Recognised | NotModified | Failed


def start_interval(adapter_type: AdapterType) -> timedelta:
    """Return the interval of a source that nothing is known about."""
    return PAGE_START if adapter_type is AdapterType.HTML else FEED_START


def after(facts: Facts, result: Result, *, now: datetime, cadence: Cadence | None = None) -> Facts:
    """Return the facts to store after an attempt that ended with ``result`` at ``now``.

    ``cadence`` is what the stored entries say after this attempt; None leaves it as it was.
    """
    changes: dict[str, Any] = {
        "first_attempt_at": facts.first_attempt_at or now,
        "last_attempt_at": now,
    }
    if cadence is not None:
        changes |= {
            "entries_180d": cadence.entries_180d,
            "median_gap": cadence.median_gap,
            "newest_published_at": cadence.newest_published_at,
        }
    if isinstance(result, Failed):
        return replace(facts, **changes, **_failed(facts, result, now=now))
    outcome = result if isinstance(result, NotModified) else result.fetched
    facts = _with_validators(settle_redirect(facts, outcome, now=now), outcome.validators)
    gap = facts.median_gap if cadence is None else cadence.median_gap
    return replace(facts, **changes, **_succeeded(facts, result, gap, now=now))


def settle_redirect(facts: Facts, outcome: Outcome, *, now: datetime) -> Facts:
    """Return the facts with what this outcome says about the address.

    A permanent redirect is believed when it is seen again, to the same address, at least an
    hour after it was first seen: a single answer may be a mistake or a hijack. Only documents
    that could be read count, so that a page put in the place of a feed is not followed for
    good.
    """
    if isinstance(outcome, Failed):
        return facts
    target = outcome.permanent_address
    if target is None or target == facts.feed_url:
        known = facts.redirect_url is not None
        return replace(facts, redirect_url=None, redirect_seen_at=None) if known else facts
    if target != facts.redirect_url or facts.redirect_seen_at is None:
        return replace(facts, redirect_url=target, redirect_seen_at=now)
    if now - facts.redirect_seen_at < SETTLED_AFTER:
        return facts
    return replace(facts, feed_url=target, redirect_url=None, redirect_seen_at=None)


def no_entries(adapter_type: AdapterType, *, known_entries: int) -> Failed | None:
    """Return what a readable document without a single entry means.

    A feed may be empty before its first entry. A page that yields nothing was not understood,
    and a source that had entries has lost them: both are failures.
    """
    if adapter_type is not AdapterType.HTML and known_entries == 0:
        return None
    return Failed(Failure.EMPTY, status=200, message="The document holds no entries.")


def health_facts(facts: Facts) -> HealthFacts:
    """Return what health is judged by: no address, nothing a vendor wrote."""
    return HealthFacts(
        adapter_type=facts.adapter_type,
        interval=facts.usual_interval,
        fail_score=facts.fail_score,
        failures=facts.failures,
        empty_streak=facts.empty_streak,
        first_attempt_at=facts.first_attempt_at,
        last_attempt_at=facts.last_attempt_at,
        last_success_at=facts.last_success_at,
        last_failure=facts.last_failure,
        last_status=facts.last_status,
        entries_180d=facts.entries_180d,
        median_gap=facts.median_gap,
        newest_published_at=facts.newest_published_at,
        open_gap=facts.open_gap,
    )


def _failed(facts: Facts, failed: Failed, *, now: datetime) -> dict[str, Any]:
    """Return what a failure changes.

    The validators stay: they still stand for the last document that was read.
    """
    pace = Pace(
        slug=facts.slug,
        interval=facts.usual_interval,
        failures=facts.failures + 1,
        first_failed_at=facts.first_failed_at or now,
        gone=failed.failure is Failure.GONE and facts.last_failure is Failure.GONE,
        retry_after=failed.retry_after,
    )
    return {
        "fail_score": after_failure(facts.fail_score, failed.failure),
        "failures": pace.failures,
        "first_failed_at": pace.first_failed_at,
        "last_failure": failed.failure,
        "last_status": failed.status,
        "empty_streak": facts.empty_streak + (failed.failure in FRUITLESS),
        "interval": pace.interval,
        "next_check_at": next_check(pace, now=now),
        "retry_after_at": None if failed.retry_after is None else now + failed.retry_after,
    }


def _succeeded(
    facts: Facts,
    result: Read | Recognised | NotModified,
    gap: timedelta | None,
    *,
    now: datetime,
) -> dict[str, Any]:
    """Return what a success changes, besides the address and the validators."""
    learned: dict[str, Any] = {}
    if isinstance(result, Read):
        learned = {
            "body_hash": result.body_hash,
            "parser_version": result.parser_version,
            "ttl": result.ttl,
            "open_gap": result.open_gap,
        }
    outcome = result if isinstance(result, NotModified) else result.fetched
    pause = interval(
        facts.adapter_type,
        gap,
        wishes=(learned.get("ttl", facts.ttl), outcome.freshness),
        has_validators=facts.validators is not None,
        open_gap=learned.get("open_gap", facts.open_gap),
    )
    return {
        **learned,
        "fail_score": after_success(facts.fail_score),
        "failures": 0,
        "first_failed_at": None,
        "last_success_at": now,
        "last_failure": None,
        "last_status": None,
        "empty_streak": 0,
        "interval": pause,
        "next_check_at": next_check(Pace(facts.slug, pause), now=now),
        "retry_after_at": None,
    }


def _with_validators(facts: Facts, found: Validators | None) -> Facts:
    if found == facts.validators:
        return facts
    return replace(
        facts,
        etag=found.etag if found else None,
        last_modified=found.last_modified if found else None,
        validators_url=found.address if found else None,
    )
