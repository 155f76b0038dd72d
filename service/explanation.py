"""The state of a source in sentences: what happened, why, and what comes next."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from ingest.pipeline.source_state import MOST_TRIES
from ingest.scheduling.health import Verdict, duration
from ingest.scheduling.rhythm import WINDOW
from ingest.scheduling.schedule import ENOUGH_ENTRIES
from storage.entries.documents import timestamp
from storage.models import FetchFacts, Gap


def explanation(
    slug: str,
    facts: FetchFacts,
    judged: Verdict,
    gaps: Sequence[Gap],
    *,
    now: datetime,
) -> Iterator[str]:
    """Yield sentences about a source for the operator; they may name its feed address."""
    yield f"It is {judged.health}: {'; '.join(judged.reasons)}."
    yield from _last_check(facts, now)
    yield from _next_check(facts, now)
    yield from _rhythm(facts, now)
    if facts.redirect_url is not None:
        yield (
            f"Its address redirects for good to {facts.redirect_url}; when it is seen to do so "
            "again, that becomes its address."
        )
    if facts.recipe is not None and facts.recipe_made_at is not None:
        yield (
            f"Its page was redesigned {duration(now - facts.recipe_made_at)} ago; entries are "
            f"found by {facts.recipe}. If they are wrong: changewire source forget-recipe "
            f"{slug}"
        )
    yield from _gaps(gaps, now)


def _last_check(facts: FetchFacts, now: datetime) -> Iterator[str]:
    if facts.last_attempt_at is None:
        yield "It has not been checked yet."
        return
    attempt = f"The last check was {_ago(facts.last_attempt_at, now)}"
    if facts.last_failure is None:
        yield f"{attempt} and worked."
        return
    message = facts.last_message or facts.last_failure.replace("_", " ")
    status = "" if facts.last_status is None else f", HTTP status {facts.last_status}"
    yield f"{attempt} and failed ({facts.last_failure}{status}): {message}"
    if facts.failures > 1 and facts.first_failed_at is not None:
        since = _ago(facts.first_failed_at, now)
        yield f"It has failed {facts.failures} times in a row; the first time was {since}."
    if facts.last_success_at is None:
        yield "It has never been read."
    else:
        yield f"It was last read {_ago(facts.last_success_at, now)}."


def _next_check(facts: FetchFacts, now: datetime) -> Iterator[str]:
    every = "" if facts.interval is None else f", usually every {duration(facts.interval)}"
    if facts.leased_until is not None and facts.leased_until > now:
        yield "A worker is checking it now."
    elif facts.next_check_at is None or facts.next_check_at <= now:
        yield f"The next check is due now{every}."
    else:
        yield f"The next check is in {duration(facts.next_check_at - now)}{every}."
    if facts.retry_after_at is not None and facts.retry_after_at > now:
        yield f"The server asked for no request before {timestamp(facts.retry_after_at)}."
    if facts.ttl is not None and facts.ttl > timedelta(hours=1):
        yield f"The feed asks for at least {duration(facts.ttl)} between checks."
    if facts.last_success_at is not None and facts.etag is None and facts.last_modified is None:
        yield "The server offers no validators, so every check transfers the whole document."


def _rhythm(facts: FetchFacts, now: datetime) -> Iterator[str]:
    if facts.newest_published_at is None:
        return
    newest = _ago(facts.newest_published_at, now)
    if facts.entries_180d < ENOUGH_ENTRIES:
        yield f"The vendor publishes seldom; the newest entry came {newest}."
        return
    gap = "" if facts.median_gap is None else f", typically {duration(facts.median_gap)} apart"
    yield (
        f"The vendor published {facts.entries_180d} entries in 180 days{gap}, the newest {newest}."
    )


def _gaps(gaps: Sequence[Gap], now: datetime) -> Iterator[str]:
    for gap in gaps:
        ends = (
            f"between {timestamp(gap.after_at)} ({gap.after_id}) "
            f"and {timestamp(gap.before_at)} ({gap.before_id})"
        )
        if gap.closed_at is None:
            yield f"Entries may have been missed {ends}. {_gap_outlook(gap, now)}"
        else:
            yield f"A gap {ends} was closed at {timestamp(gap.closed_at)}."


def _gap_outlook(gap: Gap, now: datetime) -> str:
    """Return whether a gap can still be closed, and how."""
    if now - gap.declared_at >= WINDOW:
        return f"That was {_ago(gap.declared_at, now)} and no longer counts."
    if gap.tries is None:
        return "The vendor offers no older entries, so only a longer document can close it."
    times = "once" if gap.tries == 1 else f"{gap.tries} times"
    if gap.tries >= MOST_TRIES:
        return f"Older entries could not be fetched {times}; only a new document starts new tries."
    return (
        f"Older entries could not be fetched {times}; they are requested at every check, "
        f"{MOST_TRIES} times at most."
    )


def _ago(moment: datetime, now: datetime) -> str:
    return f"{duration(now - moment)} ago"
