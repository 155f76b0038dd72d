"""GET /sources and POST /sources/request (specification 4.1, 4.3)."""

from datetime import timedelta
from unicodedata import normalize

import pytest
from sqlalchemy import delete, select

from handlers.http.refusals import RateLimited
from openapi.vocabulary import Plan
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources
from storage.models import Account, ApiKey, Base, Source
from storage.people.keys import select_sources

SAMPLE_FIELDS = {"slug", "vendor", "name", "kind", "homepage", "lastUpdatedAt", "health"}


def test_without_a_key_a_sample_of_five_sources_of_distinct_vendors_is_shown(client):
    body = client.get("/api/v1/sources").json()

    assert (body["sample"], body["total"], body["limit"], body["offset"]) == (True, 18, 5, 0)
    assert len({item["vendor"] for item in body["items"]}) == 5


def test_a_sample_item_has_the_seven_basic_fields_and_no_more(client):
    assert all(
        item.keys() == SAMPLE_FIELDS for item in client.get("/api/v1/sources").json()["items"]
    )


def test_the_sample_is_the_same_from_call_to_call(client):
    assert client.get("/api/v1/sources").json() == client.get("/api/v1/sources?limit=9&q=x").json()


def test_with_a_key_the_whole_catalog_comes_by_slug(client, new_key, catalog):
    body = client.get("/api/v1/sources?limit=4&offset=2", headers=new_key()).json()

    assert [item["slug"] for item in body["items"]] == sorted(catalog)[2:6]
    assert (body["total"], body["limit"], body["offset"]) == (18, 4, 2)


def test_a_source_has_its_packages_as_soon_as_they_are_known(client, new_key, database):
    def purls(response):
        return {item["slug"]: item["purls"] for item in response.json()["items"]}

    headers = new_key()
    first = client.get("/api/v1/sources?vendor=acme", headers=headers)
    with database.write() as session:
        save_packages(session, [SeenPackage("acme.mail", "pkg:npm/%40acme/mail", "package.json")])
    headers["If-None-Match"] = first.headers["ETag"]
    second = client.get("/api/v1/sources?vendor=acme", headers=headers)

    assert set(map(tuple, purls(first).values())) == {()}
    assert purls(second)["acme.mail"] == ["pkg:npm/%40acme/mail"]


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("vendor=acme", ["acme.compute", "acme.mail", "acme.storage"]),
        ("q=ACME+M", ["acme.mail"]),
        ("q=%25", []),
        ("q=_", []),
        ("adapterType=html", []),
        ("kind=blog", []),
        ("kind=nonsense", []),
        ("vendor=acme&q=mail&adapterType=rss&kind=changelog", ["acme.mail"]),
    ],
)
def test_the_filters_narrow_the_catalog(client, new_key, query, slugs):
    body = client.get(f"/api/v1/sources?{query}", headers=new_key()).json()

    assert [item["slug"] for item in body["items"]] == slugs
    assert body["total"] == len(slugs)


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
@pytest.mark.parametrize("q", ["CAFÉ", "fé", "ῇ", "한국", "straße", "STRASSE"])
def test_a_search_finds_letters_however_they_are_composed(
    client, new_key, database, row, stored, asked, q
):
    name = normalize(stored, "Café ῇ 한국 Straße")
    with database.write() as session:
        save_sources(session, [row("acme.cafe", name=name)])

    response = client.get("/api/v1/sources", params={"q": normalize(asked, q)}, headers=new_key())

    assert [item["slug"] for item in response.json()["items"]] == ["acme.cafe"]


def test_selected_shows_the_sources_of_the_key(client, new_key):
    key = new_key(Plan.FREE, sources=["acme.mail", "hooli.mail"])

    body = client.get("/api/v1/sources?selected=1", headers=key).json()

    assert [item["slug"] for item in body["items"]] == ["acme.mail", "hooli.mail"]


def test_a_key_without_a_selection_has_no_selected_sources(client, new_key):
    body = client.get("/api/v1/sources?selected=1", headers=new_key(Plan.STARTER)).json()

    assert (body["total"], body["items"]) == (0, [])


