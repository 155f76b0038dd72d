"""GET /upgrades: what lies between two versions, and what is not known of it."""

import json
from datetime import timedelta

import pytest
from filling import important
from sqlalchemy import delete, select

from openapi.vocabulary import DeadlineKind, Plan
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import replace_deadlines
from storage.models import Account, Entry, Gap, StackPart
from storage.people.stacks import SavedPart, save_parts

DAY = timedelta(days=1)
BREAKING = important("breaking", text="2")
PART = "pkg:pypi/acme-compute"


@pytest.fixture
def packages(database, catalog):
    """Two sources about one part, and one about another."""
    seen = [("acme.compute", PART), ("acme.storage", "pkg:npm/acme"), ("acme.mail", "pkg:npm/acme")]
    with database.write() as session:
        save_packages(session, [SeenPackage(*each, "here") for each in seen])


@pytest.fixture
def ask(client, packages, new_key):
    """Ask for a range with a key that has selected acme.compute and acme.storage."""
    key = new_key(Plan.STARTER, sources=["acme.compute", "acme.storage"])

    def ask(purl=PART, key=key, **parameters):
        return client.get("/api/v1/upgrades", params={"purl": purl, **parameters}, headers=key)

    return ask


@pytest.fixture
def released(publish):
    """Versions of acme.compute, one of them breaking."""
    publish("acme.compute", **{"1.0": 9 * DAY, "1.10": 7 * DAY, "1.9": 8 * DAY, "2.1": 5 * DAY})
    publish("acme.compute", important=BREAKING, **{"2.0": 6 * DAY})
    publish("acme.compute", **{"3.0rc1": 4 * DAY, "Maintenance": 6 * DAY, "Ancient": 99 * DAY})


def versions_in(response):
    return [item["version"] for item in response.json()["items"]]


def reasons_in(response, name):
    return {remark["reason"]: remark["count"] for remark in response.json()[name]}


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"from": "1.0", "to": "2.1"}, ["2.0", "1.9", "1.10", "2.1"]),
        ({"from": "1.9", "to": "1.10"}, ["1.10"]),
        ({"from": "v2.0"}, ["2.1"]),
        ({"from": "2.1", "to": "1.0"}, []),
        ({"to": "1.9"}, ["1.0", "1.9"]),
        ({"from": "2.0", "to": "3.0rc2"}, ["2.1", "3.0rc1"]),
        ({}, ["2.0", "1.0", "1.9", "1.10", "2.1"]),
    ],
)
def test_what_breaks_comes_first_then_the_versions_in_order(ask, released, bounds, expected):
    assert versions_in(ask(**bounds)) == expected


def test_an_item_is_the_public_entry_with_its_evidence(ask, released):
    breaking, other = ask(f"{PART}@1.10", to="2.1").json()["items"]

    assert breaking["importance"] == json.loads(BREAKING)
    assert (breaking["part"], breaking["source"]) == (PART, "acme.compute")
    assert len(breaking["summary"]) <= 500
    assert "importance" not in other


@pytest.mark.parametrize(
    ("version", "titles"), [("1.10", ["Maintenance", "Later"]), ("2.1", ["Later"])]
)
def test_entries_of_the_time_without_a_version_are_told(ask, released, publish, version, titles):
    publish("acme.compute", Later=DAY)

    remarks = {it["reason"]: it for it in ask(**{"from": version}).json()["unknown"]}

    assert sorted(entry["title"] for entry in remarks["no_version"]["entries"]) == sorted(titles)


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [({"from": "one"}, "from_not_comparable"), ({"to": "2.x"}, "to_not_comparable")],
)
def test_without_a_comparable_bound_nothing_is_placed(ask, released, bounds, reason):
    response = ask(**bounds)

    assert (versions_in(response), reasons_in(response, "unknown")) == ([], {reason: 0})


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"from": "0.9", "to": "2.0"}, {"before_history": 0}),
        ({"from": "1.0", "to": "4.0"}, {"after_history": 0}),
        ({"from": "1.0", "to": "2.0"}, {}),
    ],
)
def test_where_what_is_known_ends_is_told(ask, released, bounds, expected):
    assert reasons_in(ask(**bounds), "gaps") == expected


