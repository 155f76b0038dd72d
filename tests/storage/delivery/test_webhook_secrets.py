"""Secrets of webhooks are stored sealed, and nothing but the key opens them."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from storage.delivery.deliveries import secrets_of
from storage.delivery.webhook_secrets import reseal_secrets, unreadable_secrets
from storage.delivery.webhooks import add_webhook, rotate_secret, secret_of
from storage.models import Webhook
from storage.people.accounts import add_account
from storage.people.idempotency import earlier_answer, keep_answer
from storage.people.secret_box import BOX, SecretBox, SecretUnreadable, keep_box

OLD, NEW = "old key " * 8, "new key " * 8


@pytest.fixture
def webhook(database, now):
    """Make a webhook in a database; returns its secret as its owner is shown it."""

    def webhook():
        with database.write() as session:
            account = add_account(session, "ada@acme.example", now=now)
            hook = Webhook(name="chat", url="https://hooks.acme.example/x")
            return secret_of(session, add_webhook(session, account.id, hook, now=now))

    return webhook


def stored(database):
    with database.read() as session:
        row = session.scalars(select(Webhook)).one()
        return [row.secret, *([row.old_secret] if row.old_secret else [])]


def signed_with(database, now):
    with database.read() as session:
        return secrets_of(session, session.scalars(select(Webhook)).one(), now=now)


@given(st.binary(max_size=200), st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=40)
def test_what_is_sealed_is_opened_for_its_own_name_and_no_other(plain, name, other):
    box = SecretBox([NEW])
    sealed = box.seal(plain, name)

    assert SecretBox([OLD, NEW]).open(sealed, name) == plain
    if name != other:
        with pytest.raises(SecretUnreadable):
            box.open(sealed, other)


@pytest.mark.parametrize("harm", [lambda it: it[:-1], lambda it: it[1:], lambda it: b"", bytes(60)])
def test_what_was_changed_is_not_opened(harm):
    sealed = SecretBox([NEW]).seal(b"secret", "hook")

    with pytest.raises(SecretUnreadable):
        SecretBox([NEW]).open(harm(sealed) if callable(harm) else harm, "hook")


def test_a_secret_is_stored_sealed_and_signs_as_it_was_shown(database, webhook, now):
    keep_box(database, SecretBox([NEW]))

    shown = webhook()

    assert shown.startswith("whsec_")
    assert [len(each) <= 100 and each.startswith("sealed1.") for each in stored(database)] == [True]
    assert signed_with(database, now) == (shown,)


def test_after_a_rotation_both_secrets_are_sealed_and_sign_for_a_day(database, webhook, now):
    keep_box(database, SecretBox([NEW]))
    before = webhook()

    with database.write() as session:
        after = rotate_secret(session, session.scalars(select(Webhook)).one(), now=now)

    assert [each.startswith("sealed1.") for each in stored(database)] == [True, True]
    signed = [signed_with(database, now + timedelta(hours=hours)) for hours in (0, 23, 24)]
    assert signed == [(after, before), (after, before), (after,)]


def test_stored_secrets_are_sealed_and_go_on_signing(database, webhook, now):
    shown, box = webhook(), SecretBox([NEW])
    assert stored(database) == [shown]

    with database.write() as session:
        first, again = reseal_secrets(session, box), reseal_secrets(session, box)
    keep_box(database, box)

    assert (first, again) == ((1, []), (0, []))
    assert shown not in stored(database)
    assert signed_with(database, now) == (shown,)


def test_a_changed_key_seals_anew_what_the_old_one_opens(database, webhook, now):
    keep_box(database, SecretBox([OLD]))
    shown = webhook()

    with database.write() as session:
        assert reseal_secrets(session, SecretBox([NEW, OLD])) == (1, [])
    keep_box(database, SecretBox([NEW]))

    assert signed_with(database, now) == (shown,)


def test_a_secret_that_no_key_opens_stays_and_signs_nothing(database, webhook, now):
    keep_box(database, SecretBox([OLD]))
    webhook()
    before = stored(database)
    keep_box(database, SecretBox([NEW]))

    with database.write() as session:
        changed, unreadable = reseal_secrets(session, SecretBox([NEW]))
        count = unreadable_secrets(session, SecretBox([NEW]))

    assert (changed, len(unreadable), count) == (0, 1, 1)
    assert stored(database) == before
    assert signed_with(database, now) == ()


def test_without_a_key_all_is_stored_as_it_is(database, webhook, now):
    shown = webhook()

    assert BOX not in database.info
    assert stored(database) == [shown]
    assert signed_with(database, now) == (shown,)


def test_the_kept_answer_of_a_request_is_sealed_too(database, now):
    keep_box(database, SecretBox([NEW]))
    answer = (201, b'{"secret":"whsec_x"}')
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now).id
        keep_answer(session, account, "name", answer, now=now)

    with database.read() as session:
        query = select(Webhook.metadata.tables["idempotent_answers"].c.body)
        assert b"whsec" not in session.scalars(query).one()
        assert earlier_answer(session, account, "name", now=now) == answer