def test_after_a_downgrade_nothing_can_be_used_until_the_selection_fits(
    client, database, new_key, catalog, now
):
    key = new_key(Plan.STARTER, sources=catalog[:4])
    address = "/api/v1/sources?selected=1"
    before = client.get(address, headers=key)
    with database.write() as session:
        session.query(Account).update({"plan": Plan.FREE})
    downgraded = client.get(address, headers=key | {"If-None-Match": before.headers["ETag"]})
    entries = client.get(f"/api/v1/entries?sources={catalog[0]}", headers=key)
    with database.write() as session:
        kept = session.query(ApiKey).one()
        select_sources(session, kept, ids_of(session, catalog[:3]).values(), now=now)
    after = client.get(address, headers=key)

    assert before.json()["total"] == 4
    assert (downgraded.status_code, downgraded.json()["items"]) == (200, [])
    assert entries.json()["code"] == "plan_limit_exceeded"
    assert [item["slug"] for item in after.json()["items"]] == sorted(catalog[:3])


def test_an_empty_catalog_has_an_empty_sample(client, database):
    with database.write() as session:
        session.execute(delete(Source))

    body = client.get("/api/v1/sources").json()

    assert (body["total"], body["items"]) == (0, [])


def test_selected_on_the_all_plan_means_the_whole_catalog(client, new_key):
    assert client.get("/api/v1/sources?selected=1", headers=new_key()).json()["total"] == 18


def test_last_updated_is_the_newest_entry_that_is_not_in_the_future(client, new_key, publish):
    publish("acme.mail", old=timedelta(days=2), new=timedelta(days=1), ahead=-timedelta(days=1))

    (item,) = client.get("/api/v1/sources?q=acme+mail", headers=new_key()).json()["items"]

    assert item["lastUpdatedAt"] == "2026-11-20T12:00:00Z"


def test_no_answer_holds_a_feed_address(client, new_key):
    everything = client.get("/api/v1/sources?limit=100", headers=new_key()).text

    assert "feeds." not in everything
    assert "secret" not in everything


def test_a_request_is_answered_with_its_record(client):
    response = client.post("/api/v1/sources/request", json={"url": "https://acme.example/log"})

    assert response.status_code == 201
    assert response.json()["status"] == "pending"
    assert response.json()["url"] == "https://acme.example/log"
    assert "Only the URL and the optional note are stored" in response.json()["message"]


def test_a_scheme_in_upper_case_is_the_same_scheme(client):
    response = client.post("/api/v1/sources/request", json={"url": "HTTPS://Acme.example/Log"})

    assert (response.status_code, response.json()["url"]) == (201, "https://Acme.example/Log")


def test_the_same_address_gives_the_same_record_while_it_is_pending(client):
    first = client.post("/api/v1/sources/request", json={"url": "https://acme.example/log"})
    again = client.post("/api/v1/sources/request", json={"url": "https://Acme.Example:443/log/#x"})

    assert again.json()["id"] == first.json()["id"]


def test_name_vendor_and_email_are_stored_nowhere(client, database):
    client.post(
        "/api/v1/sources/request",
        json={
            "url": "https://acme.example/log",
            "note": "kept-note",
            "name": "dropped-name",
            "vendor": "dropped-vendor",
            "email": "dropped@acme.example",
        },
    )

    with database.engine.connect() as connection:
        tables = [connection.execute(select(table)).all() for table in Base.metadata.sorted_tables]
    everything = str(tables)
    assert "kept-note" in everything
    assert "dropped" not in everything


@pytest.mark.parametrize("url", ["https://acme.example:99999/", "https://ada:secret@acme.example/"])
def test_no_address_with_an_impossible_port_or_a_password_is_stored(client, url):
    response = client.post("/api/v1/sources/request", json={"url": url})

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert "secret" not in response.text


def test_the_sixth_request_in_a_minute_is_refused_and_says_when_to_come_back(client):
    answers = [
        client.post("/api/v1/sources/request", json={"url": f"https://acme.example/{number}"})
        for number in range(6)
    ]

    assert [answer.status_code for answer in answers] == [201] * 5 + [429]
    assert answers[5].json()["code"] == "rate_limited"
    assert answers[5].headers["Retry-After"] == "60"
    assert answers[0].headers["RateLimit"] == '"minute";r=4;t=60, "day";r=19;t=86400'


def test_requests_that_the_contract_refuses_are_counted_too(client):
    answers = [client.post("/api/v1/sources/request", content=b"{") for _ in range(6)]

    assert [answer.status_code for answer in answers] == [400] * 5 + [429]


@pytest.mark.parametrize(("wait", "said"), [(60, "60 seconds"), (1, "1 second")])
def test_a_refusal_says_when_to_try_again(wait, said):
    assert RateLimited(timedelta(seconds=wait), {}).hint == f"Try again in {said}."
