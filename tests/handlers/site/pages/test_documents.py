"""What programs read: readiness, the catalog of APIs (RFC 9727), the sitemap."""

import json
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from full_disk import full_disk

from handlers.context import Offer
from storage.engine.database import on_postgresql


def test_a_server_is_ready_when_its_database_is(browser):
    answer = browser.get("/readyz")

    assert (answer.status_code, answer.text) == (200, "ready\n")
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_server_whose_disk_is_full_says_so(browser, database, clock):
    if on_postgresql(database.engine):
        pytest.skip("the server of PostgreSQL has limits of its own")
    browser.get("/readyz")
    clock.forward(seconds=10)

    with full_disk():
        answer = browser.get("/readyz")

    assert (answer.status_code, answer.text) == (503, "not ready: writes fail\n")


PATH = "/.well-known/api-catalog"
SITE = "https://changewire.example"


def test_a_contact_for_vulnerabilities_is_named_where_there_is_one(browser, pages_with):
    path = "/.well-known/security.txt"
    other = pages_with(offer=Offer(documents={"contact": "# Contact"}))

    assert browser.get(path).status_code == 404
    assert other.get(path).text == (
        f"Contact: {SITE}/contact\nExpires: 2027-05-20T00:00:00Z\nPreferred-Languages: en\n"
    )


def test_the_catalog_is_a_linkset_of_which_everything_is_there(browser):
    response = browser.get(PATH)

    assert response.headers["Content-Type"] == (
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
    )
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    named = [
        (target["href"], target["type"])
        for relation, targets in json.loads(response.data)["linkset"][1].items()
        if relation != "anchor"
        for target in targets
    ]

    assert len(named) == 5
    for address, media_type in named:
        response = browser.get(address.removeprefix(SITE))
        assert (response.status_code, response.mimetype) == (200, media_type), address


NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def addresses(browser):
    """Return the paths in the sitemap."""
    root = ElementTree.fromstring(browser.get("/sitemap.xml").data)
    found = [element.text for element in root.iter(f"{NAMESPACE}loc")]
    return [address.removeprefix("https://changewire.example") for address in found]


def test_the_sitemap_has_the_sample_and_its_entries_only(browser, publish):
    sample = [path for path in addresses(browser) if path.startswith("/sources/")]
    publish(sample[0].rpartition("/")[2], inside=timedelta(hours=1))
    outside = "hooli.mail" if "/sources/hooli.mail" not in sample else "acme.console"
    assert f"/sources/{outside}" not in sample
    publish(outside, outside=timedelta(hours=1))

    entries = [path for path in addresses(browser) if path.startswith("/e/")]

    robots = browser.get("/robots.txt").text
    assert "Sitemap: https://changewire.example/sitemap.xml" in robots
    assert "Disallow: /app/" in robots
    assert len(sample) == 5
    assert [path.split("/")[2] for path in entries] == [sample[0].rpartition("/")[2]]


def test_every_address_of_it_is_a_page(browser, publish):
    slug = next(path for path in addresses(browser) if path.startswith("/sources/"))
    publish(slug.rpartition("/")[2], **{"a/b&<c>": timedelta(hours=1)})

    answers = {path: browser.get(path).status_code for path in addresses(browser)}

    assert set(answers.values()) == {200}
