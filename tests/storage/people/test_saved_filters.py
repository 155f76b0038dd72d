"""Saved filters: of one account, and only so many."""

import pytest

from storage.people.accounts import (
    Refused,
    add_account,
)
from storage.people.saved_filters import (
    FILTERS_PER_ACCOUNT,
    add_filter,
    find_filter,
    list_filters,
)

QUERY = "vendor=acme&category=security"


@pytest.fixture
def people(database, now):
    """The ids of two accounts."""
    with database.write() as session:
        emails = ("ada@acme.example", "bob@acme.example")
        return [add_account(session, email, now=now).id for email in emails]


def save(database, account_id, now, name="Security"):
    with database.write() as session:
        return add_filter(session, account_id, name=name, query=QUERY, now=now).public_id


def test_a_filter_is_kept_as_its_query_string(database, people, now):
    public_id = save(database, people[0], now)

    with database.read() as session:
        saved = find_filter(session, people[0], public_id)
        assert (saved.name, saved.query, saved.created_at) == ("Security", QUERY, now)


def test_a_filter_of_another_account_is_never_found(database, people, now):
    public_id = save(database, people[0], now)

    with database.read() as session:
        assert find_filter(session, people[1], public_id) is None
        assert list_filters(session, people[1]) == []


def test_an_account_has_a_bounded_number_of_filters(database, people, now):
    for _ in range(FILTERS_PER_ACCOUNT):
        save(database, people[0], now)

    with pytest.raises(Refused, match="at most 20 saved filters"):
        save(database, people[0], now)
    assert save(database, people[1], now)
