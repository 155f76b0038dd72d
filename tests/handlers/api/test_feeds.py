"""GET /latest and /important (specification 4.5, 4.6; docs/decisions/0006)."""

import json
from datetime import timedelta

import orjson
import pytest

from openapi.validation import component_violations

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
WHY = {
    "categories": ["breaking"],
    "evidence": [
        {"category": "breaking", "field": "title", "text": "removed", "start": 0, "end": 7}
    ],
    "deadlines": [
        {
            "kind": "removal",
            "from": "2027-03-01",
            "to": "2027-03-01",
            "evidence": {"field": "title", "text": "on 1 March 2027", "start": 8, "end": 23},
        }
    ],
}
IMPORTANT = orjson.dumps(WHY)


def titles(answer):
    return [item["title"] for item in answer.json()["items"]]


def test_the_latest_entries_of_all_sources_come_newest_first(client, publish):
    publish("acme.mail", c=3 * HOUR, a=1 * HOUR)
    publish("hooli.mail", b=2 * HOUR)

    response = client.get("/api/v1/latest")

    assert titles(response) == ["a", "b", "c"]
    assert {**response.json(), "items": []} == {"total": 3, "limit": 50, "offset": 0, "items": []}


def test_public_entries_are_short_and_without_raw(client, publish):
    publish("acme.mail", a=HOUR)

    (item,) = client.get("/api/v1/latest").json()["items"]

    assert len(item["summary"]) <= 500
    fields = {"id", "source", "vendor", "published_at", "title", "url", "summary", "tags"}
    assert item.keys() == fields | {"headline", "version", "prerelease"}


@pytest.mark.parametrize(
    ("ahead", "shown"),
    [(9 * MINUTE, True), (10 * MINUTE, True), (11 * MINUTE, False), (400 * 24 * HOUR, False)],
)
@pytest.mark.parametrize("path", ["/api/v1/latest", "/api/v1/important"])
def test_entries_more_than_ten_minutes_ahead_are_left_out_and_not_counted(
    client, publish, path, ahead, shown
):
    publish("acme.mail", important=IMPORTANT, now=HOUR, ahead=-ahead)

    response = client.get(path)

    assert titles(response) == (["ahead", "now"] if shown else ["now"])
    assert response.json()["total"] == len(titles(response))


def test_entries_of_the_future_are_shown_to_who_asks_for_them(client, publish):
    publish("acme.mail", now=HOUR, ahead=-24 * HOUR)

    response = client.get("/api/v1/latest?future=1")

    assert titles(response) == ["ahead", "now"]
    assert response.json()["total"] == 2


@pytest.mark.parametrize(
    "query", ["/important?future=1", "/latest?future=0", "/latest?limit=101", "/latest?offset=-1"]
)
def test_what_the_contract_does_not_take_is_refused(client, query):
    response = client.get(f"/api/v1{query}")

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")


def test_important_entries_say_why_in_the_vendors_words(client, publish):
    publish("acme.mail", plain=HOUR)
    publish("acme.mail", important=IMPORTANT, removed=2 * HOUR)

    response = client.get("/api/v1/important")

    assert titles(response) == ["removed"]
    assert response.json()["items"][0]["importance"] == WHY
    assert component_violations("ImportantEntryPage", json.loads(response.text)) == ()


def test_the_latest_entries_do_not_say_what_is_important(client, publish):
    publish("acme.mail", important=IMPORTANT, removed=2 * HOUR)

    assert "importance" not in client.get("/api/v1/latest").json()["items"][0]


@pytest.mark.parametrize("path", ["/api/v1/latest", "/api/v1/important"])
def test_pages_together_are_everything_once(client, publish, path):
    for slug in ("acme.mail", "hooli.mail", "wonka.mail"):
        publish(slug, important=IMPORTANT, **{f"e{number}": HOUR for number in range(6)})

    pages = [client.get(f"{path}?limit=5&offset={offset}").json() for offset in range(0, 25, 5)]

    ids = [(item["source"], item["id"]) for page in pages for item in page["items"]]
    assert len(ids) == len(set(ids)) == 18
    assert {page["total"] for page in pages} == {18}
    assert pages[-1]["items"] == []


@pytest.mark.parametrize("path", ["/api/v1/latest", "/api/v1/important"])
def test_an_empty_service_has_empty_feeds(client, path):
    assert client.get(path).json() == {"total": 0, "limit": 50, "offset": 0, "items": []}
