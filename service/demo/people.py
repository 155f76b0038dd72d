"""The account of the demo, with a key, filters and a stack."""

from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy.orm import Session

from openapi.vocabulary import Plan, Scope
from storage.entries.filter_parsing import filter_text
from storage.people.accounts import add_account
from storage.people.keys import add_key
from storage.people.saved_filters import add_filter
from storage.people.sign_in import add_link
from storage.people.stacks import SavedPart, save_parts

VISITOR: Final = "visitor@demo.example"
FILTERS: Final = {"What breaks": {"category": "breaking"}, "Databases": {"tag": "database"}}
STACK: Final = (
    SavedPart("pkg:generic/herondb", "15.5.0"),
    SavedPart("pkg:npm/wren-cms", "5.3.0"),
    SavedPart("pkg:pypi/brasspay", "7.1.0"),
)
"""What the visitor runs: behind the newest versions, so that there is something to read."""


class Entrance(NamedTuple):
    """How the person at the machine gets in: once by a link, and as often as wanted by a key."""

    sign_in_token: str
    api_key: str


def add_visitor(session: Session, *, now: datetime) -> Entrance:
    """Add the visitor's account on the largest plan."""
    visitor = add_account(session, VISITOR, now=now, plan=Plan.ALL, diffs_addon=True)
    scopes = [Scope.READ_ENTRIES, Scope.READ_DIFFS]
    _, api_key = add_key(session, visitor, name="demo", scopes=scopes, now=now)
    for name, parameters in FILTERS.items():
        add_filter(session, visitor.id, name=name, query=filter_text(parameters), now=now)
    save_parts(session, visitor.id, STACK)
    return Entrance(add_link(session, VISITOR, next_path="/latest", now=now), api_key)
