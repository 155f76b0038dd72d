"""Findings about the database, and about the work that waits in it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import text

from service.doctor.findings import Finding, fault, ok, warning
from storage.delivery.delivery_log import backlog
from storage.delivery.webhook_secrets import unreadable_secrets
from storage.engine.database import (
    Database,
    DatabaseUnavailable,
    current_revision,
    on_postgresql,
    require_current,
)
from storage.engine.write_probe import write_fault
from storage.people.secret_box import SecretBox
from storage.scheduling.progress import progress

LATE: Final = timedelta(minutes=30)
CLOCKS: Final = timedelta(seconds=5)


def database_findings(
    database: Database, box: SecretBox | None, *, now: datetime
) -> Iterator[Finding]:
    """Say whether the database is of this version, takes writes, and what waits in it."""
    try:
        require_current(database)
    except DatabaseUnavailable as error:
        yield fault("migrations", str(error), "Run: changewire db upgrade")
        return
    yield ok("migrations", f"The database is at revision {current_revision(database)}.")
    wrong = write_fault(database)
    if wrong is None:
        yield ok("database", "It takes writes.")
    else:
        yield fault("database", wrong, "Nothing new is stored until this is mended.")
    yield from _queues(database, now=now)
    yield _clock(database, now=now)
    yield _secrets(database, box)


def _queues(database: Database, *, now: datetime) -> Iterator[Finding]:
    with database.read() as session:
        checks, deliveries = progress(session, now=now), backlog(session, now=now)
    yield _queue("queue", f"{checks.due} sources are due", checks.due_since, now)
    yield _queue("webhooks", f"{deliveries.pending} events wait", deliveries.due_since, now)


def _queue(subject: str, waiting: str, since: datetime | None, now: datetime) -> Finding:
    age = timedelta(0) if since is None else max(now - since, timedelta(0))
    if age <= LATE:
        return ok(subject, f"{waiting}, none for long.")
    advice = "Check that a worker runs, and start more: docs/scaling.md"
    return fault(subject, f"{waiting}, the longest for {timedelta(seconds=age.seconds)}.", advice)


def _clock(database: Database, *, now: datetime) -> Finding:
    """Compare this machine's clock with that of PostgreSQL's; SQLite has none of its own."""
    if not on_postgresql(database.engine):
        return ok("clock", f"This machine says {now:%Y-%m-%dT%H:%M:%SZ}.")
    with database.read() as session:
        there: datetime = session.scalars(text("SELECT clock_timestamp()")).one()
    return clock_finding("the database's", there - now)


def clock_finding(whose: str, ahead: timedelta, *, may_differ: timedelta = CLOCKS) -> Finding:
    """Say whether two clocks agree."""
    seconds = f"{ahead.total_seconds():+.0f} s"
    if abs(ahead) <= may_differ:
        return ok("clock", f"This machine's and {whose} agree ({seconds}).")
    advice = "Let NTP or chrony set the clocks of all machines."
    return fault("clock", f"This machine's and {whose} differ by {seconds}.", advice)


def _secrets(database: Database, box: SecretBox | None) -> Finding:
    with database.read() as session:
        count = unreadable_secrets(session, box)
    if count:
        advice = "Name their key in CHANGEWIRE_WEBHOOK_KEYS, behind the present one."
        return fault("webhook secrets", f"No key opens those of {count} webhooks.", advice)
    if box is None:
        advice = "Set CHANGEWIRE_SECRET_KEY or CHANGEWIRE_WEBHOOK_KEYS, and start the workers anew."
        return warning("webhook secrets", "They are stored openly.", advice)
    return ok("webhook secrets", "They can be opened.")
