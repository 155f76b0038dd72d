"""Keys and their life (specification 5)."""

from datetime import timedelta

import pytest

from openapi.vocabulary import Scope
from storage.models import Account
from storage.people.accounts import Refused, name_for
from storage.people.keys import add_key, find_key, find_live_key, rotate_key


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


def test_the_text_of_a_key_is_nowhere_in_the_database(database, make_key, tmp_path):
    _, text = make_key()
    database.close()

    assert all(text.encode() not in file.read_bytes() for file in tmp_path.iterdir())


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


def test_a_name_keeps_the_joiners_that_scripts_and_emoji_need():
    for name in ("\U0001f9d1\u200d\U0001f4bb", "می\u200cشود"):
        assert name_for("filter", f" {name} ") == name
    for name in ("\u200d", "a\u202eb", "a\x00b", " "):
        with pytest.raises(Refused):
            name_for("filter", name)
