"""changewire top: what the workers do now, read from the database."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ingest.scheduling.messages import duration
from openapi.counts import counted
from openapi.vocabulary import Json
from service.clock import clock
from service.commands.inputs import opened
from service.commands.output import AsJson, print_json
from storage.engine.database import Database
from storage.scheduling.due import LEASE
from storage.scheduling.progress import (
    CheckInProgress,
    LastCheck,
    Progress,
    checks_in_progress,
    last_checks,
    progress,
)

ROWS = 12
SOON = 120.0  # up to here ages are shown in seconds
Snapshot = tuple[Progress, list[CheckInProgress], list[LastCheck]]


def top(
    *,
    every: Annotated[float, typer.Option(min=0.2, max=3600, help="Seconds between updates.")] = 2,
    once: Annotated[bool, typer.Option("--once", help="Print once and end.")] = False,
    json: AsJson = False,
) -> None:
    """Show what the workers do now. Example: changewire top --every 5"""
    console = Console()
    with opened() as (_, database):
        if json:
            now = clock()
            print_json(as_json(snapshot_of(database, now=now), now=now))
        elif once or not console.is_terminal:
            now = clock()
            console.print(as_tables(snapshot_of(database, now=now), now=now))
        else:
            _watch(database, console, every=every)


def _watch(database: Database, console: Console, *, every: float) -> None:
    with Live(console=console, screen=True, auto_refresh=False) as live:
        try:
            while True:
                now = clock()
                live.update(as_tables(snapshot_of(database, now=now), now=now), refresh=True)
                time.sleep(every)
        except KeyboardInterrupt:
            return


def snapshot_of(database: Database, *, now: datetime) -> Snapshot:
    """Read the figures, the checks in progress and the last checks in one transaction."""
    with database.read() as session:
        return (
            progress(session, now=now),
            checks_in_progress(session, now=now, most=ROWS),
            last_checks(session, most=ROWS),
        )


def as_tables(snapshot: Snapshot, *, now: datetime) -> Group:
    """Return the snapshot for a terminal."""
    figures, checks, attempts = snapshot
    return Group(
        *(Text(line) for line in summary_lines(figures, now=now)), *_tables(checks, attempts, now)
    )


def summary_lines(figures: Progress, *, now: datetime) -> Iterator[str]:
    """Yield the figures as lines of text."""
    health = ", ".join(f"{number:,} {state.value}" for state, number in figures.by_health.items())
    yield f"sources   {sum(figures.by_health.values()):,}: {health}"
    waiting = f", the longest for {duration(now - figures.due_since)}" if figures.due_since else ""
    yield f"due       {figures.due:,}{waiting}"
    yield f"running   {figures.leased:,}; {figures.attempted_last_hour:,} checked in the last hour"
    last_success = f"{duration(now - figures.read_at)} ago" if figures.read_at else "never"
    yield f"failing   {figures.failing:,}; last success {last_success}"
    yield (
        f"entries   {figures.entries:,}; {counted(figures.open_gaps, 'open gap')}; "
        f"{counted(figures.open_requests, 'open request')}"
    )


def _tables(
    checks: list[CheckInProgress], attempts: list[LastCheck], now: datetime
) -> Iterator[Table]:
    in_progress = Table("running", "since", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for check in checks:
        in_progress.add_row(check.slug, f"{_ago(check.leased_until - LEASE, now)}")
    yield in_progress
    finished = Table("last checks", "when", "how", "next", box=None, header_style="bold")
    for attempt in attempts:
        finished.add_row(
            attempt.slug,
            _ago(attempt.at, now),
            attempt.failure or "read",
            f"in {duration(attempt.next_check_at - now)}"
            if attempt.next_check_at and attempt.next_check_at > now
            else "now",
        )
    yield finished


def _ago(at: datetime, now: datetime) -> str:
    seconds = max((now - at).total_seconds(), 0.0)
    return f"{seconds:.0f} s ago" if seconds < SOON else f"{duration(now - at)} ago"


def as_json(snapshot: Snapshot, *, now: datetime) -> Json:
    """Return the snapshot for programs."""
    figures, checks, attempts = snapshot
    return {
        "at": now.isoformat(),
        "sources": {state.value: number for state, number in figures.by_health.items()},
        "due": figures.due,
        "due_since": _iso_time(figures.due_since),
        "in_hand": [
            {"slug": check.slug, "until": check.leased_until.isoformat()} for check in checks
        ],
        "leased": figures.leased,
        "looked_at_last_hour": figures.attempted_last_hour,
        "failing": figures.failing,
        "read_at": _iso_time(figures.read_at),
        "entries": figures.entries,
        "open_gaps": figures.open_gaps,
        "open_requests": figures.open_requests,
        "last_checks": [
            {
                "slug": check.slug,
                "at": check.at.isoformat(),
                "failure": check.failure,
                "next_check_at": _iso_time(check.next_check_at),
            }
            for check in attempts
        ],
    }


def _iso_time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
