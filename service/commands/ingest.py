"""changewire ingest: one sweep now."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from sqlalchemy import ColumnElement

from ingest.pipeline import Look, Report
from ingest.worker import Summary, sweep
from service.clock import clock
from service.commands.shared import AsJson, CommandFailed, counted, opened, print_json, say
from service.ingestion import THREADS, ingestion_of
from storage.database import Database
from storage.due import count_sources_where, is_due, not_attempted_since
from storage.models import FetchFacts
from storage.sources import ids_of, near_slugs


def ingest_now(
    slugs: Annotated[
        list[str] | None, typer.Argument(help="Sources; the due ones without.")
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Look at every source.")] = False,
    json: AsJson = False,
) -> None:
    """Look at sources now and say what came of it.

    Example: changewire ingest stripe.changelog
    """
    ingest_slugs(slugs or [], everything=everything, json=json)


def ingest_slugs(slugs: Sequence[str], *, everything: bool = False, json: bool = False) -> None:
    """Look at these sources, else at those that are due, and say what came of it."""
    with opened() as (settings, database):
        conditions = _conditions(database, slugs, everything=everything)
        with database.read() as session:
            total = count_sources_where(session, *conditions)
        with ingestion_of(settings, database) as ingestion, _progress() as progress:
            task = progress.add_task("looking at sources", total=total)

            def tell(report: Report) -> None:
                progress.advance(task)
                if report.look is Look.FAILED or slugs:
                    progress.print(report.as_line())

            summary = sweep(ingestion, conditions, threads=THREADS, on_report=tell)
    _tell(summary, as_json=json)
    if slugs and summary.looks.total() < len(set(slugs)):
        raise CommandFailed(
            "Some sources are being looked at by another worker, or asked to be left alone; "
            "see: changewire source show SLUG"
        )


def _conditions(
    database: Database, slugs: Sequence[str], *, everything: bool
) -> list[ColumnElement[bool]]:
    now = clock()
    if not slugs:
        return [not_attempted_since(now)] if everything else [is_due(now), not_attempted_since(now)]
    with database.read() as session:
        known = ids_of(session, slugs)
        for slug in slugs:
            if slug not in known:
                near = ", ".join(near_slugs(session, slug))
                raise CommandFailed(
                    f"The catalog has no source {slug}."
                    + (f" Did you mean {near}?" if near else "")
                )
    return [not_attempted_since(now), FetchFacts.source_id.in_(known.values())]


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )


def _tell(summary: Summary, *, as_json: bool) -> None:
    counts = {look.value: summary.looks[look] for look in Look}
    if as_json:
        print_json({**counts, "new": summary.new, "edited": summary.edited})
        return
    parts = [f"{count} {name}" for name, count in counts.items()]
    say(
        f"{counted(summary.looks.total(), 'source', 'sources')}: {', '.join(parts)}; "
        f"{summary.new} new and {summary.edited} edited entries."
    )
