"""What an account follows, its slots, and what its keys are narrowed to (docs/decisions/0013)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from openapi.vocabulary import Scope
from storage.models import Account, ApiKey
from storage.people.follows import (
    TooManySources,
    account_follows,
    follow_sources,
    key_sources,
    narrow_key,
    sources_of_key,
    unfollow_sources,
    widen_key,
)
from storage.people.keys import add_key

HOUR = timedelta(hours=1)


@pytest.fixture
def follow(database, account, now):
    """Follow sources of the account, on the Free plan."""

    def follow(ids, at=now):
        with database.write() as session:
            return follow_sources(session, account, ids, now=at)

    return follow


@pytest.fixture
def unfollow(database, account):
    def unfollow(*ids):
        with database.write() as session:
            unfollow_sources(session, account, ids)

    return unfollow


def test_a_slot_belongs_to_its_source_for_a_day(follow, unfollow, catalog, now):
    first, second, third, fourth, fifth, *_ = catalog.values()
    follow([first, second])
    follow([third], now + HOUR)
    later = now + 23 * HOUR

    unfollow(first, third)
    assert follow([first], later) == 1  # its slot is still its own
    with pytest.raises(TooManySources) as refused:
        follow([fourth], later)
    unfollow(first)
    assert follow([fourth, fifth], now + 25 * HOUR) == 2

    assert f"from {now + 25 * HOUR:%Y-%m-%d at %H:%M} UTC" in str(refused.value)


def test_more_sources_than_slots_follow_none_of_them(database, account, follow, catalog):
    with pytest.raises(TooManySources):
        follow(list(catalog.values())[:4])

    with database.read() as session:
        assert account_follows(session, account) == set()


def test_parallel_follows_never_take_more_than_the_slots(follow, catalog):
    def choose(source_id):
        try:
            return follow([source_id])
        except TooManySources:
            return 0

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(choose, catalog.values())) == 3


def test_a_narrowed_key_reads_its_sources_and_its_account_follows_them(
    database, account, follow, catalog, now
):
    first, second, *_ = catalog.values()
    follow([first])
    with database.write() as session:
        owner = session.get_one(Account, account)
        key, _ = add_key(session, owner, name="k", scopes=[Scope.READ_ENTRIES], now=now)
        key_id = key.id
        assert sources_of_key(session, key) == {"acme.s0"}
        narrow_key(session, key, [second], now=now)

    with database.write() as session:
        key = session.get_one(ApiKey, key_id)
        assert (key_sources(session, key_id), key.narrowed) == ({"acme.s1"}, True)
        assert account_follows(session, account) == {"acme.s0", "acme.s1"}
        widen_key(session, key)
        assert sources_of_key(session, key) == {"acme.s0", "acme.s1"}
