"""One sweep now, and what is said about it: what ``changewire ingest`` does."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import ColumnElement

from ingest.pipeline.check_result import CheckReport, CheckStatus
from ingest.workers.local import Summary, sweep
from openapi.counts import counted
from service.cleaning import plain
from service.clock import clock
from service.commands.shared import CommandFailed, opened, print_json, say
from service.ingestion import THREADS, ingestion_of
from storage.engine.database import Database
from storage.models import FetchFacts
from storage.scheduling.due import count_sources_where, is_due, not_attempted_since


def ingest_due() -> None:
    """Look at the sources that are due."""
    ingest_slugs([])


def ingest_all() -> None:
    """Look at every source."""
    ingest_slugs([], everything=True)


def ingest_slugs(slugs: Sequence[str], *, everything: bool = False, json: bool = False) -> None:
    """Look at these sources, else at those that are due, and say what came of it.

    A source that was named and cannot be read is a failure of the command; among all or the due
    ones some always fail.
    """
    with opened() as (settings, database):
        conditions = _conditions(database, slugs, everything=everything)
        with database.read() as session:
            total = count_sources_where(session, *conditions)
        with ingestion_of(settings, database) as ingestion, _progress(total) as done:

            def tell(report: CheckReport) -> None:
                line = report.as_line() if report.status is CheckStatus.FAILED or slugs else None
                done(line)

            summary = sweep(ingestion, conditions, threads=THREADS, on_report=tell)
    _tell(summary, as_json=json)
    if slugs and (failed := summary.checks[CheckStatus.FAILED]):
        raise CommandFailed(
            f"{counted(failed, 'source')} could not be read; see: changewire source show SLUG"
        )
    if slugs and summary.checks.total() < len(set(slugs)):
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
    from storage.catalog.sources import ids_of, near_slugs  # bring the lists of the catalog along

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


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str | None], None]]:
    """Give what counts a source as done and says a line about it, with a bar on a terminal."""
    if not sys.stderr.isatty():
        yield lambda line: None if line is None else say(plain(line))
        return
    from rich.console import Console  # nobody else needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.text import Text

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("looking at sources", total=total)

        def done(line: str | None) -> None:
            progress.advance(task)
            if line is not None:
                progress.print(Text(plain(line)))

        yield done


def _tell(summary: Summary, *, as_json: bool) -> None:
    counts = {status.value: summary.checks[status] for status in CheckStatus}
    if as_json:
        print_json({**counts, "new": summary.new, "edited": summary.edited})
        return
    parts = [f"{count} {name}" for name, count in counts.items()]
    say(
        f"{counted(summary.checks.total(), 'source')}: {', '.join(parts)}; "
        f"{summary.new} new and {summary.edited} edited entries."
    )