@pytest.fixture
def missed(database, now):
    """Tell that entries of acme.compute may be missing: ``missed(days ago, days ago)``."""

    def missed(after, before):
        with database.write() as session:
            source_id = ids_of(session, ["acme.compute"])["acme.compute"]
            times = {"after_at": now - after * DAY, "before_at": now - before * DAY}
            ends = {"after_id": "a", "before_id": "b", "known": [], "tries": None}
            session.add(Gap(source_id=source_id, declared_at=now, **times, **ends))

    return missed


@pytest.mark.parametrize(
    ("days", "bounds", "told"),
    [
        ((8, 7), {"from": "1.0"}, {"missing_entries": 0}),
        ((8, 7), {"from": "2.0"}, {}),
        ((3, 2), {"from": "2.1"}, {"missing_entries": 0}),
        ((3, 2), {"from": "1.0", "to": "1.9"}, {}),
    ],
)
def test_entries_that_may_have_been_missed_are_told(ask, released, missed, days, bounds, told):
    missed(*days)

    assert reasons_in(ask(**bounds), "gaps") == told


@pytest.fixture
def ends(database, publish, now):
    """Publish an entry that states an end: ``ends(title, text, days, kind)``, days from today."""

    def ends(title, text, days, kind=DeadlineKind.END_OF_LIFE, **named):
        publish("acme.compute", **{title: 400 * DAY})
        last = (now + days * DAY).date()
        with database.write() as session:
            key = session.scalars(select(Entry.id).order_by(Entry.id.desc())).first()
            replace_deadlines(session, {key: [DeadlineRecord(kind, last, last, text, **named)]})

    return ends


@pytest.mark.parametrize(
    ("version", "days", "kind", "told"),
    [
        ("1.0.7", -300, "end_of_life", 1),
        ("1.0", -300, "migration", 0),
        ("1.9", -300, "end_of_life", 0),
        (None, -300, "end_of_life", 0),
        ("1.0", 60, "migration", 1),
        ("1.9", 60, "end_of_life", 0),
        (None, 60, "end_of_life", 1),
    ],
)
def test_an_end_is_told_to_those_who_run_what_ends(ask, ends, version, days, kind, told):
    named = {"subject": "Compute 1.0 and older", "versions": "<=1.0"}
    ends("News", "Support of Compute 1.0 and older ends.", days, DeadlineKind(kind), **named)

    found = ask(**({} if version is None else {"from": version})).json()["deadlines"]

    assert [(it["kind"], it["days"], it["entry"]["title"]) for it in found] == (
        [(kind, days, "News")] * told
    )


@pytest.mark.parametrize(
    ("version", "kind", "day"),
    [("1.0.7", "end_of_life", -300), ("1.2", "end_of_support", 60), ("1.0", "migration", None)],
)
def test_a_part_has_the_end_of_its_version_and_the_holes_that_are_fixed_on_the_way(
    ask, ends, publish, now, version, kind, day
):
    of_line, of_older = ({"subject": "Compute", "versions": it} for it in (version[:3], "<=1.2"))
    ends("News", "Support of a line ends.", day or 9, DeadlineKind(kind), **of_line)
    ends("Later", "Support of older ones ends.", 70, DeadlineKind(kind), **of_older)
    publish("acme.compute", told="Fixes CVE-2026-1234. ", **{"2.0.9": 2 * DAY})

    (part,) = ask(**{"from": version}).json()["parts"]

    assert part["cves"] == ["CVE-2026-1234"]
    last = None if day is None else (now + day * DAY).date().isoformat()
    assert part.get("ends", {}).get("to") == last


@pytest.mark.parametrize(("days", "told"), [(-31, 0), (-29, 1), (29, 1)])
def test_an_end_that_names_no_version_is_news_for_thirty_days(ask, ends, days, told):
    ends("Removal", "The old API ends.", days)

    assert len(ask(**{"from": "1.0"}).json()["deadlines"]) == told


def test_an_end_that_was_moved_is_told_as_it_is_now(ask, ends):
    ends("First", "Support of Compute 1.0 ends.", -90)
    ends("Moved", "Support of Compute 1.0 is extended.", 90)

    (told,) = ask(**{"from": "1.0"}).json()["deadlines"]
    assert (told["days"], len(told["replaced"])) == (90, 1)


