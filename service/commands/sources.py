"""changewire source: list, explain and probe sources, feed addresses included."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

import typer

from ingest.discovery import probe
from ingest.pipeline import source_state
from ingest.scheduling import schedule
from ingest.scheduling.health import duration
from openapi.text import counted, cut
from openapi.vocabulary import Health
from service import ingestion as checks
from service import source_health
from service.clock import clock
from service.commands import tables
from service.commands.inputs import opened, unknown_source
from service.commands.output import (
    AsJson,
    CommandFailed,
    cell,
    command_group,
    print_json,
    print_rows,
    print_table,
    record,
    say,
)
from service.terminal_escape import plain
from storage.catalog import catalog_items
from storage.catalog import source_filter as catalog_source_filter
from storage.entries import documents
from storage.scheduling import due, progress
from storage.scheduling import gaps as scheduling_gaps

_COLUMNS: Final = {
    "slug": "slug",
    "health": "health",
    "entries": "entries",
    "last read": "last_success_at",
    "next check": "next_check_at",
    "why": "reasons",
}
_FAILING_COLUMNS: Final = {
    "slug": "slug",
    "failure": "failure",
    "times": "failures",
    "since": "failing_since",
    "next check": "next_check_at",
    "message": "message",
}
"""The columns of lists of sources, with the fact that each shows."""

source = command_group("List, explain and test sources, including feed addresses.")


@source.command("list")
def source_list(
    vendor: Annotated[str | None, typer.Option(help="Filter by vendor.")] = None,
    health: Annotated[Health | None, typer.Option(help="Filter by health.")] = None,
    q: Annotated[str | None, typer.Option(help="Search, best match first.")] = None,
    *,
    failing: Annotated[
        bool, typer.Option("--failing", help="Sources whose last check failed, with the reason.")
    ] = False,
    json: AsJson = False,
) -> None:
    """List sources with their health. Example: changewire source list --failing"""
    now = clock()
    with opened() as (_, database), database.read() as session:
        source_filter = catalog_source_filter.SourceFilter(vendor=vendor, q=q)
        _, items = catalog_items.page_items(session, source_filter, now=now)
        sources = {item.slug: _facts(item, now) for item in items}
        failures = progress.failing_sources(session) if failing else []
    if failing:
        sources = {
            each.slug: sources[each.slug] | _failure(each)
            for each in failures
            if each.slug in sources
        }
    rows = [row for row in sources.values() if health is None or row["health"] == health]
    columns = _FAILING_COLUMNS if failing else _COLUMNS
    print_rows(rows, columns, json=json, whole=("slug", "health", "failure"))


@source.command("show")
def source_show(
    slug: Annotated[str, typer.Argument(help="The source's slug.")], *, json: AsJson = False
) -> None:
    """Explain one source. Example: changewire source show stripe.changelog"""
    now = clock()
    with opened() as (_, database), database.read() as session:
        item = catalog_items.find_item(session, slug, now=now)
        if item is None:
            raise unknown_source(session, slug)
        gaps = scheduling_gaps.all_gaps(session, item.id)
        facts = session.get_one(tables.FetchFacts, item.id)
        sentences = list(explanation(slug, facts, gaps, now=now))
        source = _facts(item, now) | _details(item, facts)
    if json:
        print_json({**source, "gaps": [*map(_gap, gaps)], "explanation": sentences})
        return
    print_table(("", slug), [(name, cell(value)) for name, value in source.items()])
    sys.stdout.writelines(f"{plain(sentence)}\n" for sentence in ("", *sentences))


@source.command("probe")
def source_probe(
    url: Annotated[str, typer.Argument(help="The address of a page, a feed or a repository.")],
    *,
    json: AsJson = False,
) -> None:
    """Test an address, store nothing. Example: changewire source probe https://example.org/feed"""
    with opened() as (settings, database), checks.open_ingestion(settings, database) as ingestion:
        probe_result = probe.probe(ingestion, url, now=clock())
    if json:
        print_json(probe_result.as_json())
    else:
        show_probe(probe_result)
    if not probe_result.offers:
        raise CommandFailed("No feed or entries found at this address.")


