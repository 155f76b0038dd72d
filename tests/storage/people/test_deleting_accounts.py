"""An account goes with all that is its own, and with nothing else."""

import pytest
from sqlalchemy import func, select

from openapi.vocabulary import Scope
from storage.delivery.digests import save_digest
from storage.delivery.webhooks import add_webhook
from storage.models import (
    Account,
    AccountEvent,
    ApiKey,
    Digest,
    Follow,
    PrivateFeed,
    SavedFilter,
    Selection,
    SignInLink,
    StackPart,
    Webhook,
    WebSession,
)
from storage.models.webhooks import DigestFrequency
from storage.people.account_events import note_plan
from storage.people.accounts import add_account, delete_account, find_account
from storage.people.follows import narrow_key
from storage.people.keys import add_key
from storage.people.private_feeds import add_private_feed
from storage.people.saved_filters import add_filter
from storage.people.sessions import add_session
from storage.people.sign_in import add_link
from storage.people.stacks import SavedPart, save_parts

OWN = (
    Account,
    AccountEvent,
    ApiKey,
    Follow,
    Selection,
    SignInLink,
    Webhook,
    Digest,
    WebSession,
    SavedFilter,
    PrivateFeed,
    StackPart,
)


@pytest.fixture
def settle(database, now, catalog):
    """Make an account that uses everything there is."""

    def settle(email):
        with database.write() as session:
            account = add_account(session, email, now=now)
            key, _ = add_key(session, account, name="ci", scopes=[Scope.READ_ENTRIES], now=now)
            narrow_key(session, key, list(catalog.values())[:3], now=now)
            add_link(session, email, next_path="/", now=now)
            add_session(session, account, now=now)
            note_plan(session, account, now=now)
            hook = Webhook(name="x", url="https://acme.example/", key_id=key.id)
            add_webhook(session, account.id, hook, now=now)
            daily = Digest(frequency=DigestFrequency.DAILY, hour=6)
            save_digest(session, account.id, daily, now=now)
            saved = add_filter(session, account.id, name="f", query="vendor=acme", now=now)
            add_private_feed(session, account.id, filter_id=saved.id, now=now)
            save_parts(session, account.id, [SavedPart("pkg:npm/x", "1.0")])

    return settle


def counts(database):
    with database.read() as session:
        return [session.scalar(select(func.count()).select_from(table)) for table in OWN]


def test_everything_of_an_account_is_deleted_with_it(database, settle):
    settle("ada@acme.example")
    assert all(counts(database))
    with database.read() as session:
        assert find_account(session, " ADA@Acme.Example ") is not None

    with database.write() as session:
        assert delete_account(session, " Ada@Acme.example")

    assert not any(counts(database))


def test_what_others_have_stays(database, settle):
    settle("ada@acme.example")
    before = counts(database)
    settle("bob@acme.example")

    with database.write() as session:
        delete_account(session, "bob@acme.example")

    assert counts(database) == before
