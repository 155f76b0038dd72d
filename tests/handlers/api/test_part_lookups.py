"""Packages that the catalog does not know are looked up, and every door says the same of them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from filling import catalog_row, important
from sqlalchemy import func, select, update
from starlette.testclient import TestClient

from handlers import part_lookups
from handlers.api.application import create_api
from openapi.vocabulary import AdapterType, DeadlineKind, Plan
from package_versions.package_index import SeenRepository
from storage.catalog import on_demand
from storage.catalog.package_lookups import save_answer, save_failure
from storage.catalog.sources import save_sources
from storage.entries.deadline_history import DeadlineRecord
from storage.models import Account, EntryRemoval, FetchFacts, PackageLookup, Source
from storage.people.accounts import add_account
from storage.people.stacks import SavedPart, save_parts
from storage.people.throttle import Limit

PART, REPOSITORY = "pkg:npm/acme-tool", "pkg:github/acme/tool"


@pytest.fixture
def services(services):
    return replace(services, looks_up=True)


@pytest.fixture
def key(new_key):
    return new_key(Plan.FREE)


@pytest.fixture(params=["upgrades", "stacks"])
def ask(request, client, key):
    """Ask for a part as one of the operations is asked: ``ask(purl)``."""
    if request.param == "upgrades":
        return lambda purl: client.get("/api/v1/upgrades", params={"purl": purl}, headers=key)
    return lambda purl: client.post("/api/v1/stacks", json={"components": [purl]}, headers=key)


@pytest.fixture
def answer(database, now):
    """Let the index have answered for a part: ``answer(purl, seen)``."""

    def answer(purl, seen):
        with database.write() as session:
            save_answer(session, purl, seen, now=now)

    return answer


@pytest.fixture
def wanted(database):
    """Return what is to be looked up, as the index is asked for it."""

    def wanted():
        query = select(PackageLookup.system, PackageLookup.name).order_by(PackageLookup.purl)
        with database.read() as session:
            return [tuple(row) for row in session.execute(query)]

    return wanted


def remarks(response):
    return [(it["part"], it["reason"]) for it in response.json()["unknown"]]


def test_a_package_that_nobody_has_asked_for_yet_is_being_looked_up(ask, wanted):
    first, again = ask(f"{PART}@1.0"), ask(f"{PART}@1.0")

    assert remarks(first) == remarks(again) == [(PART, "being_looked_up")]
    assert int(first.headers["Retry-After"]) == part_lookups.SOONEST_SECONDS
    assert wanted() == [("npm", "acme-tool")]


def test_the_repository_that_the_index_names_has_the_source(ask, answer, database, publish):
    address = "https://github.com/acme/tool/releases"
    row = catalog_row("acme.tool", changelog_url=address, adapter_type=AdapterType.GITHUB_RELEASES)
    with database.write() as session:
        save_sources(session, [row])
    publish("acme.tool", **{"1.1.0": timedelta(days=1)})
    ask(f"{PART}@1.0")
    answer(PART, SeenRepository(REPOSITORY, False, "npm acme-tool 1.1.0: github.com/acme/tool"))

    response = ask(f"{PART}@1.0")

    found = response.json()
    (covered,) = found.get("parts") or found["selected"]
    assert covered == {
        "part": PART,
        "sources": ["acme.tool"],
        "repository": REPOSITORY,
        "certainty": "likely",
        "verdict": "review",
        "newest": "1.1.0",
        "seen_in": "npm acme-tool 1.1.0: github.com/acme/tool",
    }
    assert [item["version"] for item in found["items"]] == ["1.1.0"]
    assert "Retry-After" not in response.headers


@pytest.mark.parametrize(
    ("purl", "text"),
    [
        (PART, "Not in the package index."),
        ("pkg:deb/debian/curl", "the package index has only cargo, gem, golang, maven, npm"),
        ("pkg:npm/acme-tool?vcs_url=https://git.acme.example/x", "No source in the catalog"),
    ],
)
def test_a_package_without_a_repository_has_no_source_and_the_reason_is_told(
    ask, answer, purl, text
):
    ask(purl)
    answer(PART, "Not in the package index.")

    response = ask(purl)

    assert [reason for _, reason in remarks(response)] == ["no_source"]
    assert text in response.json()["unknown"][0]["text"]


def test_of_a_package_that_the_index_failed_at_the_reason_is_told(ask, database, now):
    ask(PART)
    with database.write() as session:
        save_failure(session, PART, "The package index did not respond: timeout.", now=now)

    response = ask(PART)

    assert remarks(response) == [(PART, "no_source")]
    assert "did not respond: timeout" in response.json()["unknown"][0]["text"]


def test_an_account_has_so_many_names_looked_up_a_day(ask, wanted, monkeypatch):
    monkeypatch.setattr(part_lookups, "A_DAY", Limit(2, timedelta(days=1)))

    answers = [ask(f"pkg:npm/p{n}") for n in range(4)]

    assert len(wanted()) == 2
    assert all(("being_looked_up") in answer.text for answer in answers)


def test_nothing_is_looked_up_for_a_stack_that_does_not_want_it(client, key, wanted):
    body = {"components": [f"{PART}@1.0"], "lookup": False}

    response = client.post("/api/v1/stacks", json=body, headers=key)

    assert (remarks(response), wanted()) == ([(PART, "no_source")], [])
    assert "Retry-After" not in response.headers


def test_nothing_is_looked_up_where_that_is_off(services, key, wanted):
    with TestClient(create_api(replace(services, looks_up=False))) as client:
        response = client.get("/api/v1/upgrades", params={"purl": PART}, headers=key)

    assert (remarks(response), wanted()) == ([(PART, "no_source")], [])
    assert response.json()["unknown"][0]["text"].endswith(part_lookups.LOOKUPS_OFF)


OTHERS = ["/api/v1/sources?limit=100", "/api/v1/latest", "/api/v1/important", "/api/v1/deadlines"]
OTHERS += ["/api/v1/changes", "/api/v1/latest?vendor=acme-org", "/api/v1/sources?q=gadget"]
ON_DEMAND = "pkg:github/acme-org/gadget"


@pytest.fixture
def read_releases(database, publish, now):
    """Let the source on demand have been read: ``read_releases()`` returns its slug."""

    def read_releases():
        with database.write() as session:
            (slug,) = session.scalars(select(Source.slug).where(Source.on_demand))
            session.execute(update(FetchFacts).values(first_attempt_at=now))
        breaking = important("breaking", text="2.0.0")
        ends = DeadlineRecord(DeadlineKind.REMOVAL, now.date(), now.date(), "It is removed.")
        publish(slug, important=breaking, deadlines=(ends,), **{"2.0.0": timedelta(days=1)})
        return slug

    return read_releases


def test_a_repository_outside_of_the_catalog_is_read_on_demand(ask, read_releases):
    first = ask(f"{ON_DEMAND}@1.0.0")
    again = ask(f"{ON_DEMAND}@1.0.0")
    slug = read_releases()
    found = ask(f"{ON_DEMAND}@1.0.0")

    assert remarks(first) == remarks(again) == [(ON_DEMAND, "being_looked_up")]
    assert "Retry-After" in first.headers
    (covered,) = found.json().get("parts") or found.json()["selected"]
    assert (covered["sources"], covered["on_demand"]) == ([slug], True)
    assert [item["version"] for item in found.json()["items"]] == ["2.0.0"]
    assert "Retry-After" not in found.headers


def test_what_is_read_on_demand_is_in_no_list(client, ask, read_releases, new_key):
    every = new_key(Plan.ALL)
    before = [client.get(address, headers=every).json() for address in OTHERS]
    ask(f"{ON_DEMAND}@1.0.0")
    slug = read_releases()

    after = [client.get(address, headers=every).json() for address in OTHERS]

    assert [answer.get("total") for answer in after] == [each.get("total") for each in before]
    assert not [answer for answer in after if "gadget" in str(answer)]
    entries = client.get("/api/v1/entries", params={"sources": slug}, headers=every)
    assert entries.json()["code"] == "source_not_selected"


def test_deadlines_of_a_part_are_read_on_demand_and_asked_for_by_its_purl(
    client, key, read_releases
):
    def ask(**more):
        parameters = {"purl": ON_DEMAND, **more}
        return client.get("/api/v1/deadlines", params=parameters, headers=key)

    first, slug = ask(), read_releases()

    assert (first.json()["total"], int(first.headers["Retry-After"])) == (0, 5)
    (deadline,) = ask().json()["items"]
    assert (deadline["text"], deadline["entry"]["source"]) == ("It is removed.", slug)
    assert ask(format="csv").text.count("It is removed.") == 1
    assert (ask(q="nothing").json()["total"], ask(to="2026-01-01").json()["total"]) == (0, 0)


def test_a_part_beyond_the_limit_of_its_account_shows_nothing_and_says_so(
    ask, client, new_key, read_releases, monkeypatch
):
    parameters = {"purl": f"{ON_DEMAND}@1.0.0"}
    client.get("/api/v1/upgrades", params=parameters, headers=new_key(Plan.ALL))
    read_releases()
    monkeypatch.setattr(on_demand, "OF_FREE", 1)

    first, second = ask("pkg:github/acme-org/other@1"), ask(f"{ON_DEMAND}@1.0.0")

    assert remarks(first) == [("pkg:github/acme-org/other", "being_looked_up")]
    assert remarks(second) == [(ON_DEMAND, "limit_reached")]
    assert "the Free plan's limit of 1 on-demand source" in second.json()["unknown"][0]["text"]
    assert (second.json()["total"], second.json()["deadlines"]) == (0, [])


def test_what_the_catalog_gets_takes_the_place_of_a_source_on_demand(ask, database, read_releases):
    ask(f"{ON_DEMAND}@1.0.0")
    read_releases()
    address = "https://github.com/acme-org/gadget/releases"
    row = catalog_row("acme.gadget", changelog_url=address)
    with database.write() as session:
        save_sources(session, [row])

    found = ask(f"{ON_DEMAND}@1.0.0").json()

    (covered,) = found.get("parts") or found["selected"]
    assert covered["sources"] == ["acme.gadget"]


@pytest.mark.parametrize(
    ("days", "saved", "kept"),
    [(29, "nobody", 1), (31, "nobody", 0), (31, "bob@acme.example", 0), (31, "the user", 1)],
)
def test_a_source_on_demand_stays_while_a_request_or_a_stack_uses_it(
    ask, database, read_releases, now, days, saved, kept
):
    ask(f"{ON_DEMAND}@1.0.0")
    read_releases()
    with database.write() as session:
        owner = session.scalars(select(Account.id)).one()
        if "@" in saved:
            owner = add_account(session, saved, now=now).id
        if saved != "nobody":
            save_parts(session, owner, [SavedPart(ON_DEMAND, "1")])
        on_demand.drop_unused(session, now=now + timedelta(days=days))

    with database.read() as session:
        assert session.scalar(select(func.count()).where(Source.on_demand)) == kept
        assert session.scalar(select(func.count()).select_from(EntryRemoval)) == 0
