"""changewire catalog check --live: ask the addresses of the catalog."""

from collections import Counter
from collections.abc import Collection, Sequence

from ingest.workers.address_checks import CheckedSource, check_addresses
from openapi.text import counted
from openapi.vocabulary import AddressStatus, Json, Tier
from service.clock import clock
from service.commands.ingest import progress_bar
from service.commands.inputs import opened, source_ids
from service.commands.output import print_json, say
from service.ingestion import open_ingestion
from storage.catalog.address_checks import (
    addresses_to_check,
    follow_move,
    save_address_status,
    unconfirmed_count,
)
from storage.engine.database import Database

_MENDED = "mended"
_UNKNOWN = "unconfirmed"


def check_live(
    slugs: Sequence[str], *, tier: Tier | None, everything: bool, mend: bool, json: bool
) -> None:
    """Ask the addresses, write what was found into the database, and print it."""
    findings: list[tuple[CheckedSource, str]] = []
    with opened() as (settings, database):
        with database.read() as session:
            ids = source_ids(session, slugs) if slugs else None
            sources = addresses_to_check(session, ids=ids, tier=tier, everything=everything)
        with (
            open_ingestion(settings, database) as ingestion,
            progress_bar(len(sources)) as advance,
        ):

            def save(checked: CheckedSource) -> None:
                outcome = _save(database, checked, mend=mend)
                findings.append((checked, outcome))
                advance(None if outcome == AddressStatus.CONFIRMED else _line(checked, outcome))

            check_addresses(ingestion, sources, on_checked=save)
        with database.read() as session:
            left = unconfirmed_count(session)
    _print(findings, total=len(sources), left=left, json=json)


def _save(database: Database, checked: CheckedSource, *, mend: bool) -> str:
    """Store a finding; return what became of the source in a word."""
    finding, source_id = checked.finding, checked.source.source_id
    if finding.status is None:
        return _UNKNOWN
    as_expected = finding.status is AddressStatus.CONFIRMED
    with database.write() as session:
        save_address_status(
            session,
            source_id,
            finding.status,
            moved_from=None if as_expected else finding.address,
            moved_to=finding.moved_to,
            now=clock(),
        )
        if mend and finding.moved_to is not None:
            moved = {"moved_from": finding.address, "moved_to": finding.moved_to}
            if follow_move(session, source_id, **moved):
                return _MENDED
    return finding.status.value


def _line(checked: CheckedSource, outcome: str) -> str:
    finding = checked.finding
    return f"{checked.source.slug}: {outcome}: {finding.address}: {finding.reason}"


def _print(
    findings: Collection[tuple[CheckedSource, str]], *, total: int, left: int, json: bool
) -> None:
    counts = Counter(outcome for _, outcome in findings)
    if json:
        rows: list[Json] = [
            {
                "slug": checked.source.slug,
                "found": outcome,
                "address": checked.finding.address,
                "moved_to": checked.finding.moved_to,
                "reason": checked.finding.reason,
            }
            for checked, outcome in findings
        ]
        print_json({"asked": len(findings), "counts": {**counts}, "left": left, "sources": rows})
        return
    breakdown = ", ".join(f"{counts[word]} {word}" for word in sorted(counts)) or "none to ask"
    say(f"{counted(len(findings), 'source')} of {total} asked: {breakdown}.")
    say(f"{counted(left, 'source')} {'is' if left == 1 else 'are'} still unconfirmed.")