@pytest.mark.parametrize(
    ("purl", "reason"), [("pkg:npm/unheard-of", "no_source"), ("pkg:npm", "not_a_package")]
)
def test_a_part_that_nobody_knows_is_an_answer(ask, purl, reason):
    response = ask(purl)

    assert (reasons_in(response, "unknown"), response.json()["total"]) == ({reason: 0}, 0)


def test_no_source_of_a_part_has_to_be_selected(ask, publish):
    publish("acme.storage", **{"1.0.0": DAY})
    publish("acme.mail", **{"1.1.0": DAY})
    response = ask("pkg:npm/acme")

    assert response.json()["sources"] == ["acme.mail", "acme.storage"]
    assert versions_in(response) == ["1.0.0", "1.1.0"]


def test_a_source_without_versions_is_told(ask, publish):
    publish("acme.compute", Hello=DAY)

    assert reasons_in(ask(), "gaps") == {"no_releases": 0}


@pytest.fixture
def stack(database, now, packages, released, new_key):
    """Save what an account runs: ``stack(key_of_plan, purls)``; return its key and account."""

    def stack(*parts, plan=Plan.STARTER, sources=("acme.compute", "acme.storage")):
        key = new_key(plan, sources=list(sources))
        saved = [SavedPart(*part.rsplit("@", 1)) for part in parts]
        with database.write() as session:
            newest = session.scalars(select(Account.id).order_by(Account.id.desc())).first()
            save_parts(session, newest, saved)
        return key

    return stack


def test_a_stack_asks_for_all_of_its_parts_what_breaks_first(client, publish, stack):
    publish("acme.storage", important=BREAKING, **{"7.0.0": DAY})
    publish("acme.storage", **{"6.0.0": 2 * DAY})
    key = stack(f"{PART}@1.9", "pkg:npm/acme@5.0.0", "pkg:npm/left-pad@1.0")

    page = client.get("/api/v1/upgrades?stack=1", headers=key)

    assert versions_in(page) == ["7.0.0", "2.0", "6.0.0", "1.10", "2.1"]
    assert page.json()["sources"] == ["acme.compute", "acme.mail", "acme.storage"]
    unknown = {remark["part"]: remark["reason"] for remark in page.json()["unknown"]}
    assert unknown["pkg:npm/left-pad"] == "no_source"


def test_a_stack_is_read_page_by_page_and_revalidated(client, stack, database):
    key = stack(f"{PART}@1.0")
    address = "/api/v1/upgrades?stack=1&limit=2"

    first = client.get(address, headers=key)
    second = client.get(first.links["next"]["url"], headers=key)
    again = client.get(address, headers={**key, "If-None-Match": first.headers["ETag"]})
    with database.write() as session:
        session.execute(delete(StackPart))
    emptied = client.get(address, headers={**key, "If-None-Match": first.headers["ETag"]})

    assert [versions_in(first), versions_in(second)] == [["2.0", "1.9"], ["1.10", "2.1"]]
    assert (again.status_code, emptied.status_code) == (304, 404)


def test_the_stack_of_another_account_is_not_asked_for(client, stack, new_key):
    stack(f"{PART}@1.0")

    page = client.get("/api/v1/upgrades?stack=1", headers=new_key(Plan.ALL))

    assert page.json()["message"] == "The account has no saved stack 1."


def test_a_request_for_nothing_is_told_so(client, new_key):
    (remark,) = client.get("/api/v1/upgrades", headers=new_key(Plan.ALL)).json()["unknown"]

    assert remark["text"] == "Send purl or stack."


def test_an_image_of_another_registry_is_another_image(ask, database, catalog):
    with database.write() as session:
        save_packages(session, [SeenPackage("acme.compute", "pkg:docker/acme/compute", "here")])

    mine = ask("pkg:docker/acme/compute?repository_url=docker.io")
    other = ask("pkg:docker/acme/compute?repository_url=ghcr.io/acme")

    assert mine.json()["sources"] == ["acme.compute"]
    assert other.json()["unknown"][0]["reason"] == "no_source"
