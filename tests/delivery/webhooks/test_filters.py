"""A webhook that follows a saved filter hears of what it lets through of the selection."""

import json

import pytest

from storage.models import SavedFilter


@pytest.fixture
def told(receiver):
    """Say what was told, in order: types and titles."""

    def told():
        events = [json.loads(request.body) for request in receiver.received]
        return [(event["type"], event["data"]["title"]) for event in events]

    return told


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("vendor=globex", []),  # not selected
        ("sources=acme.mail,globex.storage", ["Mail"]),
        ("category=breaking", ["API v1 removed"]),
        ("q=cve-2026*%20-removed", ["CVE-2026-12345"]),
        ("q=%22attachments%20may%20be%22", ["Mail"]),
        ("category=breaking&q=mail", []),
    ],
)
def test_it_hears_of_what_the_filter_lets_through(
    new_webhook, publish, push, save_filter, told, query, titles
):
    new_webhook(filter_id=save_filter(query))
    publish("API v1 removed", important=True)
    publish("Mail", slug="acme.mail", text="Attachments may be larger.")
    publish("CVE-2026-12345")
    publish("Storage", slug="globex.storage")

    push()

    assert [title for _, title in told()] == titles


def test_an_edit_that_was_followed_by_another_is_told_by_its_own_words(
    new_webhook, publish, push, save_filter, told
):
    new_webhook(filter_id=save_filter("q=deprecated"))
    publish("one", text="This is deprecated.")
    publish("one", text="Taken back.")
    push()

    assert told() == [("entry.published", "one")]


def test_without_its_filter_nothing_is_told_and_others_are(
    new_webhook, publish, push, save_filter, told, database, other_receiver, deliveries
):
    gone, wrong = save_filter("q=one"), save_filter("q=one")
    new_webhook(filter_id=gone)
    new_webhook(filter_id=wrong)
    new_webhook(other_receiver.url())
    with database.write() as session:
        session.delete(session.get_one(SavedFilter, gone))
        session.get_one(SavedFilter, wrong).query = "category=nice"
    publish("one")
    push()

    assert told() == []
    assert len(other_receiver.received) == len(deliveries()) == 1
