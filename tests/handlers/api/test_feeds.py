"""GET /latest and /important (specification 4.5, 4.6; docs/decisions/0006)."""

from datetime import timedelta

import pytest
from filling import important

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
DEADLINE = {
    "kind": "removal",
    "from": "2027-03-01",
    "to": "2027-03-01",
    "evidence": {"field": "title", "text": "on 1 March 2027", "start": 8, "end": 23},
}
BREAKING = important("breaking", text="removed", deadlines=[DEADLINE])


def titles(answer):
    return [item["title"] for item in answer.json()["items"]]


@pytest.mark.parametrize(("ahead", "shown"), [(10 * MINUTE, True), (11 * MINUTE, False)])
@pytest.mark.parametrize("path", ["/api/v1/latest", "/api/v1/important"])
def test_entries_more_than_ten_minutes_ahead_are_left_out_and_not_counted(
    client, publish, path, ahead, shown
):
    publish("acme.mail", important=BREAKING, now=HOUR, ahead=-ahead)

    response = client.get(path)

    assert titles(response) == (["ahead", "now"] if shown else ["now"])
    assert response.json()["total"] == len(titles(response))


def test_important_entries_say_why_in_the_vendors_words_and_the_latest_do_not(client, publish):
    publish("acme.mail", plain=HOUR)
    publish("acme.mail", important=BREAKING, removed=2 * HOUR)

    (item,) = client.get("/api/v1/important").json()["items"]
    latest = client.get("/api/v1/latest").json()["items"]

    assert item["importance"] == {
        "categories": ["breaking"],
        "evidence": [
            {"category": "breaking", "field": "title", "text": "removed", "start": 0, "end": 7}
        ],
        "deadlines": [DEADLINE],
    }
    fields = {"id", "source", "vendor", "published_at", "title", "url", "summary", "tags"}
    assert [each.keys() for each in latest] == [fields | {"headline", "version", "prerelease"}] * 2
    assert len(item["summary"]) <= 500
