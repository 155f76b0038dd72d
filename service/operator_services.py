"""What the operator's pages do as the commands do it."""

import subprocess
import sys
from datetime import datetime
from threading import Lock, Thread
from typing import Final

import structlog
from sqlalchemy.orm import Session

from handlers.context import OperatorServices
from service.explanation import explanation
from service.source_health import verdict
from service.source_requests import accept_request
from storage.catalog.catalog_items import CatalogItem
from storage.models import FetchFacts, HubSubscription
from storage.scheduling.gaps import all_gaps

log = structlog.get_logger(__name__)
LONGEST_CHECK: Final = 300  # seconds; all of it has limits of its own, which are shorter
_one_at_a_time: Final = Lock()


def operator_services() -> OperatorServices:
    """Return what the operator's pages need of the floors beside them."""
    return OperatorServices(accept=accept_request, check=start_check, explain=explain)


def explain(session: Session, item: CatalogItem, now: datetime) -> list[str]:
    """Explain the state of a source as ``changewire source show`` does."""
    facts = session.get_one(FetchFacts, item.id)
    gaps = all_gaps(session, item.id)
    hub = session.get(HubSubscription, item.id)
    return list(explanation(item.slug, facts, verdict(item, now), gaps, hub, now=now))


def start_check(request_id: str) -> None:
    """Run ``changewire requests check`` in a process of its own; return at once.

    It asks strangers and takes their documents apart, which is no work for a server process.
    """
    Thread(target=check, args=(request_id,), name="request check", daemon=True).start()


def check(request_id: str) -> None:
    """Run the command and log how it ended; one at a time."""
    command = [sys.executable, "-m", "service.cli", "requests", "check", request_id, "--json"]
    with _one_at_a_time:
        try:
            done = subprocess.run(command, capture_output=True, timeout=LONGEST_CHECK, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            log.warning("request not checked", request=request_id, reason=type(error).__name__)
            return
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        log.warning("request not checked", request=request_id, reason=lines[-1] if lines else "")
