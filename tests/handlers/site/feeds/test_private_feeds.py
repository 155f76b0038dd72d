"""Private feeds and calendars: shown once, of one's own selection, gone when they are revoked."""

import json

import pytest
from sqlalchemy import select, update

from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import ids_of
from storage.models import Entry, PrivateFeed, SavedFilter
from storage.people.accounts import add_account
from storage.people.credentials import digest_of
from storage.people.follows import follow_sources
from storage.people.keys import add_key
from storage.people.private_feeds import add_private_feed, revoke_private_feed
from storage.people.saved_filters import add_filter, delete_filter, find_filter

pytestmark = pytest.mark.usefixtures("three")
ENDS = ("entries.atom", "entries.json", "deadlines.ics")


@pytest.fixture
def account(database, now):
    """The id of an account on Free that has selected acme.mail and acme.compute."""
    with database.write() as session:
        owner = add_account(session, "ada@acme.example", now=now)
        key, _ = add_key(session, owner, name="k", scopes=[Scope.READ_ENTRIES], now=now)
        ids = ids_of(session, ["acme.mail", "acme.compute"])
        follow_sources(session, key.account_id, ids.values(), now=now)
        return owner.id


@pytest.fixture
def address(database, now, account):
    """Make a private address: ``address("vendor=acme")``; of the whole selection without."""

    def address(query=None, name="Mine"):
        with database.write() as session:
            filter_id = None
            if query is not None:
                filter_id = add_filter(session, account, name=name, query=query, now=now).id
            return f"/private/{add_private_feed(session, account, filter_id=filter_id, now=now)}"

    return address


def titles(site, address):
    return sorted(
        item["title"] for item in json.loads(site.get(f"{address}/entries.json").text)["items"]
    )


def test_a_feed_has_the_selection_and_nothing_else(site, address):
    assert titles(site, address()) == ["hole", "other"]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("category=security", ["hole"]),
        ("sources=acme.compute%2Cglobex.mail", ["other"]),
        ("q=hole", ["hole"]),
        ("since=2100-01-01T00%3A00%3A00Z", []),
    ],
)
def test_a_filter_narrows_the_selection_and_never_widens_it(site, address, query, shown):
    found = address(query)

    assert titles(site, found) == shown
    assert site.get(f"{found}/entries.atom").text.count("<entry>") == len(shown)
    assert site.get(f"{found}/deadlines.ics").text.count("BEGIN:VEVENT") == len(shown)


@pytest.mark.parametrize(
    ("plan", "shown"), [(Plan.FREE, []), (Plan.ALL, ["hole", "other", "third"])]
)
def test_without_a_selection_a_feed_has_what_the_plan_has(site, database, now, plan, shown):
    with database.write() as session:
        owner = add_account(session, "bob@acme.example", now=now, plan=plan)
        found = f"/private/{add_private_feed(session, owner.id, filter_id=None, now=now)}"

    assert titles(site, found) == shown
    assert site.get(f"{found}/deadlines.ics").text.count("BEGIN:VEVENT") == len(shown)


def test_an_entry_that_nobody_is_told_of_is_left_out(site, database, address):
    with database.write() as session:
        session.execute(update(Entry).where(Entry.title == "hole").values(announced=False))

    assert titles(site, address()) == ["other"]


def test_a_hostile_name_stays_text(site, address):
    found = address("vendor=acme", '<b>&"]]>; X,\\n')

    assert "<title>Changewire: &lt;b&gt;&amp;&#34;]]&gt;; X,\\n</title>" in (
        site.get(f"{found}/entries.atom").text
    )
    assert json.loads(site.get(f"{found}/entries.json").text)["title"].endswith("X,\\n")
    calendar = site.get(f"{found}/deadlines.ics").text
    assert 'NAME:Changewire: <b>&"]]>\\; X\\,\\\\n: deadlines\r\n' in calendar


@pytest.mark.parametrize("end", ENDS)
def test_an_address_belongs_to_its_owner_alone(site, address, end):
    answer = site.get(f"{address()}/{end}")
    again = site.get(answer.request.path, headers={"If-None-Match": answer.headers["ETag"]})

    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert again.status_code == 304


def test_a_revoked_address_and_a_wrong_one_are_not_found(site, database, account, address):
    found = address()
    with database.write() as session:
        feed_id = session.scalar(select(PrivateFeed.id))
        assert revoke_private_feed(session, account, feed_id)

    for end in ENDS:
        for wrong in (found, f"/private/{'x' * 43}", "/private/%00"):
            assert site.get(f"{wrong}/{end}").status_code == 404


def test_an_address_ends_with_its_filter_and_no_other_does(site, database, account, address):
    narrowed, whole = address("vendor=acme"), address()
    with database.write() as session:
        public_id = session.scalar(select(SavedFilter.public_id))
        delete_filter(session, find_filter(session, account, public_id))

    assert site.get(f"{narrowed}/entries.atom").status_code == 404
    assert site.get(f"{whole}/entries.atom").status_code == 200


def test_only_the_hash_of_a_token_is_stored(database, address):
    token = address().removeprefix("/private/")

    with database.read() as session:
        assert session.scalars(select(PrivateFeed.digest)).all() == [digest_of(token)]


def test_a_filter_that_is_none_any_more_is_told_in_one_line(site, address):
    refused = site.get(f"{address('category=nice')}/entries.atom")

    assert refused.status_code == 400
    assert "category" in refused.text
    assert refused.text.count("\n") == 1
