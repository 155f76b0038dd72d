"""Keys, their life and their selections (specification 5, docs/decisions/0013)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from openapi.vocabulary import Scope
from storage.models import Account
from storage.people.accounts import Refused, name_for
from storage.people.keys import (
    TooManySelections,
    account_selection,
    add_key,
    find_key,
    find_live_key,
    revoke_key,
    rotate_key,
    select_sources,
    selected_slugs,
)
from storage.scheduling.due import followers_of_sources

DAY = timedelta(days=1)


@pytest.fixture
def make_key(database, account, now):
    """Make a key of the account; returns its public id and its text."""

    def make_key(**changes):
        with database.write() as session:
            key, text = add_key(
                session,
                session.get_one(Account, account),
                **{"name": "test", "scopes": [Scope.READ_ENTRIES], "now": now, **changes},
            )
            return key.public_id, text

    return make_key


def select(database, public_id, ids, now):
    with database.write() as session:
        select_sources(session, find_key(session, public_id), ids, now=now)


def test_the_text_of_a_key_is_nowhere_in_the_database(database, make_key, tmp_path):
    _, text = make_key()
    database.close()

    assert all(text.encode() not in file.read_bytes() for file in tmp_path.iterdir())


def test_an_expired_key_is_not_found(database, make_key, now):
    _, text = make_key(expires_at=now + DAY)

    with database.read() as session:
        assert find_live_key(session, text, now=now + DAY - timedelta(seconds=1)) is not None
        assert find_live_key(session, text, now=now + DAY) is None


def test_a_slot_belongs_to_its_source_for_a_day(database, make_key, catalog, now):
    key = make_key()[0]
    first, second, third, fourth, fifth, *_ = catalog.values()
    select(database, key, [first, second], now)
    select(database, key, [first, second, third], now + timedelta(hours=1))
    later = now + timedelta(hours=23)

    select(database, key, [second], later)  # fewer is always possible
    select(database, key, [first, second], later)  # and so is what was there before
    with pytest.raises(TooManySelections) as refused:
        select(database, key, [first, second, fourth], later)
    select(database, key, [first, second], later)
    select(database, key, [second, fourth, fifth], now + timedelta(days=1, hours=1))

    assert refused.value.frees_at == now + timedelta(days=1, hours=1)
    assert "The next is free at" in str(refused.value)


def test_a_new_key_for_an_old_one_gives_no_slot_back(database, make_key, catalog, now):
    one = make_key()[0]
    select(database, one, list(catalog.values())[:3], now)
    with database.write() as session:
        revoke_key(find_key(session, one), now=now)

    with pytest.raises(TooManySelections):
        select(database, make_key()[0], list(catalog.values())[3:5], now + timedelta(minutes=1))


def test_slots_count_the_sources_of_all_keys_of_an_account(database, make_key, catalog, now):
    one, two = make_key()[0], make_key()[0]
    first, second, third, fourth, *_ = catalog.values()
    select(database, one, [first, second], now)
    select(database, two, [second, third], now)

    with pytest.raises(TooManySelections):
        select(database, two, [third, fourth], now)

    with database.read() as session:
        key = find_key(session, two)
        assert selected_slugs(session, key.id) == {"acme.s1", "acme.s2"}
        assert account_selection(session, key.account_id, now=now) == {
            "acme.s0",
            "acme.s1",
            "acme.s2",
        }


def test_the_selection_of_a_dead_key_takes_no_slots(database, make_key, catalog, now):
    ids = list(catalog.values())
    dead = make_key(expires_at=now + DAY)[0]
    select(database, dead, ids[:3], now)

    select(database, make_key()[0], ids[3:], now + DAY)


def test_parallel_selections_never_take_more_than_the_slots(database, make_key, catalog, now):
    keys = [make_key()[0] for _ in range(6)]

    def choose(public_id, source_id):
        try:
            select(database, public_id, [source_id], now)
        except TooManySelections:
            return 0
        return 1

    with ThreadPoolExecutor(6) as pool:
        chosen = sum(pool.map(choose, keys, catalog.values()))

    assert chosen == 3


def test_a_rotated_key_lives_one_more_day_beside_its_successor(database, make_key, catalog, now):
    public_id, old = make_key()
    select(database, public_id, list(catalog.values())[:2], now)
    with database.write() as session:
        successor, new = rotate_key(session, find_key(session, public_id), now=now)
        assert selected_slugs(session, successor.id) == {"acme.s0", "acme.s1"}

    with database.read() as session:
        nearly = now + DAY - timedelta(seconds=1)
        assert find_live_key(session, old, now=nearly) is not None
        assert find_live_key(session, old, now=now + DAY) is None
        assert find_live_key(session, new, now=now + DAY) is not None


def test_rotation_gives_a_key_no_more_time_than_it_had(database, make_key, now):
    public_id, old = make_key(expires_at=now + timedelta(hours=1))
    with database.write() as session:
        _, new = rotate_key(session, find_key(session, public_id), now=now)

    with database.read() as session:
        assert find_live_key(session, old, now=now + timedelta(hours=1)) is None
        assert find_live_key(session, new, now=now + timedelta(hours=1)) is None


def test_a_key_that_is_rotated_without_overlap_ends_at_once(database, make_key, now):
    public_id, old = make_key()
    with database.write() as session:
        _, new = rotate_key(session, find_key(session, public_id), now=now, overlap=timedelta())

    with database.read() as session:
        assert find_live_key(session, old, now=now) is None
        assert find_live_key(session, new, now=now) is not None


def test_an_account_follows_a_source_once_and_by_no_revoked_key(database, make_key, catalog, now):
    keys = [make_key()[0] for _ in range(3)]
    first, second, *_ = catalog.values()
    for key, ids in zip(keys, ([first], [first], [second]), strict=True):
        select(database, key, ids, now)

    with database.write() as session:
        revoke_key(find_key(session, keys[2]), now=now)
        assert followers_of_sources(session) == {first: 1}


def test_a_name_keeps_the_joiners_that_scripts_and_emoji_need():
    for name in ("\U0001f9d1\u200d\U0001f4bb", "می\u200cشود"):
        assert name_for("filter", f" {name} ") == name
    for name in ("\u200d", "a\u202eb", "a\x00b", " "):
        with pytest.raises(Refused):
            name_for("filter", name)
