"""Ask the package index which repositories packages are from, in the background.

One guarded request for a package and one for its default version; only ecosystem and name are sent.
Whatever the index does to one request, others go on; if it fails often in a row, it gets a pause.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from ingest.fetching.client import Client, ClientClosed
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Failed, Failure, Fetched
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.common import going_on
from package_versions.package_index import (
    IndexName,
    SeenRepository,
    WrongAnswer,
    default_version,
    source_repository,
)
from storage.catalog.on_demand import drop_unused, use_for_stacks
from storage.catalog.package_lookups import drop_unwanted, due_lookups, save_answer, save_failure
from storage.engine.database import Database
from storage.scheduling.due import close_quota, is_quota_open

log = structlog.get_logger(__name__)

AT_ONCE: Final = 50  # packages of one round
THREADS: Final = 2  # as many as there are connections to a host
EVERY_SECONDS: Final = 1.0
DEADLINE: Final = timedelta(seconds=10)  # of one request
LARGEST_BYTES: Final = 8 * 1024 * 1024  # of an answer
SECONDS_BETWEEN_RUNS: Final = 86_400.0
PATIENCE: Final = 5  # failures in a row
PAUSE: Final = timedelta(minutes=5)
QUOTA: Final = "quota/package index"
NOT_KNOWN: Final = "Not in the package index."
NO_DEFAULT: Final = "The package index lists no default version."
NO_REPOSITORY: Final = "The package index lists no single repository."
AGAIN: Final = "It will be asked again."
_PLEAS: Final = frozenset({Failure.RATE_LIMITED, Failure.UNAVAILABLE})


class IndexFailed(Exception):
    """The index could not be asked. ``failed`` is what happened."""

    def __init__(self, failed: Failed) -> None:
        reason = failed.failure.value.replace("_", " ")
        super().__init__(f"The package index did not respond: {reason}.")
        self.failed = failed


def look_up_until_stopped(ingestion: Ingestion, stop: threading.Event) -> None:
    """Ask for packages as they are wanted, until ``stop`` is set."""
    while not stop.wait(EVERY_SECONDS):
        with going_on(stop):
            if has_due_lookups(ingestion):
                look_up_due(ingestion, stop)


def has_due_lookups(ingestion: Ingestion) -> bool:
    """Return whether the index is to be asked for something now, and may be."""
    if ingestion.package_index is None:
        return False
    now = ingestion.now()
    with ingestion.db.read() as session:
        is_open = is_quota_open(session, QUOTA, now=now)
        return is_open and bool(due_lookups(session, now=now, most=1))


def look_up_due(ingestion: Ingestion, stop: threading.Event) -> None:
    """Ask for some of the packages that are due, and store each answer as it comes."""
    with ingestion.db.read() as session:
        due = due_lookups(session, now=ingestion.now(), most=AT_ONCE)
    failures = 0

    def look_up(wanted: tuple[str, IndexName]) -> None:
        nonlocal failures
        if stop.is_set() or failures >= PATIENCE:
            return
        try:
            failed = _look_up(ingestion, *wanted)
        except ClientClosed:
            return
        failures = failures + 1 if failed else 0
        if failed and (failures >= PATIENCE or failed.failure in _PLEAS):
            failures = PATIENCE
            _pause(ingestion, failed)

    with ThreadPoolExecutor(THREADS, thread_name_prefix="packages") as threads:
        for _ in threads.map(look_up, due):
            pass


def _look_up(ingestion: Ingestion, purl: str, name: IndexName) -> Failed | None:
    """Store what the index says of a package; return how the index failed, if it did."""
    now, failed = ingestion.now(), None
    try:
        seen = repository_of(ingestion, name)
    except (IndexFailed, WrongAnswer) as error:
        with ingestion.db.write() as session:
            save_failure(session, purl, f"{error} {AGAIN}", now=now)
        failed = error.failed if isinstance(error, IndexFailed) else None
    else:
        with ingestion.db.write() as session:
            save_answer(session, purl, seen, now=now)
            if isinstance(seen, SeenRepository) and seen.purl is not None:
                use_for_stacks(session, purl, seen.purl, now=now)
    return failed


def repository_of(ingestion: Ingestion, name: IndexName) -> SeenRepository | str:
    """Return the repository of a package, or why there is none. Raises IndexFailed, WrongAnswer."""
    client = ingestion.client
    policy = replace(client.policy, deadline=DEADLINE, max_bytes=LARGEST_BYTES, max_redirects=1)
    client = replace(client, policy=policy)
    package = _ask(ingestion, client, name.path)
    if package is None:
        return NOT_KNOWN
    version = default_version(package, name)
    if version is None:
        return NO_DEFAULT
    answer = _ask(ingestion, client, name.version_path(version))
    seen = source_repository(answer, name, version) if answer is not None else None
    if seen is None:
        return NO_REPOSITORY
    return seen if seen.purl is not None else f"Its repository is not on GitHub ({seen.seen_in})."


def _ask(ingestion: Ingestion, client: Client, path: str) -> bytes | None:
    """Return an answer of the index, None for a 404. Raises IndexFailed."""
    address = f"{ingestion.package_index}{path}"
    outcome = fetch(client, address, now=ingestion.now(), accept="application/json")
    if isinstance(outcome, Fetched):
        return outcome.body
    failed = outcome if isinstance(outcome, Failed) else Failed(Failure.SERVER_ERROR)
    if failed.failure is Failure.NOT_FOUND:
        return None
    raise IndexFailed(failed)


def forget_unused(db: Database, stop: threading.Event, *, now: Callable[[], datetime]) -> None:
    """Drop packages and sources on demand that nobody wants any more, now and once a day."""
    while not stop.is_set():
        with going_on(stop):
            with db.write() as session:
                drop_unwanted(session, now=now())
                dropped = drop_unused(session, now=now())
            log.info("dropped sources on demand", sources=dropped)
        stop.wait(SECONDS_BETWEEN_RUNS)


def _pause(ingestion: Ingestion, failed: Failed) -> None:
    now = ingestion.now()
    log.warning("the package index gets a pause", reason=failed.failure.value)
    with ingestion.db.write() as session:
        close_quota(session, QUOTA, until=now + (failed.retry_after or PAUSE), now=now)
