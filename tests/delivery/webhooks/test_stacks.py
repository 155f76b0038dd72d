"""What webhooks and digests say of what somebody runs, and of what came out."""

import json
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select, update

from delivery.digests import send_one_digest
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.delivery.digests import save_digest
from storage.models import ApiKey, Digest, Source
from storage.models.webhooks import DigestFrequency
from storage.people.accounts import add_account
from storage.people.stacks import PAGE, SavedPart, save_parts

NPM = "pkg:npm/left-pad"


@pytest.fixture
def run(database, clock, ada, catalog):
    """Save what ada runs of acme.compute's package: ``run("1.1.0")``."""

    def run(*versions, purl=NPM, account=ada, slug="acme.compute"):
        seen = SeenPackage(slug, NPM, "package.json")
        with database.write() as session:
            save_packages(session, [seen])
            save_parts(session, account, [SavedPart(purl, it) for it in versions])

    return run


def upgrades(receiver):
    """Return what each message says of the stack, by title."""
    events = [json.loads(it.body) for it in receiver.received]
    return {it["data"]["title"]: it.get("upgrades") for it in events}


def test_a_message_says_what_lies_between_what_runs_and_what_came_out(
    run, publish, new_webhook, push, receiver
):
    run("1.1.0")
    new_webhook()
    publish("Left Pad 1.1.0")
    publish("Left Pad 1.2.0", important=True)
    publish("Left Pad 2.0.0-rc.1", important=True)
    publish("Left Pad 2.0.0", important=True)
    publish("We moved our office")

    push()

    said = {"part": NPM, "from": "1.1.0"}
    assert upgrades(receiver) == {
        "Left Pad 1.1.0": None,
        "Left Pad 1.2.0": [{**said, "to": "1.2.0", "total": 1, "breaking": 1}],
        "Left Pad 2.0.0-rc.1": None,
        "Left Pad 2.0.0": [{**said, "to": "2.0.0", "total": 2, "breaking": 2}],
        "We moved our office": None,
    }


@pytest.fixture(params=[True, False])
def release(request, database, run, publish):
    """Publish releases of a source that ada runs and does not follow, on demand or not."""
    run("1.1.0", slug="globex.storage")
    with database.write() as session:
        session.execute(update(Source).values(on_demand=request.param))
    return partial(publish, slug="globex.storage")


def test_a_webhook_says_what_newly_breaks_a_stack_that_follows_nothing(
    release, new_webhook, save_filter, push, receiver, database
):
    with database.read() as session:
        new_webhook(key_id=session.scalars(select(ApiKey.id)).one())
    new_webhook(filter_id=save_filter("category=breaking"))
    new_webhook()
    release("Left Pad 1.0.0", important=True)
    release("Left Pad 1.2.0")
    release("Left Pad 1.9.0", important=True, announced=False)
    release("Left Pad 2.0.0", important=True)

    push()

    (event,) = (json.loads(it.body) for it in receiver.received)
    assert event["type"] == "stack.breaking"
    assert "headline" in event["data"]
    assert "raw" not in event["data"]
    said = {"part": NPM, "from": "1.1.0", "to": "2.0.0", "total": 3, "breaking": 2}
    assert event["upgrades"] == [said]


def test_nothing_is_said_of_other_packages_and_other_accounts(
    run, publish, new_webhook, push, receiver, database, clock
):
    with database.write() as session:
        bob = add_account(session, "bob@acme.example", now=clock()).id
    run("1.0.0", account=bob)
    run("1.0.0", purl="pkg:npm/right-pad")
    new_webhook()
    publish("Left Pad 2.0.0")

    push()

    assert upgrades(receiver) == {"Left Pad 2.0.0": None}


@pytest.fixture
def digest(database, clock, ada, context, mails):
    """Send a digest after publishing: ``digest(*titles)``; return its two texts."""

    def digest(send, **settings):
        chosen = Digest(frequency=DigestFrequency.DAILY, hour=6, **settings)
        with database.write() as session:
            save_digest(session, ada, chosen, now=clock())
        send()
        clock.at += timedelta(days=1)
        send_one_digest(context)
        return mails[-1].text, mails[-1].html

    return digest


@pytest.mark.parametrize("stack", [None, PAGE])
def test_a_digest_begins_with_what_lies_between(run, publish, digest, stack):
    publish("Left Pad 1.2.0", important=True)
    run("1.1.0")

    def send():
        publish("Left Pad 1.3.0")
        publish("Left Pad 2.0.0", important=True)

    text, html = digest(send, stack=stack)

    assert ("Left Pad 1.3.0" in text) is (stack is None)  # what is followed, not what breaks
    assert "NEW VERSIONS FOR YOUR STACK" in text
    assert "- npm/left-pad 1.1.0 -> 2.0.0: 3 newer versions, 2 breaking" in text
    assert "2 breaking" in html
    assert stack or html.index("New versions for your stack") < html.index("Important")


def test_a_digest_says_what_newly_breaks_a_stack_that_follows_nothing(release, digest, mails):
    release("Left Pad 1.2.0", important=True)

    text, html = digest(lambda: release("Left Pad 2.0.0", important=True))

    assert mails[-1].subject.startswith("Changewire: breaking changes of 1 package")
    assert "- npm/left-pad 1.1.0 -> 2.0.0: 2 newer versions, 2 breaking" in text
    assert "2 breaking" in html


@pytest.mark.parametrize(("important", "stack"), [(False, None), (True, "another")])
def test_no_digest_is_sent_of_a_stack_that_nothing_breaks(release, digest, important, stack):
    release("Left Pad 1.2.0", important=True)

    with pytest.raises(IndexError):
        digest(lambda: release("Left Pad 2.0.0", important=important), stack=stack)
