"""changewire ingest: check sources once, now."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from ingest.pipeline import ingestion as ingestions
from ingest.pipeline import report as reports
from ingest.workers import engine
from openapi.text import counted
from service import ingestion as checks
from service.clock import clock
from service.commands import tables
from service.commands.inputs import opened, source_ids
from service.commands.output import AsJson, CommandFailed, print_json, say
from service.terminal_escape import plain
from storage.scheduling import due

PASSED_OVER = "passed over: another process checks them, or their servers asked for a pause"


def check_sources(
    slugs: Annotated[
        list[str] | None, typer.Argument(help="Slugs; default: all sources that are due.")
    ] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Check every source, due or not.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Check sources now and print the results.

    A named source that cannot be read is a failure; among all or the due ones some always fail.

    Example: changewire ingest stripe.changelog
    """
    summary, left = ingestions.Summary(), set(slugs or ())  # those not read
    with opened() as (settings, database):
        now = clock()
        conditions = [due.not_attempted_since(now)]
        with database.read() as session:
            if slugs:
                conditions.append(tables.FetchFacts.source_id.in_(source_ids(session, slugs)))
            elif not everything:
                conditions.append(due.is_due(now))
            total = due.count_sources_where(session, *conditions)
        with checks.open_ingestion(settings, database) as ingestion, progress_bar(total) as advance:

            def report_source(report: reports.CheckReport) -> None:
                summary.add(report)
                failed = report.status is reports.CheckStatus.FAILED
                left.difference_update(() if failed else (report.slug,))
                advance(_line_of(report) if slugs or failed else None)

            engine.sweep(ingestion, conditions, threads=checks.THREADS, on_report=report_source)
        with database.read() as session:
            passed_over = due.count_sources_where(session, *conditions)
    _print_summary(summary, passed_over, as_json=json)
    if left:
        one = f"show {min(left)}" if len(left) == 1 else "list --failing"
        see = f"see: changewire source {one}"
        if failed := summary.checks[reports.CheckStatus.FAILED]:
            raise CommandFailed(f"{counted(failed, 'source')} could not be read; {see}")
        raise CommandFailed(f"{counted(len(left), 'source')} {PASSED_OVER}; {see}")


def _line_of(report: reports.CheckReport) -> str:
    result = f"{report.slug}: {report.status.value}"
    counts = f"{report.new} new, {report.edited} edited"
    return f"{result}: {report.message}" if report.message else f"{result}, {counts}"


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[str | None], None]]:
    """Yield a function that counts a source as done and prints a line, if there is one.

    On a terminal it moves a progress bar.
    """
    if not sys.stderr.isatty():
        yield lambda line: None if line is None else say(plain(line))
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("checking sources", total=total)

        def advance(line: str | None) -> None:
            progress.advance(task)
            if line is not None:
                progress.print(Text(plain(line)))

        yield advance


def _print_summary(summary: ingestions.Summary, passed_over: int, *, as_json: bool) -> None:
    counts = {status.value: summary.checks[status] for status in reports.CheckStatus}
    if as_json:
        entries = {"new": summary.new, "edited": summary.edited}
        print_json({**counts, **entries, "passed_over": passed_over})
        return
    parts = [f"{count} {name}" for name, count in counts.items()]
    say(
        f"{counted(summary.checks.total(), 'source')}: {', '.join(parts)}; "
        f"{summary.new} new and {summary.edited} edited entries."
    )
    if passed_over:
        say(f"{counted(passed_over, 'source')} {PASSED_OVER}; see: changewire source list")
