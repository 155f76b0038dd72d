"""Metrics for Prometheus: counted in each process, summed over processes, read at /metrics.

The server processes, and the worker beside them, count into files of one folder
(PROMETHEUS_MULTIPROC_DIR), and each of them serves the sums of all. prometheus_client reads that
variable when it is imported, so ``metrics_folder`` must be open before this module is imported
(docs/decisions/0076). Figures of the database are read from it.
"""

import hmac
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from ingest.pipeline.check_result import CheckReport
from service.telemetry.machine import Machine, machine_gauges
from service.telemetry.metrics_folder import VARIABLE
from storage.delivery.delivery_log import Backlog, backlog
from storage.engine.database import Database
from storage.models.webhooks import DeliveryState
from storage.scheduling.progress import Progress, progress

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
READ_METHODS: Final = ("GET", "HEAD")

COUNTERS: Final = CollectorRegistry()
REQUESTS = Counter(
    "changewire_requests",
    "Requests answered.",
    ["operation", "method", "status"],
    registry=COUNTERS,
)
REQUEST_SECONDS = Histogram(
    "changewire_request_duration_seconds",
    "Time until a response was sent.",
    ["operation"],
    buckets=SECONDS,
    registry=COUNTERS,
)
CHECKS = Counter(
    "changewire_checks",
    "Checks of sources; failure is empty for those that succeeded.",
    ["outcome", "failure"],
    registry=COUNTERS,
)
ENTRIES = Counter(
    "changewire_entries_written",
    "Entries that checks found, new or edited by their vendor.",
    ["change"],
    registry=COUNTERS,
)
ATTEMPTS = Counter(
    "changewire_delivery_attempts",
    "Attempts to send an event to a webhook: delivered, retried later, or dead and given up.",
    ["outcome"],
    registry=COUNTERS,
)

MAILS = Counter(
    "changewire_mails",
    "Attempts to hand a mail over: sent or failed.",
    ["outcome"],
    registry=COUNTERS,
)


def serve_metrics(host: str, port: int) -> None:
    """Serve the metrics of this process at a port of its own until the process ends."""
    start_http_server(port, addr=host, registry=COUNTERS)


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


def count_request(method: str, label: str, status: int | None, seconds: float) -> None:
    """Count a request by its label, and its duration; one without an answer has the status 0."""
    method = method if method in METHODS else "other"
    requests, durations = _counters(label, method, status or 0)
    requests.inc()
    durations.observe(seconds)


@lru_cache(maxsize=512)
def _counters(label: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """Return the counters of such requests; cached, as finding them takes as long as counting."""
    return REQUESTS.labels(label, method, str(status)), REQUEST_SECONDS.labels(label)


@dataclass(frozen=True, slots=True)
class MetricsPage:
    """ASGI application that serves /metrics to those who may read it, and a 404 to all others."""

    db: Database
    now: Callable[[], datetime]
    token: str | None = field(repr=False)
    machine: Machine | None = None
    is_public: bool = field(default=False, kw_only=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the text format of Prometheus."""
        peer = scope["client"][0] if scope.get("client") else None
        response: Response
        headers = Headers(scope=scope)
        if not may_read(peer, headers, token=self.token, is_public=self.is_public):
            response = PlainTextResponse("Not stored.\n", status_code=404)
        elif scope["method"] not in READ_METHODS:
            allow = {"Allow": ", ".join(READ_METHODS)}
            response = PlainTextResponse("Method not allowed.\n", status_code=405, headers=allow)
        else:
            body = await run_in_threadpool(
                exposition, self.db, now=self.now(), machine=self.machine
            )
            response = Response(body, media_type=CONTENT_TYPE_LATEST)
        response.headers["Cache-Control"] = "no-store"
        await response(scope, receive, send)


def may_read(
    peer: str | None, headers: Headers, *, token: str | None, is_public: bool = False
) -> bool:
    """Tell whether a request may read the metrics: with the token, or from this machine.

    Without it only while the site is on loopback: before one that ``is_public`` a proxy stands on
    this machine, and what it passes on may be anybody's, whatever its headers say.
    """
    sent = headers.get("authorization", "")
    if token is not None and hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return True
    forwarded = any(name in headers for name in ("x-forwarded-for", "forwarded", "via"))
    return peer in LOOPBACK and not forwarded and not is_public


def exposition(db: Database, *, now: datetime, machine: Machine | None = None) -> bytes:
    """Return all metrics in the text format of Prometheus."""
    if VARIABLE in os.environ:
        counters = CollectorRegistry()
        MultiProcessCollector(counters)  # type: ignore[no-untyped-call]  # the library has no types
    else:
        counters = COUNTERS
    gauges = CollectorRegistry()
    gauges.register(_Gauges(db, machine, now))
    return generate_latest(counters) + generate_latest(gauges)


@dataclass(frozen=True, slots=True, eq=False)  # the registry keeps it as a key
class _Gauges(Collector):
    """Gauges that are read from the database, and those of a machine."""

    db: Database
    machine: Machine | None
    now: datetime

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        with self.db.read() as session:
            ingestion = progress(session, now=self.now)
            deliveries = backlog(session, now=self.now)
        yield from ingestion_gauges(ingestion, now=self.now)
        yield from delivery_gauges(deliveries, now=self.now)
        if self.machine is not None:
            yield from machine_gauges(self.machine, now=self.now)


def ingestion_gauges(stored: Progress, *, now: datetime) -> Iterator[Metric]:
    """Yield the progress of ingestion as gauges; times become ages in seconds."""
    health = GaugeMetricFamily("changewire_sources", "Sources by health.", labels=["health"])
    for state, number in stored.by_health.items():
        health.add_metric([state.value], number)
    yield health
    for name, help_text, value in (
        ("sources_due", "Sources whose check is due.", stored.due),
        (
            "sources_due_age_seconds",
            "Age of the check due longest.",
            _age(stored.due_since, now),
        ),
        ("sources_leased", "Sources that a worker checks now.", stored.leased),
        ("sources_failing", "Sources whose last check failed.", stored.failing),
        ("last_read_age_seconds", "Since any source was read.", _age(stored.read_at, now)),
        ("entries_stored", "Entries in the database.", stored.entries),
        ("gaps_open", "Places where entries may have been missed.", stored.open_gaps),
        ("source_requests_open", "Requests for sources, undecided.", stored.open_requests),
    ):
        if value is not None:
            yield GaugeMetricFamily(f"changewire_{name}", help_text, value=value)


def delivery_gauges(stored: Backlog, *, now: datetime) -> Iterator[Metric]:
    """Yield the backlog of webhooks as gauges; the age is 0 while nothing is due."""
    for name, help_text, value in (
        ("deliveries_pending", "Events that wait to be sent, or sent again.", stored.pending),
        (
            "deliveries_due_age_seconds",
            "How long the longest could have been sent.",
            _age(stored.due_since, now) or 0.0,
        ),
        ("webhooks_failing", "Webhooks whose last attempt failed.", stored.failing),
    ):
        yield GaugeMetricFamily(f"changewire_{name}", help_text, value=value)


def _age(since: datetime | None, now: datetime) -> float | None:
    return None if since is None else max((now - since).total_seconds(), 0.0)
