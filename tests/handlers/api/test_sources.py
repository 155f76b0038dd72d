"""GET /sources and POST /sources/request (specification 4.1, 4.3)."""

from unicodedata import normalize

import pytest
from sqlalchemy import select

from openapi.vocabulary import Plan
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources
from storage.models import ApiKey, Base
from storage.people.follows import narrow_key, unfollow_sources


def test_without_a_key_a_sample_of_five_sources_of_distinct_vendors_is_shown(client):
    body = client.get("/api/v1/sources?limit=9&q=x").json()

    assert (body["sample"], body["total"], body["limit"], body["offset"]) == (True, 18, 5, 0)
    assert len({item["vendor"] for item in body["items"]}) == 5
    assert body == client.get("/api/v1/sources").json()


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
        ("q=ACME+M", ["acme.mail"]),
        ("q=%25", []),
        ("q=_", []),
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
@pytest.mark.parametrize("q", ["CAFÉ", "한국", "straße"])
def test_a_search_finds_letters_however_they_are_composed(
    client, new_key, database, row, stored, asked, q
):
    name = normalize(stored, "Café 한국 Straße")
    with database.write() as session:
        save_sources(session, [row("acme.cafe", name=name)])

    response = client.get("/api/v1/sources", params={"q": normalize(asked, q)}, headers=new_key())

    assert [item["slug"] for item in response.json()["items"]] == ["acme.cafe"]


@pytest.mark.parametrize(
    ("plan", "unfollowed", "reads"),
    [
        (Plan.FREE, False, {"acme.mail"}),
        (Plan.FREE, True, set()),
        (Plan.ALL, False, {"acme.mail"}),
        (Plan.ALL, True, {"acme.mail"}),
    ],
)
def test_a_narrowed_key_reads_its_own_sources_that_its_plan_covers(
    client, database, new_key, now, plan, unfollowed, reads
):
    key = new_key(plan, sources=["acme.cafe"])
    with database.write() as session:
        row = session.query(ApiKey).one()
        narrow_key(session, row, ids_of(session, ["acme.mail"]).values(), now=now)
        if unfollowed:
            mail = ids_of(session, ["acme.mail"]).values()
            unfollow_sources(session, row.account_id, mail)

    selected = client.get("/api/v1/sources?selected=1", headers=key).json()
    answers = {
        slug: client.get(f"/api/v1/entries?sources={slug}", headers=key).status_code
        for slug in ("acme.cafe", "acme.mail")
    }

    assert {item["slug"] for item in selected["items"]} == reads
    assert {slug for slug, status in answers.items() if status == 200} == reads


def test_after_a_downgrade_nothing_can_be_used_until_its_follows_fit(
    client, database, new_key, catalog, downgrade
):
    key = new_key(Plan.STARTER, sources=catalog[:4])
    address = "/api/v1/sources?selected=1"
    before = client.get(address, headers=key)
    downgrade()
    downgraded = client.get(address, headers=key | {"If-None-Match": before.headers["ETag"]})
    with database.write() as session:
        account_id = session.query(ApiKey).one().account_id
        unfollow_sources(session, account_id, ids_of(session, catalog[3:4]).values())
    after = client.get(address, headers=key)

    assert before.json()["total"] == 4
    assert (downgraded.status_code, downgraded.json()["items"]) == (200, [])
    assert [item["slug"] for item in after.json()["items"]] == sorted(catalog[:3])


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


def test_the_sixth_request_in_a_minute_is_refused_and_says_when_to_come_back(client):
    bodies = [b"{", *(b'{"url": "https://acme.example/%d"}' % number for number in range(5))]

    answers = [client.post("/api/v1/sources/request", content=body) for body in bodies]

    assert [answer.status_code for answer in answers] == [400] + [201] * 4 + [429]
    assert answers[5].json()["code"] == "rate_limited"
    assert answers[5].headers["Retry-After"] == "60"
    assert answers[1].headers["RateLimit"] == '"minute";r=3;t=60, "day";r=18;t=86400'
