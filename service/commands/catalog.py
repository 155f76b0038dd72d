"""changewire catalog: load, check and export the catalog, take sources out of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from ingest import catalog as catalog_files
from ingest.workers import address_checks
from openapi.text import counted
from openapi.vocabulary import AdapterType, AddressStatus, Json, Tier
from service import ingestion as checks
from service.clock import clock
from service.commands import ingest, tables
from service.commands.inputs import opened, source_ids
from service.commands.output import (
    AsJson,
    CommandFailed,
    WrongInput,
    command_group,
    print_json,
    record,
    say,
)
from service.settings import Settings
from storage.catalog import address_checks as catalog_address_checks
from storage.catalog import packages as catalog_packages
from storage.catalog import removal
from storage.catalog import rows as catalog_rows
from storage.catalog import sources as catalog_sources
from storage.engine import database as databases
from storage.engine import retry
from storage.entries import entry_writes

catalog = command_group("Load, validate and export the catalog; remove sources.")
File = Annotated[Path | None, typer.Argument(help="A CSV file; default: the shipped catalog.")]
MOST_FAULTS = 20


def text_of(file: Path) -> str:
    """Read a file; raise CommandFailed if that is not possible."""
    try:
        return catalog_files.decode_catalog(file.read_bytes())
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise CommandFailed(f"{file}: {error}") from error


def rows_of(text: str) -> list[catalog_rows.CatalogRow]:
    """Return the rows of a catalog; raise CommandFailed that names every bad row."""
    rows, bad = catalog_files.read_catalog(text)
    _require_good(bad)
    if not rows:
        raise CommandFailed("The catalog has no rows; nothing was changed.")
    return rows


def packages_of_file(text: str) -> list[catalog_rows.SeenPackage]:
    """Return the rows of a file of packages; raise CommandFailed that names every bad row."""
    rows, bad = catalog_files.read_packages(text)
    _require_good(bad)
    return rows


def _require_good(bad: list[catalog_files.BadRow]) -> None:
    if bad:
        shown = [f"line {row.line} ({row.slug or 'no slug'}): {row.reason}" for row in bad]
        more = len(bad) - MOST_FAULTS
        if more > 0:
            shown = [*shown[:MOST_FAULTS], f"… and {more} more"]
        heading = f"{counted(len(bad), 'fault')}, nothing was changed:"
        raise CommandFailed("\n".join([heading, *shown]))


def load_rows(
    database: databases.Database,
    rows: list[catalog_rows.CatalogRow],
    packages: Sequence[catalog_rows.SeenPackage] = (),
) -> catalog_sources.CatalogChange:
    """Insert or update the sources, and what they are about, in one transaction."""
    with database.write() as session:
        change = catalog_sources.save_sources(session, rows)
        entry_writes.retag_entries(session, change.retagged)
        catalog_packages.save_packages(session, packages)
    return change


def load_shipped(database: databases.Database, settings: Settings) -> catalog_sources.CatalogChange:
    """Load the shipped catalog with its packages; a public site adds its own changelog."""
    own = catalog_files.own_source(settings.site_url)
    rows = rows_of(catalog_files.shipped_catalog()) + ([] if own is None else [own])
    return load_rows(database, rows, packages_of_file(catalog_files.shipped_packages()))


@catalog.command("load")
def catalog_load(file: File = None, *, json: AsJson = False) -> None:
    """Add or update sources. Example: changewire catalog load more.csv

    A file with the columns slug, purl and seen_in maps packages to sources.
    """
    text = None if file is None else text_of(file)
    if text is not None and catalog_files.is_package_file(text):
        _load_packages(text, json=json)
        return
    rows = None if text is None else rows_of(text)
    with opened() as (settings, database):
        change = load_rows(database, rows) if rows else load_shipped(database, settings)
    if json:
        print_json(record(change, "added updated unchanged"))
    else:
        say(f"{change.added} added, {change.updated} updated, {change.unchanged} unchanged.")


def _load_packages(text: str, *, json: bool) -> None:
    rows = packages_of_file(text)
    with opened() as (_, database), database.write() as session:
        change = catalog_packages.save_packages(session, rows)
    if json:
        print_json({**asdict(change)})
        return
    say(f"{change.added} added, {change.removed} removed, {change.unchanged} unchanged.")
    if change.missing:
        shown = ", ".join(change.missing[:MOST_FAULTS])
        missing = counted(len(change.missing), "source")
        say(f"{missing} not in the catalog, passed over: {shown}")


@catalog.command("check")
def catalog_check(
    file: File = None,
    *,
    live: Annotated[
        bool, typer.Option("--live", help="Fetch the addresses of the stored sources.")
    ] = False,
    slugs: Annotated[
        list[str] | None, typer.Option("--source", help="With --live: only these sources.")
    ] = None,
    tier: Annotated[Tier | None, typer.Option(help="With --live: filter by tier.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="With --live: include confirmed addresses.")
    ] = False,
    mend: Annotated[
        bool, typer.Option("--mend", help="With --live: store the new addresses of moved sources.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Validate a catalog. Example: changewire catalog check more.csv

    With --live, request unconfirmed addresses at the pace of a check and store the result:
    confirmed, moved or gone. Example: changewire catalog check --live --mend
    """
    if not live and (slugs or tier or everything or mend):
        raise WrongInput("--source, --tier, --all and --mend go with --live.")
    if live:
        if file is not None:
            raise WrongInput("--live is about the sources in the database; load the file first.")
        _check_live(slugs or [], tier=tier, everything=everything, mend=mend, json=json)
        return
    text = catalog_files.shipped_catalog() if file is None else text_of(file)
    if catalog_files.is_package_file(text):
        say(f"{counted(len(packages_of_file(text)), 'package')}, all rows are valid.")
        return
    rows = rows_of(text)
    for tier in sorted({row.tier for row in rows if row.tier}):
        vendors = [row.vendor for row in rows if row.tier == tier]
        say(f"{tier}: {counted(len(vendors), 'source')} of {counted(len(set(vendors)), 'vendor')}")
    say(f"{counted(len(rows), 'source')}, all rows are valid.")


