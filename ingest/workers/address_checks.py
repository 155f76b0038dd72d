"""Check whether the addresses of the catalog are what it says, without reading news.

Politely: robots.txt decides about pages, hosts are asked one request after the other with a pause
between them, and one that asks to be left alone is.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from changelog_reader.adapters.base import UnreadableDocument
from ingest.fetching.outcomes import Failed, Failure, Fetched, Outcome
from ingest.pipeline.document import FEEDS
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.request import ask
from openapi.vocabulary import AdapterType, AddressStatus
from storage.catalog.address_checks import SourceAddresses

THREADS: Final = 8
PAUSE: Final = timedelta(seconds=1)  # between two requests to one host
_GONE: Final = frozenset({Failure.GONE, Failure.NOT_FOUND, Failure.DNS})
_PATIENCE: Final = frozenset({Failure.RATE_LIMITED, Failure.UNAVAILABLE})


@dataclass(frozen=True, slots=True)
class AddressFinding:
    """The result for an address. ``moved_to``: its permanent target, ``reason``: for people.

    The status is None where the answer says nothing for good: a host that cannot be reached today
    may be there tomorrow.
    """

    address: str
    status: AddressStatus | None
    moved_to: str | None = None
    reason: str = ""


def finding_of(outcome: Outcome, address: str) -> AddressFinding:
    """Return what an answer says about an address."""
    if isinstance(outcome, Failed):
        status = AddressStatus.GONE if outcome.failure in _GONE else None
        return AddressFinding(address, status, reason=outcome.message or outcome.failure.message)
    moved_to = outcome.permanent_address
    if moved_to is not None and moved_to != address:
        return AddressFinding(address, AddressStatus.MOVED, moved_to, f"It moved to {moved_to}")
    return AddressFinding(address, AddressStatus.CONFIRMED)


def check_addresses(
    ingestion: Ingestion,
    sources: Iterable[SourceAddresses],
    *,
    on_checked: Callable[[SourceAddresses, AddressFinding], None],
    pause: timedelta = PAUSE,
) -> None:
    """Request every address; call ``on_checked`` for each source, from one thread at a time.

    It gets the finding that counts: the first that is not as the catalog says. Ends early, at the
    next request, when it is interrupted.
    """
    by_host: defaultdict[str, list[SourceAddresses]] = defaultdict(list)
    for source in sources:
        by_host[source.host].append(source)
    stop, lock = threading.Event(), threading.Lock()

    def check_host(of_host: list[SourceAddresses]) -> None:
        for number, source in enumerate(of_host):
            if stop.wait(pause.total_seconds() if number else 0):
                return
            finding, is_patient = _check(ingestion, source)
            with lock:
                on_checked(source, finding)
            if not is_patient:
                return

    with ThreadPoolExecutor(THREADS) as pool:
        try:
            largest_first = sorted(by_host.values(), key=len, reverse=True)
            for future in [pool.submit(check_host, of_host) for of_host in largest_first]:
                future.result()
        finally:
            stop.set()


def _check(ingestion: Ingestion, source: SourceAddresses) -> tuple[AddressFinding, bool]:
    """Return what counts of a source, and whether its host may be asked again."""
    now = ingestion.now()
    outcome = ask(ingestion, source.adapter_type, source.address, now=now)
    finding = finding_of(outcome, source.address)
    if isinstance(outcome, Failed) and outcome.failure in _PATIENCE:
        return finding, False
    if isinstance(outcome, Fetched):
        finding = _with_content(ingestion, source, outcome, finding)
    if finding.status is AddressStatus.CONFIRMED and source.adapter_type in FEEDS:
        page = finding_of(ask(ingestion, AdapterType.HTML, source.page, now=now), source.page)
        if page.status in {AddressStatus.MOVED, AddressStatus.GONE}:
            return page, True
    return finding, True


def _with_content(
    ingestion: Ingestion, source: SourceAddresses, fetched: Fetched, finding: AddressFinding
) -> AddressFinding:
    """Return a finding that takes the document into account: a page of regrets answers too."""
    try:
        document = ingestion.parsers.parse(source.adapter_type, fetched)
    except UnreadableDocument as error:
        return replace(finding, status=None, reason=str(error))
    if not document.entries:
        return replace(finding, status=None, reason="It answers, but shows no entries.")
    return finding
