"""Metrics for Prometheus: counted in each process, summed over processes, read at /metrics.

The server processes, and the worker beside them, count into files of one folder
(PROMETHEUS_MULTIPROC_DIR), and each of them serves the sums of all. prometheus_client reads that
variable when it is imported, so it must be set before this module is (docs/decisions/0076).
"""

import asyncio
import hmac
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ingest.pipeline.report import CheckReport
from openapi.contract import base_path_of, operations_of
from service.clock import clock
from service.settings import Settings
from service.telemetry.machine import age_of_newest, folders_of, free_ratio
from storage.delivery.delivery_log import Backlog, backlog
from storage.engine.database import Database
from storage.models.webhooks import DeliveryState
from storage.scheduling.api_days import add_minute
from storage.scheduling.progress import Progress, progress

log = structlog.get_logger(__name__)

PATH: Final = "/metrics"
LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
PATH_LABELS: Final = {
    "/static/": "static",
    **dict.fromkeys(("/rss/", "/feeds/", "/deadlines.ics", "/private/"), "feeds"),
    **dict.fromkeys(("/healthz", "/readyz", PATH), "probes"),
    "/mcp": "tools",
}
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
NO_STORE: Final = {"Cache-Control": "no-store"}

COUNTERS: Final = CollectorRegistry()
REQUEST_SECONDS = Histogram(
    "changewire_request_duration_seconds", "Until it was sent.", ["operation"], registry=COUNTERS
)


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(f"changewire_{name}", text, labels, registry=COUNTERS)


REQUESTS = _counter("requests", "Requests answered.", "operation", "method", "status")
_requests, _request_seconds = cache(REQUESTS.labels), cache(REQUEST_SECONDS.labels)
CHECKS = _counter("checks", "Checks of sources, with failures.", "outcome", "failure")
ENTRIES = _counter("entries_written", "Entries that checks found, new or edited.", "change")
ATTEMPTS = _counter("delivery_attempts", "Attempts to send events to webhooks.", "outcome")
MAILS = _counter("mails", "Attempts to hand a mail over.", "outcome")


def count_request(method: str, label: str, status: int | None, seconds: float) -> None:
    """Count a request by its label, and its duration; one without an answer has the status 0."""
    _requests(label, method if method in METHODS else "other", status or 0).inc()
    _request_seconds(label).observe(seconds)


def count_check(report: CheckReport) -> None:
    """Count a check of a source and the entries that it wrote."""
    CHECKS.labels(report.status.value, report.failure or "").inc()
    ENTRIES.labels("new").inc(report.new)
    ENTRIES.labels("edited").inc(report.edited)


def count_attempt(state: DeliveryState) -> None:
    """Count an attempt to send to a webhook by the state of its delivery afterwards."""
    ATTEMPTS.labels("retried" if state is DeliveryState.PENDING else state.value).inc()


def count_mail(sent: bool) -> None:
    """Count an attempt to hand a mail over."""
    MAILS.labels("sent" if sent else "failed").inc()


def metrics_page(settings: Settings, database: Database) -> Route:
    """Return the application of /metrics; callers that may not read it get a 404."""
    token = settings.metrics_token.get_secret_value() if settings.metrics_token else None

    async def answer(request: Request) -> Response:
        peer = request.client.host if request.client else None
        if not may_read(peer, request.headers, token=token, is_public=settings.is_public):
            return PlainTextResponse("Not found.\n", 404, NO_STORE)
        body = await asyncio.to_thread(exposition, settings, database, clock())
        return Response(body, 200, NO_STORE, CONTENT_TYPE_LATEST)

    return Route(PATH, answer)


def may_read(peer: str | None, headers: Headers, *, token: str | None, is_public: bool) -> bool:
    """Return whether a request has the token, or is local while the site is on loopback.

    In front of a site that ``is_public`` is a proxy on this machine, which passes on anybody's.
    """
    sent = headers.get("authorization", "")
    if token is not None and hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return True
    forwarded = any(name in headers for name in ("x-forwarded-for", "forwarded", "via"))
    return peer in LOOPBACK and not forwarded and not is_public


