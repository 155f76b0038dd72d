"""Subscriptions at hubs, and what they push: two threads of a worker."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import urlencode, urlsplit

import structlog
from sqlalchemy.exc import DBAPIError

from ingest.fetching.client import ClientClosed
from ingest.pipeline.check_push import check_push
from ingest.pipeline.check_result import CheckReport, CheckResult
from ingest.pipeline.check_source import OUR_FAULTS
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import LeasedSource, LeaseLost, load_sources
from ingest.pipeline.store import store
from ingest.sandbox.parser_pool import ParserStopped
from ingest.scheduling.budget import Allotment
from ingest.scheduling.push_state import Pushed
from ingest.scheduling.schedule import wait_for_writing
from ingest.workers.local import going_on, log_report
from storage.engine.retry import retry_transaction
from storage.scheduling.due import SourceLease, release_sources
from storage.scheduling.hub_pushes import (
    Push,
    drop_push,
    drop_stale,
    lease_source,
    oldest_push,
    pause_pushes,
    sources_with_pushes,
)
from storage.scheduling.hubs import LEASE, HubRequest, end_overdue, record_fault, take_requests

log = structlog.get_logger(__name__)

PATH: Final = "/websub"
PUSHES_EVERY: Final = 1.0  # seconds
HUBS_EVERY: Final = 5.0
AT_ONCE: Final = 100  # requests to hubs, one after the other
PostForm: TypeAlias = Callable[[str, Mapping[str, str | Sequence[str]]], str | None]
"""Sends a form to an address; returns why it was not taken, None if it was."""


def take_pushes(
    ingestion: Ingestion, stop: threading.Event, *, on_report: Callable[[CheckReport], None]
) -> None:
    """Parse and store what hubs push until ``stop`` is set."""
    while not stop.wait(PUSHES_EVERY):
        with going_on(stop):
            for report in take_waiting(ingestion, stop):
                on_report(report)
                log_report(report)


def take_waiting(ingestion: Ingestion, stop: threading.Event) -> list[CheckReport]:
    """Parse and store the oldest push of each source that has some. Raises DBAPIError."""
    with ingestion.db.read() as session:
        waiting = sources_with_pushes(session, most=AT_ONCE)
    reports = [_take(ingestion, key) for key in waiting if not stop.is_set()]
    return [report for report in reports if report is not None]


def _take(ingestion: Ingestion, source_id: int) -> CheckReport | None:
    """Parse and store one push; None while the source is checked by somebody."""
    now = ingestion.now()
    with ingestion.db.write() as session:
        if not lease_source(session, source_id, now=now):
            return None
        (source,) = load_sources(session, [source_id])
        push = oldest_push(session, source_id)
    try:
        return None if push is None else _parse_and_store(ingestion, source, push)
    finally:
        _release(ingestion, source)


def _parse_and_store(ingestion: Ingestion, source: LeasedSource, push: Push) -> CheckReport | None:
    """Store what a push changes; drop one that breaks this program, the source is polled too."""
    allotment = ingestion.allotment()
    try:
        result = check_push(ingestion, source, push)
        retry_transaction(lambda: _store(ingestion, result, push, allotment))
    except (ClientClosed, ParserStopped, LeaseLost):
        return None
    except Exception as error:
        if isinstance(error, DBAPIError) and not isinstance(error, OUR_FAULTS):
            raise  # the database failed, not this push
        log.exception("what a hub pushed could not be stored", slug=source.slug)
        with ingestion.db.write() as session:
            drop_push(session, push.id)
        return None
    return result.report


def _store(ingestion: Ingestion, result: CheckResult, push: Push, allotment: Allotment) -> None:
    with ingestion.db.write() as session:
        store(session, [result], allotment)
        drop_push(session, push.id)
        if isinstance(result.outcome, Pushed) and result.outcome.written:
            until = result.at + wait_for_writing(result.outcome.written)
            pause_pushes(session, push.source_id, until=until)


def _release(ingestion: Ingestion, source: LeasedSource) -> None:
    if source.leased_until is None:
        return
    with ingestion.db.write() as session:
        release_sources(session, [SourceLease(source.source_id, "", source.leased_until)])


def keep_subscriptions(
    ingestion: Ingestion, stop: threading.Event, *, callback: str, post: PostForm
) -> None:
    """Ask hubs for subscriptions and renew them until ``stop`` is set.

    ``callback``: the address under which hubs reach this service.
    """
    while not stop.is_set():
        requested = 0
        with going_on(stop):
            requested = ask_hubs(ingestion, stop, callback=callback, post=post)
        if requested < AT_ONCE:
            stop.wait(HUBS_EVERY)


def ask_hubs(ingestion: Ingestion, stop: threading.Event, *, callback: str, post: PostForm) -> int:
    """Ask for the subscriptions that are due, end those that were not renewed; return how many.

    A hub that does not answer is not asked for the others of this turn. Raises DBAPIError.
    """
    now = ingestion.now()
    with ingestion.db.write() as session:
        drop_stale(session, now=now)
        end_overdue(session, now=now)
        requests = take_requests(session, now=now, most=AT_ONCE)
    faults: dict[str, str] = {}
    for request in requests:
        host = urlsplit(request.hub).netloc
        if host not in faults and not stop.is_set():
            fault = post(request.hub, _form(request, callback))
            if fault is None:
                continue
            faults[host] = fault
            log.info("a hub did not take a subscription", hub=host, reason=fault)
        with ingestion.db.write() as session:
            record_fault(session, request, faults.get(host, "Stopped."))
    return len(requests)


def _form(request: HubRequest, callback: str) -> dict[str, str]:
    return {
        "hub.mode": "subscribe",
        "hub.topic": request.topic,
        "hub.callback": f"{callback}{PATH}?{urlencode({'token': request.token})}",
        "hub.secret": request.secret,
        "hub.lease_seconds": str(int(LEASE.total_seconds())),
    }
