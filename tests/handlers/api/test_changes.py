"""GET /changes: everything that was learned, exactly once (docs/following.md)."""

from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from handlers.api.changes import cursor_of
from openapi.vocabulary import Plan
from storage.catalog.sources import ids_of, save_sources
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries

HOUR = timedelta(hours=1)
ALL = "/api/v1/changes"
START = f"{ALL}?sources=acme.mail,hooli.mail"


@pytest.fixture
def edit(database, now):
    """Edit an entry as a vendor does: ``edit(slug, title, new title)``."""

    def edit(slug, title, new_title):
        with database.write() as session:
            source_id = ids_of(session, [slug])[slug]
            (stored,) = known_entries(session, source_id, ids=[f"{slug}/{title}"], urls=())
            text = EntryText(
                external_id=stored.external_id,
                source=slug,
                vendor=slug.partition(".")[0],
                published_at=stored.published_at,
                title=new_title,
                url=stored.url,
                summary=None,
                raw={},
                tags=["cloud"],
            )
            written = EntryRecord(text, f"{stored.revision:064}", None, 1)
            save_entries(session, source_id, new=[], edited=[Edit(stored, written)], now=now)

    return edit


def titles_of(page):
    return [item["entry"]["title"] for item in page["items"]]


def after(address, response):
    """Return the address with the cursor that a response names."""
    url = urlsplit(address)
    query = {**parse_qs(url.query), "after": [response.json()["next"]]}
    return f"{url.path}?{urlencode(query, doseq=True)}"


def following(client, key, address):
    """Read until nothing is new; return the titles of every page and where to go on."""
    pages = []
    while True:
        response = client.get(address, headers=key)
        assert response.status_code == 200, response.text
        address = after(address, response)
        if response.json()["more"]:
            link = urlsplit(response.links["next"]["url"]).query
            assert parse_qs(link)["after"] == [response.json()["next"]]
        else:
            assert "next" not in response.links
        if not response.json()["items"]:
            assert not response.json()["more"]
            return pages, address
        pages.append(titles_of(response.json()))


def test_what_is_published_late_is_not_missed(client, new_key, publish):
    key = new_key()
    publish("acme.mail", a=HOUR)
    _, place = following(client, key, START)

    publish("hooli.mail", back_dated=9000 * HOUR)

    assert following(client, key, place)[0] == [["back_dated"]]


def test_every_edit_comes_once_as_it_was(client, new_key, publish, edit):
    key = new_key()
    publish("acme.mail", a=HOUR, b=2 * HOUR)
    edit("acme.mail", "a", "a, edited")
    edit("acme.mail", "a", "a, edited again")

    pages, _ = following(client, key, START + "&limit=2")

    assert pages == [["b", "a"], ["a, edited", "a, edited again"]]
    items = client.get(START, headers=key).json()["items"]
    assert [item["change"] for item in items] == ["new", "new", "edited", "edited"]


def test_an_entry_edited_between_two_pages_is_on_both(client, new_key, publish, edit):
    key = new_key()
    publish("acme.mail", a=3 * HOUR, b=2 * HOUR, c=HOUR)
    first = client.get(START + "&limit=2", headers=key)
    edit("acme.mail", "b", "b, edited")

    rest, _ = following(client, key, after(START + "&limit=2", first))

    assert titles_of(first.json()) == ["a", "b"]
    assert rest == [["c", "b, edited"]]


@pytest.mark.parametrize("before", ["nothing", "an entry", "a removal"])
def test_now_is_the_place_after_everything(client, new_key, publish, remove, before):
    key = new_key()
    if before != "nothing":
        publish("acme.mail", a=HOUR)
    if before == "a removal":
        remove("acme.mail")

    response = client.get(f"{ALL}?after=now", headers=key)
    publish("hooli.mail", b=2 * HOUR)

    assert response.json()["items"] == []
    assert following(client, key, after(ALL, response))[0] == [["b"]]