@source.command("forget-recipe")
def source_forget_recipe(slug: Annotated[str, typer.Argument(help="The source's slug.")]) -> None:
    """Forget how a page was read. Example: changewire source forget-recipe acme.news

    A recipe is what was learnt about a page after its vendor had redesigned it.
    """
    with opened() as (_, database), database.write() as session:
        if not due.forget_recipe(session, slug):
            raise CommandFailed(f"The source {slug} has no recipe, or is not in the catalog.")
    say(f"{slug} is read without a recipe again, from its next check on.")


def explanation(
    slug: str, facts: tables.FetchFacts, gaps: Sequence[tables.Gap], *, now: datetime
) -> Iterator[str]:
    """Yield sentences on what facts alone do not say: a recipe and gaps."""
    if facts.recipe is not None and facts.recipe_made_at is not None:
        yield (
            f"Its page was redesigned {duration(now - facts.recipe_made_at)} ago; entries are "
            f"found by {facts.recipe}. If they are wrong: changewire source forget-recipe {slug}"
        )
    for gap in gaps:
        ends = (
            f"between {documents.timestamp(gap.after_at)} ({gap.after_id}) "
            f"and {documents.timestamp(gap.before_at)} ({gap.before_id})"
        )
        if gap.closed_at is None:
            yield f"Entries may have been missed {ends}. {_outlook(gap, now)}"
        else:
            yield f"A gap {ends} was closed at {documents.timestamp(gap.closed_at)}."


def _outlook(gap: tables.Gap, now: datetime) -> str:
    """Return whether a gap can still be closed, and how."""
    if now - gap.declared_at >= schedule.WINDOW:
        return f"That was {duration(now - gap.declared_at)} ago and no longer counts."
    if gap.tries is None:
        return "The vendor offers no older entries, so only a longer document can close it."
    failed = f"Older entries could not be fetched {counted(gap.tries, 'time')};"
    if gap.tries >= source_state.MOST_TRIES:
        return f"{failed} only a new document starts new tries."
    return f"{failed} they are requested at every check, {source_state.MOST_TRIES} times at most."


def show_probe(probe_result: probe.Probe) -> None:
    """Print what a probe found, for people."""
    for number, offer in enumerate(probe_result.offers, 1):
        newest = f"newest {cell(offer.newest_at)}" if offer.newest_at else "undated"
        sys.stdout.write(
            f"{number}. {offer.adapter_type}: {plain(offer.address)}\n"
            f"   {offer.found_by}; {counted(offer.entries, 'entry', 'entries')}, {newest}\n"
        )
        for sample in offer.samples:
            sys.stdout.write(
                f"   - {cell(sample.published_at) or 'undated'} ({sample.date_source})  "
                f"{plain(sample.title)}\n     {plain(sample.url or 'no link')}\n"
                f"     {plain(cut(sample.summary or 'no text', probe.FIRST_WORDS))}\n"
            )
    for trouble in probe_result.troubles:
        say(plain(trouble))


def _gap(gap: tables.Gap) -> dict[str, Any]:
    return {
        "after": gap.after_id,
        "before": gap.before_id,
        **record(gap, "after_at before_at declared_at closed_at tries"),
    }


def _facts(item: catalog_items.CatalogItem, now: datetime) -> dict[str, Any]:
    health = source_health.verdict(item, now)
    return {
        **record(item, "slug name"),
        **record(health, "health reasons"),
        "entries": item.entry_count,
        "newest_entry_at": item.last_updated_at,
        **record(item, "last_success_at next_check_at"),
    }


def _failure(failing: progress.FailingSource) -> dict[str, Any]:
    named = record(failing, "failure failures message")
    return named | {"failing_since": failing.first_failed_at}


def _details(item: catalog_items.CatalogItem, facts: tables.FetchFacts) -> dict[str, Any]:
    return {
        "vendor": item.vendor,
        "adapter": item.adapter_type,
        "changelog": item.changelog_url,
        "fetched from": facts.feed_url,
        "tags": item.tags,
        "last attempt": facts.last_attempt_at,
        "last failure": facts.last_failure,
        "last status": facts.last_status,
        "last message": facts.last_message,
        "failures in a row": facts.failures,
        "failing since": facts.first_failed_at,
        "fail score": facts.fail_score,
        "checked every": None if facts.interval is None else duration(facts.interval),
        "entries in 180 days": facts.entries_180d,
        "typically apart": None if facts.median_gap is None else duration(facts.median_gap),
        "asked to wait until": facts.retry_after_at,
        "asked to wait between checks": None if facts.ttl is None else duration(facts.ttl),
        "redirects to": facts.redirect_url,
    }
