"""Packages that the catalog does not know are looked up, and every door says the same of them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from filling import catalog_row
from sqlalchemy import select
from starlette.testclient import TestClient

from handlers import part_lookups
from handlers.api.application import create_api
from openapi.vocabulary import AdapterType, Plan
from package_versions.package_index import SeenRepository
from storage.catalog.package_lookups import save_answer
from storage.catalog.sources import save_sources
from storage.models import PackageLookup
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
        "seen_in": "npm acme-tool 1.1.0: github.com/acme/tool",
    }
    assert [item["version"] for item in found["items"]] == ["1.1.0"]
    assert "Retry-After" not in response.headers


@pytest.mark.parametrize(
    ("purl", "text"),
    [
        (PART, "The package index does not know it."),
        ("pkg:deb/debian/curl", "the package index knows only cargo, gem, golang, maven, npm"),
        ("pkg:npm/acme-tool?vcs_url=https://git.acme.example/x", "No source of the catalog"),
    ],
)
def test_a_package_without_a_repository_has_no_source_and_the_reason_is_told(
    ask, answer, purl, text
):
    ask(purl)
    answer(PART, "The package index does not know it.")

    response = ask(purl)

    assert [reason for _, reason in remarks(response)] == ["no_source"]
    assert text in response.json()["unknown"][0]["text"]


def test_an_account_has_so_many_names_looked_up_a_day(ask, wanted, monkeypatch):
    monkeypatch.setattr(part_lookups, "A_DAY", Limit(2, timedelta(days=1)))

    answers = [ask(f"pkg:npm/p{n}") for n in range(4)]

    assert len(wanted()) == 2
    assert all(("being_looked_up") in answer.text for answer in answers)


def test_nothing_is_looked_up_where_that_is_off(services, key, wanted):
    with TestClient(create_api(replace(services, looks_up=False))) as client:
        response = client.get("/api/v1/upgrades", params={"purl": PART}, headers=key)

    assert (remarks(response), wanted()) == ([(PART, "no_source")], [])
