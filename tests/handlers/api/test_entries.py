"""GET /entries (specification 4.2)."""

from datetime import timedelta

import pytest

from openapi.vocabulary import Plan, Scope

HOUR = timedelta(hours=1)
SELECT = (
    "Select sources for the key at /app/api-keys; a slot that was used is free again after a day."
)


def titles(answer):
    return [item["title"] for item in answer.json()["items"]]


def test_entries_of_several_sources_come_newest_first(client, new_key, publish):
    publish("acme.mail", c=3 * HOUR, a=1 * HOUR)
    publish("hooli.mail", b=2 * HOUR)

    response = client.get("/api/v1/entries?sources=acme.mail,hooli.mail", headers=new_key())

    assert titles(response) == ["a", "b", "c"]
    assert response.json()["plan"] == "all"
    assert response.json()["total"] == 3


def test_pages_do_not_overlap_where_times_are_equal(client, new_key, publish):
    publish("acme.mail", **{f"e{number}": HOUR for number in range(9)})
    publish("hooli.mail", **{f"e{number}": HOUR for number in range(9)})
    key, address = new_key(), "/api/v1/entries?sources=acme.mail,hooli.mail&limit=5&offset="

    pages = [
        client.get(address + str(offset), headers=key).json()["items"] for offset in range(0, 20, 5)
    ]

    ids = [item["id"] for page in pages for item in page]
    assert len(ids) == len(set(ids)) == 18
    assert ids == sorted(ids, reverse=True)


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2026-11-21T10:00:00Z", ["a"]),
        ("2026-11-21T09:59:59Z", ["a", "b"]),
        ("2026-11-21T11:00:00%2B01:00", ["a"]),
        ("2026-11-21T11:30:00Z", []),
    ],
)
def test_since_is_strictly_after(client, new_key, publish, since, expected):
    publish("acme.mail", a=1 * HOUR, b=2 * HOUR)

    response = client.get(f"/api/v1/entries?sources=acme.mail&since={since}", headers=new_key())

    assert titles(response) == expected
    assert response.json()["total"] == len(expected)


def test_a_plus_that_arrived_as_a_space_is_told_how_to_be_sent(client, new_key):
    response = client.get(
        "/api/v1/entries?sources=acme.mail&since=2026-11-21T10:00:00+01:00", headers=new_key()
    )

    assert response.status_code == 400
    assert "%2B" in response.json()["hint"]


def test_entries_of_the_future_are_returned_to_who_asked_for_the_source(client, new_key, publish):
    publish("acme.mail", ahead=-24 * HOUR)

    assert titles(client.get("/api/v1/entries?sources=acme.mail", headers=new_key())) == ["ahead"]


def test_repeated_slugs_count_once(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    key = new_key(Plan.FREE, sources=["acme.mail"])

    response = client.get(
        "/api/v1/entries?sources=acme.mail,acme.mail,acme.mail,acme.mail", headers=key
    )

    assert (response.status_code, titles(response)) == (200, ["a"])


@pytest.mark.parametrize(
    ("sources", "status", "code"),
    [
        ("acme.mail", 200, None),
        ("acme.storage", 403, "source_not_selected"),
        ("acme.mail,acme.storage", 403, "source_not_selected"),
        ("acme.nonsense", 403, "source_not_selected"),
        ("acme.mail,acme.storage,acme.compute,hooli.mail", 403, "plan_limit_exceeded"),
    ],
)
def test_a_free_key_reads_what_is_selected_for_it(client, new_key, sources, status, code):
    key = new_key(Plan.FREE, sources=["acme.mail"])

    response = client.get(f"/api/v1/entries?sources={sources}", headers=key)

    assert (response.status_code, response.json().get("code")) == (status, code)


def test_a_wrong_slug_is_named_and_near_ones_are_offered(client, new_key):
    error = client.get("/api/v1/entries?sources=acme.mial", headers=new_key()).json()

    assert error["code"] == "source_not_selected"
    assert error["message"] == "The catalog has no source acme.mial."
    assert "Did you mean acme.mail" in error["hint"]
    assert "Select" not in error["hint"]


def test_what_is_not_selected_and_what_does_not_exist_are_told_apart(client, new_key):
    key = new_key(Plan.FREE, sources=["acme.mail"])

    real = client.get("/api/v1/entries?sources=acme.storage", headers=key).json()
    both = client.get("/api/v1/entries?sources=acme.storage,acme.mial", headers=key).json()

    assert real["message"] == "The source acme.storage is not selected for this key."
    assert real["hint"] == SELECT
    assert both["message"] == (
        "The catalog has no source acme.mial. The source acme.storage is not selected for this key."
    )
    assert "Did you mean acme.mail" in both["hint"]
    assert both["hint"].endswith(SELECT)


def test_a_key_without_the_scope_is_refused(client, new_key):
    key = new_key(scopes=[Scope.READ_DIFFS])

    error = client.get("/api/v1/entries?sources=acme.mail", headers=key)

    assert (error.status_code, error.json()["code"]) == (403, "insufficient_scope")
