"""Lists of one's own sources, and what a key or session may do (docs/decisions/0114)."""

from datetime import date, timedelta

import pytest
from filling import important
from sqlalchemy import update

from openapi.vocabulary import DeadlineKind, Health, Plan, Scope
from storage.entries.deadline_history import DeadlineRecord
from storage.models import FetchFacts

HOUR = timedelta(hours=1)
BREAKING = important("breaking", text="removed", deadlines=[])
LISTS = ("latest", "important", "deadlines")
UNAUTHORIZED = "sources and following need an API key or a session."


@pytest.fixture
def published(publish):
    """An important entry with a deadline of three sources."""
    day = date(2026, 12, 14)
    for slug in ("acme.mail", "hooli.mail", "wonka.mail"):
        stated = (DeadlineRecord(DeadlineKind.REMOVAL, day, day, "Removed."),)
        publish(slug, important=BREAKING, deadlines=stated, removed=HOUR)


def sources(client, path, headers):
    response = client.get(f"/api/v1/{path}", headers=headers)
    assert response.status_code == 200, response.text
    items = response.json()["items"]
    return {item.get("entry", item)["source"] for item in items}


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("query", ["following=1", "sources=acme.mail"])
def test_nobody_narrows_a_public_list_to_sources_without_a_key(client, path, query):
    response = client.get(f"/api/v1/{path}?{query}")

    assert (response.status_code, response.json()["message"]) == (401, UNAUTHORIZED)


@pytest.mark.parametrize(
    ("query", "plan", "selected", "found"),
    [
        ("", Plan.FREE, ["acme.mail"], {"acme.mail", "hooli.mail", "wonka.mail"}),
        ("sources=hooli.mail,acme.none", Plan.FREE, ["acme.mail"], {"hooli.mail"}),
        ("following=1", Plan.FREE, ["acme.mail"], {"acme.mail"}),
        ("following=1", Plan.FREE, [], set()),
        ("following=1", Plan.ALL, ["acme.mail"], {"acme.mail"}),
        ("following=1", Plan.ALL, [], {"acme.mail", "hooli.mail", "wonka.mail"}),
        ("following=1&sources=hooli.mail", Plan.ALL, ["acme.mail"], set()),
        ("following=1&vendor=acme", Plan.FREE, ["acme.mail", "hooli.mail"], {"acme.mail"}),
    ],
)
@pytest.mark.parametrize("path", LISTS)
def test_a_key_narrows_a_public_list(
    client, new_key, published, path, query, plan, selected, found
):
    key = new_key(plan, sources=selected)

    assert sources(client, f"{path}?{query}", key) == found


def test_a_downgraded_account_follows_nothing(client, new_key, published, downgrade):
    slugs = ["acme.mail", "acme.compute", "acme.storage", "hooli.mail"]
    key = new_key(Plan.STARTER, sources=slugs)
    downgrade()

    assert sources(client, "latest?following=1", key) == set()
    assert client.get("/api/v1/me", headers=key).json()["sources"] == []


def test_changes_of_the_whole_catalog_are_narrowed_to_what_is_followed(client, new_key, published):
    key = new_key(Plan.ALL, sources=["acme.mail", "hooli.mail"])

    assert sources(client, "changes?following=1", key) == {"acme.mail", "hooli.mail"}
    assert sources(client, "changes?following=1&sources=hooli.mail,wonka.mail", key) == {
        "hooli.mail"
    }
    assert sources(client, "changes?following=1", new_key(Plan.ALL)) == {
        "acme.mail",
        "hooli.mail",
        "wonka.mail",
    }


def test_sources_are_found_by_the_health_that_they_are_served_with(client, database, new_key, now):
    with database.write() as session:
        session.execute(update(FetchFacts).values(fail_score=4, first_attempt_at=now))
    key = new_key()
    every = client.get("/api/v1/sources?limit=100", headers=key).json()["items"]
    by_health = {
        health: [it["slug"] for it in every if it["health"] == health] for health in Health
    }

    assert any(by_health.values())
    for health, slugs in by_health.items():
        page = client.get(f"/api/v1/sources?health={health}&limit=5", headers=key).json()
        assert (page["total"], [it["slug"] for it in page["items"]]) == (len(slugs), slugs[:5])


@pytest.mark.parametrize(
    ("plan", "selected", "expected"),
    [
        (
            Plan.FREE,
            ["hooli.mail", "acme.mail"],
            {"sources": ["acme.mail", "hooli.mail"], "slots": 3, "slotsUsed": 2, "diffs": False},
        ),
        (Plan.ALL, [], {"sources": None, "slots": None, "slotsUsed": 0, "diffs": True}),
    ],
)
def test_a_key_is_told_what_it_may_do(client, new_key, now, plan, selected, expected):
    scopes = [Scope.MANAGE_WEBHOOKS, Scope.READ_ENTRIES]
    key = new_key(
        plan, sources=selected, scopes=scopes, diffs_addon=True, expires_at=now + timedelta(days=9)
    )

    assert client.get("/api/v1/me", headers=key).json() == {
        "plan": plan.value,
        "scopes": ["read:entries", "manage:webhooks"],
        "expiresAt": (now + timedelta(days=9)).isoformat().replace("+00:00", "Z"),
        **expected,
    }


def test_what_sources_can_be_narrowed_by_finds_as_many_as_it_says(client, new_key):
    key = new_key()
    facets = client.get("/api/v1/facets", headers=key).json()

    for facet, parameter in (("vendors", "vendor"), ("kinds", "kind")):
        assert facets[facet]
        for value, count in (each.values() for each in facets[facet]):
            page = client.get(f"/api/v1/sources?{parameter}={value}", headers=key).json()
            assert page["total"] == count
    assert facets["tags"] == sorted(facets["tags"], key=lambda it: (-it["count"], it["value"]))
