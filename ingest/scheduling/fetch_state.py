"""The fetch state of a source between two checks, and how a check changes it.

``state_after`` takes the state before a check and its outcome, and returns the state to store, with
the time of the next check.
"""

from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias

from ingest.fetching.outcomes import FRUITLESS, Failed, Failure, Fetched, NotModified, Validators
from ingest.scheduling.health import after_failure, after_success, facts_of, judge
from ingest.scheduling.schedule import (
    BYTES_A_DAY,
    DAY,
    USUAL_UNIT_WAIT,
    Cadence,
    floor,
    interval,
    next_check,
    start_interval,
    wait_after_failures,
    wait_for_entries,
)
from openapi.vocabulary import AdapterType
from storage.scheduling.health_days import with_check

SETTLED_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class FetchState:
    """The state of one source, stored between two checks.

    ``feed_url`` is the address that is requested. ``redirect_url`` is where permanent redirects
    were first seen to lead at ``redirect_seen_at``; it becomes the feed_url when it is seen
    again. ``etag`` and ``last_modified`` belong to ``validators_url``. ``body_hash`` and
    ``parser_version`` tell whether a document was parsed before. ``failures`` and
    ``first_failed_at`` are about the failures in a row up to now; ``last_failure`` and
    ``last_status`` about the last attempt, None after a success. ``retry_after_at`` is until
    when the vendor asked, by Retry-After at this address, for no requests.
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
    pull: float | None = None
    rhythm: str = ""
    floor: timedelta | None = None
    ttl: timedelta | None = None
    open_gap: bool = False
    next_check_at: datetime | None = None
    retry_after_at: datetime | None = None
    health_days: str = ""
    health_days_until: date | None = None

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
class Parsed:
    """A document was fetched and parsed.

    ``open_gap`` tells whether entries may be missing between this document and the stored entries,
    ``is_cut`` whether it held more than is kept. ``written`` are the bytes that it adds.
    """

    fetched: Fetched
    parser_version: str
    ttl: timedelta | None = None
    open_gap: bool = False
    is_cut: bool = False
    written: int = 0


CheckOutcome: TypeAlias = Parsed | NotModified | Failed


def state_after(
    state: FetchState,
    outcome: CheckOutcome,
    *,
    now: datetime,
    cadence: Cadence | None = None,
    unit: timedelta = USUAL_UNIT_WAIT,
) -> FetchState:
    """Return the state to store after a check that ended with ``outcome`` at ``now``.

    ``cadence`` is what the stored entries say after this check; None leaves it as it was. ``unit``
    is what the budget allows this source: the wait of a pull of one.
    """
    changes: dict[str, Any] = {
        "first_attempt_at": state.first_attempt_at or now,
        "last_attempt_at": now,
        **({} if cadence is None else asdict(cadence)),
    }
    if isinstance(outcome, Failed):
        after = replace(state, **changes, **_failed(state, outcome, now=now))
    else:
        response = outcome if isinstance(outcome, NotModified) else outcome.fetched
        after = settle_redirect(state, response, now=now)
        if (validators := response.validators) != after.validators:
            after = replace(
                after,
                etag=validators.etag if validators else None,
                last_modified=validators.last_modified if validators else None,
                validators_url=validators.address if validators else None,
            )
        usual = start_interval(state.adapter_type)
        measured = cadence or state
        if measured.pull is not None:
            usual = wait_for_entries(measured.pull, measured.rhythm, unit=unit, now=now)
        after = replace(after, **changes, **_succeeded(after, outcome, usual, now=now))
    health = judge(facts_of(after, interval=after.usual_interval), now=now).health
    days, until = with_check(
        state.health_days, state.health_days_until, health, now=now, due_at=state.next_check_at
    )
    return replace(after, health_days=days, health_days_until=until)


def settle_redirect(
    state: FetchState, response: Fetched | NotModified, *, now: datetime
) -> FetchState:
    """Return the state with what a response says about the address.

    A permanent redirect is believed when it is seen again, to the same address, at least an
    hour after it was first seen: a single one may be a mistake or a hijack. Only documents
    that could be parsed count, so that a page put in the place of a feed is not followed for
    good.
    """
    target = response.permanent_address
    if target is None or target == state.feed_url:
        has_redirect = state.redirect_url is not None
        return replace(state, redirect_url=None, redirect_seen_at=None) if has_redirect else state
    if target != state.redirect_url or state.redirect_seen_at is None:
        return replace(state, redirect_url=target, redirect_seen_at=now)
    if now - state.redirect_seen_at < SETTLED_AFTER:
        return state
    return replace(state, feed_url=target, redirect_url=None, redirect_seen_at=None)


def no_entries(adapter_type: AdapterType, *, stored_entries: int) -> Failed | None:
    """Return the failure of a document without entries, None if it may have none.

    A feed may be empty before its first entry. A page without entries could not be parsed, and a
    source that had entries has lost them: both are failures.
    """
    if adapter_type is not AdapterType.HTML and stored_entries == 0:
        return None
    return Failed(Failure.EMPTY, status=200, message="The document has no entries.")


def _failed(state: FetchState, failed: Failed, *, now: datetime) -> dict[str, Any]:
    """Return what a failure changes.

    The validators stay: they belong to the last document that was parsed.
    """
    failures, first_failed_at = state.failures + 1, state.first_failed_at or now
    own = wait_after_failures(
        state.usual_interval,
        failures,
        failing_for=now - first_failed_at,
        gone=failed.failure is Failure.GONE and state.last_failure is Failure.GONE,
    )
    return {
        "fail_score": after_failure(state.fail_score, failed.failure),
        "failures": failures,
        "first_failed_at": first_failed_at,
        "last_failure": failed.failure,
        "last_status": failed.status,
        "empty_streak": state.empty_streak + (failed.failure in FRUITLESS),
        "interval": state.usual_interval,
        "next_check_at": next_check(state.slug, own, retry_after=failed.retry_after, now=now),
        "retry_after_at": None if failed.retry_after is None else now + failed.retry_after,
    }


def _succeeded(
    state: FetchState, outcome: Parsed | NotModified, usual: timedelta, *, now: datetime
) -> dict[str, Any]:
    """Return what a success changes, besides the address and the validators.

    ``usual`` is the wait by what is expected of the source.
    """
    parsed: dict[str, Any] = {}
    if isinstance(outcome, Parsed):
        parsed = {
            "body_hash": outcome.fetched.body_hash,
            "parser_version": outcome.parser_version,
            "ttl": outcome.ttl,
            "open_gap": outcome.open_gap,
        }
    is_cut = outcome.is_cut if isinstance(outcome, Parsed) else state.last_failure is Failure.CUT
    written = outcome.written if isinstance(outcome, Parsed) else 0
    response = outcome if isinstance(outcome, NotModified) else outcome.fetched
    shortest = floor(
        (parsed.get("ttl", state.ttl), response.freshness),
        has_validators=state.validators is not None,
    )
    pause = interval(usual, shortest, open_gap=parsed.get("open_gap", state.open_gap))
    pause = max(pause, DAY * (written / BYTES_A_DAY))
    return {
        **parsed,
        "fail_score": after_success(state.fail_score),
        "failures": 0,
        "first_failed_at": None,
        "last_success_at": now,
        "last_failure": Failure.CUT if is_cut else None,
        "last_status": None,
        "empty_streak": 0,
        "floor": shortest,
        "interval": pause,
        "next_check_at": next_check(state.slug, pause, now=now),
        "retry_after_at": None,
    }
