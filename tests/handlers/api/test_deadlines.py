"""GET /deadlines: the days by which readers have to act."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord

HOUR = timedelta(hours=1)
TODAY = date(2026, 11, 21)


def removal(days):
    day = TODAY + timedelta(days=days)
    return DeadlineRecord(DeadlineKind.REMOVAL, day, day, f"Removed on {day}.")


def days_of(response):
    return [item["days"] for item in response.json()["items"]]


def test_anybody_reads_the_sentence_the_days_and_the_entry(client, publish):
    stated = replace(removal(23), subject="Mail 1", versions="1", successor="Mail 2")
    publish("acme.mail", deadlines=(stated,), a=HOUR)

    (item,) = client.get("/api/v1/deadlines").json()["items"]

    entry, set_by = item.pop("entry"), item.pop("set_by")
    assert item == {
        "kind": "removal",
        "from": "2026-12-14",
        "to": "2026-12-14",
        "days": 23,
        "text": "Removed on 2026-12-14.",
        "subject": "Mail 1",
        "versions": "1",
        "successor": "Mail 2",
        "replaced": [],
    }
    assert set_by == {name: entry[name] for name in ("id", "title", "published_at")}
    assert (entry["source"], entry["title"]) == ("acme.mail", "a")
    assert "raw" not in entry


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("", [-30, -1, 0, 5, 90]),
        ("from=2026-11-21", [0, 5, 90]),
        ("from=2020-01-01", [-400, -31, -30, -1, 0, 5, 90]),
        ("from=2026-11-22&to=2026-11-26", [5]),
        ("from=2026-12-01&to=2026-11-01", []),
        ("from=2026-11-21&q=a", [0, 5, 90]),
        ("q=b", []),
        ('to=2026-11-21&q=-"a b"', [-30, -1, 0]),
    ],
)
def test_it_begins_30_days_ago_unless_other_days_are_asked_for(client, publish, query, days):
    publish("acme.mail", deadlines=tuple(map(removal, (-1, 0, 90, 5, -30, -31, -400))), a=HOUR)

    response = client.get(f"/api/v1/deadlines?{query}")

    assert (days_of(response), response.json()["total"]) == (days, len(days))
    assert client.get(f"/api/v1/deadlines?{query}&offset=7").json()["total"] == len(days)


def test_a_date_that_moved_names_the_days_before_and_the_entry_that_set_it(client, publish):
    texts = "The Foo API will be retired on {}.", "The retirement of the Foo API was moved to {}."
    stated = ("first", 48 * HOUR, 10, texts[0]), ("later", HOUR, 40, texts[1])
    for title, age, days, text in stated:
        day = TODAY + timedelta(days=days)
        record = DeadlineRecord(DeadlineKind.END_OF_LIFE, day, day, text.format(day))
        publish("acme.mail", deadlines=(record,), **{title: age})

    (item,) = client.get("/api/v1/deadlines").json()["items"]

    assert (item["days"], item["entry"]["title"], item["set_by"]["title"]) == (40, "later", "first")
    assert item["replaced"] == [{"from": "2026-12-01", "to": "2026-12-01"}]


def test_a_new_deadline_is_there_at_once(client, publish):
    publish("acme.mail", deadlines=(removal(5),), a=HOUR)
    etag = client.get("/api/v1/deadlines").headers["ETag"]
    publish("acme.mail", deadlines=(removal(7),), b=HOUR)

    response = client.get("/api/v1/deadlines", headers={"If-None-Match": etag})

    assert days_of(response) == [5, 7]