def _check_live(
    slugs: Sequence[str], *, tier: Tier | None, everything: bool, mend: bool, json: bool
) -> None:
    """Request the addresses, write what was found into the database, and print it."""
    findings: list[tuple[str, address_checks.AddressFinding, str]] = []
    with opened() as (settings, database):
        with database.read() as session:
            ids = source_ids(session, slugs) if slugs else None
            sources = catalog_address_checks.addresses_to_check(
                session, ids=ids, tier=tier, everything=everything
            )
        with (
            checks.open_ingestion(settings, database) as ingestion,
            ingest.progress_bar(len(sources)) as advance,
        ):

            def save(
                source: catalog_address_checks.SourceAddresses,
                finding: address_checks.AddressFinding,
            ) -> None:
                outcome = _save(database, source.source_id, finding, mend=mend)
                findings.append((source.slug, finding, outcome))
                line = f"{source.slug}: {outcome}: {finding.address}: {finding.reason}"
                advance(None if outcome == AddressStatus.CONFIRMED else line)

            address_checks.check_addresses(ingestion, sources, on_checked=save)
        with database.read() as session:
            left = catalog_address_checks.unconfirmed_count(session)
    _print_found(findings, total=len(sources), left=left, json=json)


def _save(
    database: databases.Database,
    source_id: int,
    finding: address_checks.AddressFinding,
    *,
    mend: bool,
) -> str:
    """Store a finding; return what happened to the source in a word."""
    if finding.status is None:
        return "unconfirmed"
    as_expected = finding.status is AddressStatus.CONFIRMED
    with database.write() as session:
        catalog_address_checks.save_address_status(
            session,
            source_id,
            finding.status,
            moved_from=None if as_expected else finding.address,
            moved_to=finding.moved_to,
            now=clock(),
        )
        if mend and finding.moved_to is not None:
            moved = {"moved_from": finding.address, "moved_to": finding.moved_to}
            if catalog_address_checks.follow_move(session, source_id, **moved):
                return "mended"
    return finding.status.value


def _print_found(
    findings: Collection[tuple[str, address_checks.AddressFinding, str]],
    *,
    total: int,
    left: int,
    json: bool,
) -> None:
    counts = Counter(outcome for _, _, outcome in findings)
    if json:
        rows: list[Json] = [
            {"slug": slug, "found": outcome, **record(finding, "address moved_to reason")}
            for slug, finding, outcome in findings
        ]
        print_json({"asked": len(findings), "counts": {**counts}, "left": left, "sources": rows})
        return
    breakdown = ", ".join(f"{counts[word]} {word}" for word in sorted(counts)) or "none to ask"
    say(f"{counted(len(findings), 'source')} of {total} asked: {breakdown}.")
    say(f"{counted(left, 'source')} {'is' if left == 1 else 'are'} still unconfirmed.")


@catalog.command("remove")
def catalog_remove(
    slugs: Annotated[list[str], typer.Argument(help="Slugs of the sources.")],
) -> None:
    """Delete sources with their entries. Example: changewire catalog remove acme.old

    This cannot be undone. Their diffs are deleted too, and requests for such a source get a 403.
    """
    with opened() as (_, database):
        removed = retry.retry_transaction(lambda: _remove(database, slugs))
    sources = counted(len(set(slugs)), "source")
    say(f"{sources} removed, with {counted(removed.entries, 'entry', 'entries')}.")
    if removed.followers:
        say(f"{counted(removed.followers, 'account')} followed what was removed.")


def _remove(database: databases.Database, slugs: Sequence[str]) -> removal.Removal:
    with database.write() as session:
        return removal.remove_sources(session, source_ids(session, slugs), now=clock())


@catalog.command("export")
def catalog_export(
    form: Annotated[
        Literal["csv", "opml", "packages"], typer.Option("--format", help="Output format.")
    ] = "csv",
) -> None:
    """Print the catalog with its feed addresses. Example: changewire catalog export > mine.csv"""
    with opened() as (_, database), database.read() as session:
        if form == "packages":
            sys.stdout.write(catalog_files.write_packages(catalog_packages.packages_of(session)))
            return
        rows = [_as_row(source) for source in catalog_sources.sources_with_facts(session)]
    if form == "csv":
        sys.stdout.write(catalog_files.as_csv(rows))
    else:
        sys.stdout.write(catalog_files.as_opml(rows, title="Changewire catalog", now=clock()))


def _as_row(source: tables.Source) -> catalog_rows.CatalogRow:
    is_page = source.adapter_type is AdapterType.HTML
    return catalog_rows.CatalogRow(
        **record(source, "slug vendor name kind homepage changelog_url adapter_type tier basis"),
        feed_url=None if is_page else source.facts.feed_url,
        tags=tuple(source.tags),
        aliases=tuple(source.aliases or ()),
        status=_status(source.facts),
    )


def _status(facts: tables.FetchFacts) -> AddressStatus:
    """Return what is known of an address: what has been read is confirmed."""
    unconfirmed = facts.address_status is AddressStatus.UNCONFIRMED
    was_read = unconfirmed and facts.last_success_at is not None
    return AddressStatus.CONFIRMED if was_read else facts.address_status
