"""Metrics for Prometheus: counted where things happen, summed over processes, read at /metrics.

The server processes, and the ingester beside them, count into files of one folder
(PROMETHEUS_MULTIPROC_DIR), and whichever of them is asked answers for all. prometheus_client looks
for that folder when it is imported: so ``counting_together`` comes before anything that counts,
and this module is imported where it is used. What the database knows is not counted but read.
"""

import hmac
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from itertools import chain
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
from openapi.contract import base_path, load_operations
from service.counting import FOLDER
from storage.delivery.delivery_log import Backlog, backlog
from storage.engine.database import Database
from storage.models.webhooks import DeliveryState
from storage.scheduling.progress import Progress, progress

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LOOPBACK: Final = frozenset({"127.0.0.1", "::1"})
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
READ_WITH: Final = ("GET", "HEAD")
PARTS: Final = (
    ("/static/", "static"),
    ("/rss/", "feeds"),
    ("/feeds/", "feeds"),
    ("/deadlines.ics", "feeds"),
    ("/healthz", "probes"),
    ("/readyz", "probes"),
    ("/metrics", "probes"),
)

HERE: Final = CollectorRegistry()
REQUESTS = Counter(
    "changewire_requests",
    "Requests answered.",
    ["operation", "method", "status"],
    registry=HERE,
)
REQUEST_SECONDS = Histogram(
    "changewire_request_duration_seconds",
    "Time until an answer was sent.",
    ["operation"],
    buckets=SECONDS,
    registry=HERE,
)
LOOKS = Counter(
    "changewire_looks",
    "Looks at sources; failure is empty for those that succeeded.",
    ["outcome", "failure"],
    registry=HERE,
)
ENTRIES = Counter(
    "changewire_entries_written",
    "Entries that looks found, new or edited by their vendor.",
    ["change"],
    registry=HERE,
)
ATTEMPTS = Counter(
    "changewire_delivery_attempts",
    "Attempts to send an event to a webhook: delivered, retried later, or dead and given up.",
    ["outcome"],
    registry=HERE,
)


def serve_here(host: str, port: int) -> None:
    """Answer Prometheus about this process, at a port of its own, until the process ends."""
    start_http_server(port, addr=host, registry=HERE)


def count_look(report: CheckReport) -> None:
    """Count a look at a source and what it found."""
    LOOKS.labels(report.status.value, report.failure or "").inc()
    ENTRIES.labels("new").inc(report.new)
    ENTRIES.labels("edited").inc(report.edited)


def count_attempt(state: DeliveryState) -> None:
    """Count an attempt to send to a webhook by where its delivery stands now."""
    ATTEMPTS.labels("retried" if state is DeliveryState.PENDING else state.value).inc()


@cache
def operation_names() -> dict[str, str]:
    """Return the operationId, or its path's first, by path of the API."""
    names: dict[str, str] = {}
    for operation in load_operations():
        names.setdefault(base_path() + operation.path, operation.operation_id)
    return names


def label_of(path: str) -> str:
    """Return what a request is counted under: few names, whatever people ask for."""
    name = operation_names().get(path)
    if name is not None:
        return name
    if path.startswith(f"{base_path()}/"):
        return "unknown"
    return next((part for start, part in PARTS if path.startswith(start)), "pages")


def count_request(method: str, path: str, status: int | None, seconds: float) -> None:
    """Count a request and how long it took; one without an answer has the status 0."""
    method = method if method in METHODS else "other"
    counted, lasted = _counters(label_of(path), method, status or 0)
    counted.inc()
    lasted.observe(seconds)


@lru_cache(maxsize=512)
def _counters(label: str, method: str, status: int) -> tuple[Counter, Histogram]:
    """Return what counts such requests; looking for it takes as long as counting."""
    return REQUESTS.labels(label, method, str(status)), REQUEST_SECONDS.labels(label)


class MetricsPage:
    """ASGI application that answers /metrics to who may read it, and 404 to everybody else."""

    def __init__(self, db: Database, now: Callable[[], datetime], token: str | None) -> None:
        self._db = db
        self._now = now
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the text format of Prometheus."""
        peer = scope["client"][0] if scope.get("client") else None
        answer: Response
        if not may_read(peer, Headers(scope=scope), token=self._token):
            answer = PlainTextResponse("Not found.\n", status_code=404)
        elif scope["method"] not in READ_WITH:
            allow = {"Allow": ", ".join(READ_WITH)}
            answer = PlainTextResponse("Method not allowed.\n", status_code=405, headers=allow)
        else:
            body = await run_in_threadpool(exposition, self._db, now=self._now())
            answer = Response(body, media_type=CONTENT_TYPE_LATEST)
        answer.headers["Cache-Control"] = "no-store"
        await answer(scope, receive, send)


def may_read(peer: str | None, headers: Headers, *, token: str | None) -> bool:
    """Tell whether a request may read the metrics: with the token, or from this machine itself.

    What a proxy passes on comes from this machine too, and from anybody: it does not count.
    """
    sent = headers.get("authorization", "")
    if token is not None and hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return True
    passed_on = any(name in headers for name in ("x-forwarded-for", "forwarded", "via"))
    return peer in LOOPBACK and not passed_on


def exposition(db: Database, *, now: datetime) -> bytes:
    """Return everything that is counted and known, in the text format of Prometheus."""
    if FOLDER in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    else:
        counted = HERE
    known = CollectorRegistry()
    known.register(_Known(db, now))
    return generate_latest(counted) + generate_latest(known)


class _Known(Collector):
    """Gauges that are read from the database."""

    def __init__(self, db: Database, now: datetime) -> None:
        self._db = db
        self._now = now

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        with self._db.read() as session:
            found = progress(session, now=self._now)
            waiting = backlog(session, now=self._now)
        return chain(gauges(found, now=self._now), gauges_of_webhooks(waiting, now=self._now))


def gauges(found: Progress, *, now: datetime) -> Iterator[Metric]:
    """Yield what is known of ingestion as gauges; times become ages in seconds."""
    health = GaugeMetricFamily("changewire_sources", "Sources by health.", labels=["health"])
    for state, number in found.by_health.items():
        health.add_metric([state.value], number)
    yield health
    for name, words, value in (
        ("sources_due", "Sources whose look is due.", found.due),
        ("sources_due_age_seconds", "How long the longest waits.", _age(found.due_since, now)),
        ("sources_leased", "Sources that a worker has now.", found.leased),
        ("sources_failing", "Sources whose last look failed.", found.failing),
        ("last_read_age_seconds", "Since any source was read.", _age(found.read_at, now)),
        ("entries_stored", "Entries in the database.", found.entries),
        ("gaps_open", "Places where entries may have been missed.", found.open_gaps),
        ("source_requests_open", "Wishes for sources, undecided.", found.open_requests),
    ):
        if value is not None:
            yield GaugeMetricFamily(f"changewire_{name}", words, value=value)


def gauges_of_webhooks(found: Backlog, *, now: datetime) -> Iterator[Metric]:
    """Yield what is known of webhooks; nothing due is an age of 0."""
    for name, words, value in (
        ("deliveries_pending", "Events that wait to be sent, or sent again.", found.pending),
        (
            "deliveries_due_age_seconds",
            "How long the longest could have been sent.",
            _age(found.due_since, now) or 0.0,
        ),
        ("webhooks_failing", "Webhooks whose last attempt failed.", found.failing),
    ):
        yield GaugeMetricFamily(f"changewire_{name}", words, value=value)


def _age(since: datetime | None, now: datetime) -> float | None:
    return None if since is None else max((now - since).total_seconds(), 0.0)
