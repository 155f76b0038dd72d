"""The accounts of the demo, with keys, filters, a stack and wishes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from openapi.vocabulary import Plan, RequestStatus, Scope
from storage.catalog.requests import add_request, move_request
from storage.catalog.sources import ids_of
from storage.entries.filter_parsing import filter_text
from storage.people.accounts import add_account
from storage.people.keys import add_key, select_sources
from storage.people.plan_requests import ask_for_plan
from storage.people.saved_filters import add_filter
from storage.people.sign_in import add_link
from storage.people.stacks import SavedPart, save_parts

VISITOR: Final = "visitor@demo.example"
CUSTOMER: Final = "customer@demo.example"
_SELECTED: Final = ("herondb.server", "northlight.kubernetes", "brasspay.api", "keywarden.identity")
_STACK: Final = (
    SavedPart("pkg:generic/herondb", "15.5.0"),
    SavedPart("pkg:npm/wren-cms", "5.3.0"),
    SavedPart("pkg:pypi/brasspay", "7.1.0"),
)
"""What the visitor runs: behind what came out, so that there is something to read."""


@dataclass(frozen=True, slots=True)
class Entrance:
    """How the person at the machine gets in: once by a link, and as often as wanted by a key."""

    sign_in_token: str
    api_key: str


def add_people(session: Session, *, now: datetime) -> Entrance:
    """Add the visitor, who may do everything, a customer, and open requests."""
    visitor = add_account(session, VISITOR, now=now, plan=Plan.ALL, diffs_addon=True, operator=True)
    scopes = [Scope.READ_ENTRIES, Scope.READ_DIFFS]
    _, api_key = add_key(session, visitor, name="demo", scopes=scopes, now=now)
    for name, parameters in {
        "What breaks": {"category": "breaking"},
        "Databases": {"tag": "database"},
    }.items():
        add_filter(session, visitor.id, name=name, query=filter_text(parameters), now=now)
    save_parts(session, visitor.id, _STACK, now=now)
    _add_customer(session, now=now)
    _add_wishes(session, now=now)
    token = add_link(session, VISITOR, next_path="/app/stream", now=now)
    return Entrance(token, api_key)


def _add_customer(session: Session, *, now: datetime) -> None:
    customer = add_account(session, CUSTOMER, now=now, plan=Plan.STARTER)
    key, _ = add_key(session, customer, name="nightly job", scopes=[Scope.READ_ENTRIES], now=now)
    select_sources(session, key, list(ids_of(session, _SELECTED).values()), now=now)
    wish = "We follow forty vendors by now."
    ask_for_plan(session, customer.id, plan=Plan.ALL, diffs_addon=False, note=wish, now=now)


def _add_wishes(session: Session, *, now: datetime) -> None:
    """Add requests for sources, one that waits and one that was turned down."""
    yesterday = now - timedelta(days=1)
    add_request(
        session,
        url="https://marlow.example/release-notes",
        note="Their form builder is in all of our products.",
        now=yesterday,
    )
    refused = add_request(
        session, url="https://pebble.example/blog", note=None, now=now - timedelta(days=9)
    )
    reason = "The page tells about people and events, not about changes of the product."
    move_request(session, refused, RequestStatus.REJECTED, now=yesterday, reason=reason)