@pytest.mark.parametrize(
    "cursor", ["soon", "", cursor_of(5)[1:], cursor_of(5) + "0", "8" + "0" * 15, "A" * 16]
)
def test_what_is_no_cursor_is_refused(client, new_key, cursor):
    response = client.get(f"{START}&after={cursor}", headers=new_key())

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert "after" in response.json()["message"]


def test_nothing_comes_after_a_cursor_that_was_never_given(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    ahead = cursor_of(2**63 - 1)

    response = client.get(f"{ALL}?after={ahead}&wait=25", headers=new_key())

    assert response.json() == {"items": [], "next": ahead, "more": False}


@pytest.mark.parametrize(
    ("plan", "titles"),
    [(Plan.ALL, ["a", "b", "c"]), (Plan.STARTER, ["a", "b"]), (Plan.FREE, ["a", "b"])],
)
def test_without_sources_it_gives_all_that_the_key_may_read(client, new_key, publish, plan, titles):
    publish("acme.mail", a=HOUR)
    publish("hooli.mail", b=HOUR)
    publish("globex.mail", c=HOUR)
    key = new_key(plan, sources=["acme.mail", "hooli.mail"])

    pages, _ = following(client, key, f"{ALL}?limit=1")

    assert pages == [[title] for title in titles]


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.ALL])
def test_a_source_taken_out_of_the_catalog_is_a_403_that_names_it(
    client, new_key, publish, remove, plan
):
    key = new_key(plan, sources=["acme.mail", "hooli.mail"])
    publish("acme.mail", a=HOUR)
    _, place = following(client, key, START)
    etag = client.get(place, headers=key).headers["etag"]

    remove("acme.mail")

    for headers in (key, {**key, "If-None-Match": etag}):
        response = client.get(place, headers=headers)
        assert response.status_code == 403
        assert response.json()["code"] == "source_not_selected"
        assert "acme.mail" in response.json()["message"]


def test_a_place_holds_for_the_others_when_a_source_is_taken_out(client, new_key, publish, remove):
    key = new_key(sources=["acme.mail", "hooli.mail"])
    publish("acme.mail", a=HOUR, b=2 * HOUR)
    publish("hooli.mail", c=HOUR)
    first = client.get(f"{START}&limit=1", headers=key)
    remove("acme.mail")

    place = after(START.replace("acme.mail,", "") + "&limit=1", first)

    assert following(client, key, place)[0] == [["c"]]


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.ALL])
def test_who_could_read_a_source_is_told_of_its_removal(client, new_key, publish, remove, plan):
    key = new_key(plan, sources=["acme.mail", "hooli.mail"])
    publish("acme.mail", a=HOUR, b=2 * HOUR)
    publish("hooli.mail", c=HOUR)
    _, place = following(client, key, ALL)

    remove("acme.mail")

    items = client.get(place, headers=key).json()["items"]
    assert [item["change"] for item in items] == ["removed", "removed"]
    assert titles_of({"items": items}) == ["b", "a"]
    assert items[0]["entry"].keys() == {"id", "source", "vendor", "published_at", "title", "tags"}


def test_a_removal_is_no_news_to_who_had_not_selected_the_source(client, new_key, publish, remove):
    key = new_key(Plan.FREE, sources=["hooli.mail"])
    publish("acme.mail", a=HOUR)

    remove("acme.mail")

    assert client.get(ALL, headers=key).json()["items"] == []


def test_a_source_that_comes_back_is_removed_and_then_new(
    client, new_key, publish, remove, database, row
):
    key = new_key()
    publish("acme.mail", a=HOUR)
    remove("acme.mail")
    with database.write() as session:
        save_sources(session, [row("acme.mail")])
    publish("acme.mail", a=HOUR)

    items = client.get(f"{ALL}?sources=acme.mail", headers=key).json()["items"]

    assert [item["change"] for item in items] == ["removed", "new"]