def request_labels(*contracts: Mapping[str, Any]) -> Callable[[str], str]:
    """Return what gives the label of a path: one of a few, whatever is asked for.

    ``contracts``: one for each major version, the first of them plain: ``list_sources``. Labels of
    the others name their version: ``v2 list_sources``.
    """
    starts, labels = dict(PATH_LABELS), dict[str, str]()
    for number, contract in enumerate(contracts):
        base = base_path_of(contract)
        version = f"{base.rpartition('/')[2]} " if number else ""
        starts[f"{base}/"] = f"{version}unknown"
        for operation in operations_of(contract):
            labels.setdefault(base + operation.path, version + operation.operation_id)

    def label(path: str) -> str:
        if path in labels:
            return labels[path]
        return next((name for start, name in starts.items() if path.startswith(start)), "pages")

    return label


class ApiRecord:
    """Counts answers of the API, and those that failed by our own fault, for the status page."""

    def __init__(self, db: Database, now: Callable[[], datetime]) -> None:
        self._db, self._now, self._lock = db, now, threading.Lock()
        self._requests = self._failures = 0

    def count(self, path: str, status: int | None) -> None:
        """Count a request; one whose client left before the answer counts as answered."""
        if path.startswith("/api/"):
            with self._lock:
                self._requests += 1
                self._failures += status is not None and status >= 500

    def store(self) -> None:
        """Store that the process runs, and what it counted; that waits if the database does."""
        requests, failures = self._requests, self._failures
        try:
            with self._db.write() as session:
                add_minute(session, requests=requests, failures=failures, now=self._now())
        except SQLAlchemyError as error:
            log.warning("the record of the API was not stored", reason=str(error))
            return
        with self._lock:
            self._requests -= requests
            self._failures -= failures

    def run(self) -> None:
        """Store in each minute, a second after it began, for as long as this process lives."""
        while True:
            self.store()
            time.sleep(61 - self._now().second)


class _Gauges(Collector):
    def __init__(self, found: Iterable[Metric]) -> None:
        self._found = tuple(found)

    def collect(self) -> Iterable[Metric]:
        return self._found


def exposition(settings: Settings, database: Database, now: datetime) -> bytes:
    """Return all metrics in the text format of Prometheus."""
    counters = COUNTERS
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        counters = CollectorRegistry()
        MultiProcessCollector(counters)  # type: ignore[no-untyped-call]  # the library has no types
    with database.read() as session:
        stored, waiting = progress(session, now=now), backlog(session, now=now)
    found = _Gauges(gauges(settings, stored, waiting, now))
    return generate_latest(counters) + generate_latest(found)


def gauges(
    settings: Settings, stored: Progress, waiting: Backlog, now: datetime
) -> Iterator[Metric]:
    """Yield what is stored and waits, and the state of the machine; times become ages."""

    def age(since: datetime | None) -> float | None:
        return None if since is None else max((now - since).total_seconds(), 0.0)

    health = GaugeMetricFamily("changewire_sources", "Sources by health.", labels=["health"])
    for state, number in stored.by_health.items():
        health.add_metric([state.value], number)
    free = GaugeMetricFamily("changewire_disk_free_ratio", "Free, of 1.", labels=["folder"])
    for name, folder in folders_of(settings).items():
        free.add_metric([name], free_ratio(folder))
    yield from (health, free)
    backup = None if settings.backups is None else age_of_newest(settings.backups, now)
    for name, text, value in (
        ("sources_due", "Sources whose check is due.", stored.due),
        ("sources_due_age_seconds", "Age of the check due longest.", age(stored.due_since)),
        ("sources_failing", "Sources whose last check failed.", stored.failing),
        ("last_read_age_seconds", "Since any source was read.", age(stored.read_at)),
        ("entries_stored", "Entries in the database.", stored.entries),
        ("gaps_open", "Places where entries may have been missed.", stored.open_gaps),
        ("source_requests_open", "Requests for sources, undecided.", stored.open_requests),
        ("deliveries_pending", "Events that wait to be sent.", waiting.pending),
        ("deliveries_due_age_seconds", "Longest delay of an event.", age(waiting.due_since) or 0.0),
        ("webhooks_failing", "Webhooks whose last attempt failed.", waiting.failing),
        ("backup_age_seconds", "Since the newest backup; infinite without any.", backup),
    ):
        if value is not None:
            yield GaugeMetricFamily(f"changewire_{name}", text, value=value)
