"""changewire top: what the workers do now, as the database shows it."""

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
SOON = 120.0  # seconds that are told as seconds
View = tuple[Progress, list[CheckInProgress], list[LastCheck]]


def top(
    *,
    every: Annotated[float, typer.Option(min=0.2, max=3600, help="Seconds between looks.")] = 2,
    once: Annotated[bool, typer.Option("--once", help="Print once and end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what the workers do now. Example: changewire top --every 5"""
    console = Console()
    with opened() as (_, database):
        if as_json:
            now = clock()
            print_json(as_document(view(database, now=now), now=now))
        elif once or not console.is_terminal:
            now = clock()
            console.print(picture(view(database, now=now), now=now))
        else:
            _watch(database, console, every=every)


def _watch(database: Database, console: Console, *, every: float) -> None:
    with Live(console=console, screen=True, auto_refresh=False) as live:
        try:
            while True:
                now = clock()
                live.update(picture(view(database, now=now), now=now), refresh=True)
                time.sleep(every)
        except KeyboardInterrupt:
            return


def view(database: Database, *, now: datetime) -> View:
    """Read what there is to show, in one view of the database."""
    with database.read() as session:
        return (
            progress(session, now=now),
            checks_in_progress(session, now=now, most=ROWS),
            last_checks(session, most=ROWS),
        )


def picture(seen: View, *, now: datetime) -> Group:
    """Return what people see."""
    found, held, attempts = seen
    return Group(*(Text(line) for line in lines_of(found, now=now)), *_tables(held, attempts, now))


def lines_of(found: Progress, *, now: datetime) -> Iterator[str]:
    """Yield the figures in words."""
    health = ", ".join(f"{number:,} {state.value}" for state, number in found.by_health.items())
    yield f"sources   {sum(found.by_health.values()):,}: {health}"
    waits = f", the longest for {duration(now - found.due_since)}" if found.due_since else ""
    yield f"due       {found.due:,}{waits}"
    yield f"in hand   {found.leased:,}; {found.attempted_last_hour:,} looked at in the last hour"
    read = f"{duration(now - found.read_at)} ago" if found.read_at else "never"
    yield f"failing   {found.failing:,}; last success {read}"
    yield (
        f"entries   {found.entries:,}; {counted(found.open_gaps, 'open gap')}; "
        f"{counted(found.open_requests, 'open request')}"
    )


def _tables(
    held: list[CheckInProgress], attempts: list[LastCheck], now: datetime
) -> Iterator[Table]:
    hands = Table("in hand", "since", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for each in held:
        hands.add_row(each.slug, f"{_ago(each.leased_until - LEASE, now)}")
    yield hands
    last = Table("last looks", "when", "how", "next", box=None, header_style="bold")
    for attempt in attempts:
        last.add_row(
            attempt.slug,
            _ago(attempt.at, now),
            attempt.failure or "read",
            f"in {duration(attempt.next_check_at - now)}"
            if attempt.next_check_at and attempt.next_check_at > now
            else "now",
        )
    yield last


def _ago(at: datetime, now: datetime) -> str:
    seconds = max((now - at).total_seconds(), 0.0)
    return f"{seconds:.0f} s ago" if seconds < SOON else f"{duration(now - at)} ago"


def as_document(seen: View, *, now: datetime) -> Json:
    """Return what programs see."""
    found, held, attempts = seen
    return {
        "at": now.isoformat(),
        "sources": {state.value: number for state, number in found.by_health.items()},
        "due": found.due,
        "due_since": _written(found.due_since),
        "in_hand": [{"slug": each.slug, "until": each.leased_until.isoformat()} for each in held],
        "leased": found.leased,
        "looked_at_last_hour": found.attempted_last_hour,
        "failing": found.failing,
        "read_at": _written(found.read_at),
        "entries": found.entries,
        "open_gaps": found.open_gaps,
        "open_requests": found.open_requests,
        "last_looks": [
            {
                "slug": each.slug,
                "at": each.at.isoformat(),
                "failure": each.failure,
                "next_check_at": _written(each.next_check_at),
            }
            for each in attempts
        ],
    }


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
