"""GET /entries (specification 4.2)."""

from datetime import timedelta

import pytest

from openapi.vocabulary import Plan

HOUR = timedelta(hours=1)
SELECT = "Follow sources at /app/sources; you can change a source after 24 hours."


def titles(answer):
    return [item["title"] for item in answer.json()["items"]]


def test_slugs_count_once_the_future_is_there_and_since_is_strictly_after(client, new_key, publish):
    publish("acme.mail", a=HOUR, ahead=-24 * HOUR)
    key = new_key(Plan.FREE, sources=["acme.mail"])
    address = "/api/v1/entries?sources=acme.mail,acme.mail,acme.mail&since=2026-11-21T"

    for since, expected in (("10:59:59Z", ["ahead", "a"]), ("12:00:00%2B01:00", ["ahead"])):
        response = client.get(address + since, headers=key)
        assert (response.status_code, titles(response)) == (200, expected)


@pytest.mark.parametrize(
    ("sources", "message", "hints"),
    [
        ("acme.mial", "The catalog has no source acme.mial.", ["Did you mean acme.mail"]),
        ("acme.storage", "The source acme.storage is not available to this key.", [SELECT]),
        (
            "acme.storage,acme.mial",
            "The catalog has no source acme.mial. "
            "The source acme.storage is not available to this key.",
            ["Did you mean acme.mail", SELECT],
        ),
    ],
)
def test_what_is_not_selected_and_what_does_not_exist_are_told_apart(
    client, new_key, sources, message, hints
):
    key = new_key(Plan.FREE, sources=["acme.mail"])

    error = client.get(f"/api/v1/entries?sources={sources}", headers=key).json()

    assert (error["code"], error["message"]) == ("source_not_selected", message)
    assert error["hint"].startswith(hints[0])
    assert error["hint"].endswith(SELECT) is (SELECT in hints)


def test_entries_are_found_by_the_whole_identifier_of_a_hole_that_they_name(
    client, new_key, publish
):
    publish("acme.mail", told="Fixes cve-2026-1234 and GHSA-2XFW-7gjp-vc9h. ", fixed=HOUR)
    publish("acme.mail", told="Closes CVE-2026-12345. ", closed=HOUR)
    publish("acme.mail", told="Says CVE-2026-1234-like, no identifier. ", other=HOUR)
    address = "/api/v1/entries?sources=acme.mail&cve="

    (found,) = client.get(f"{address}CVE-2026-1234", headers=new_key()).json()["items"]

    assert found["cves"] == ["CVE-2026-1234", "GHSA-2xfw-7gjp-vc9h"]
    assert titles(client.get(f"{address}CVE-2026-12345", headers=new_key())) == ["closed"]
    assert client.get(f"{address}1234", headers=new_key()).status_code == 400
