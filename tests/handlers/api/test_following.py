"""GET /entries with follow: everything that was learned, exactly once (docs/following.md)."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from handlers.api.cursor import cursor_of
from openapi.vocabulary import Plan, Scope
from storage.catalog.removal import remove_sources
from storage.catalog.sources import ids_of
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries

HOUR = timedelta(hours=1)
START = "/api/v1/entries?sources=acme.mail,hooli.mail&follow=start"


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


def following(client, key, address):
    """Read until nothing is new; return the titles of every page and where to go on."""
    pages = []
    while True:
        answer = client.get(address, headers=key)
        assert answer.status_code == 200, answer.text
        address = answer.links["next"]["url"]
        titles = [item["title"] for item in answer.json()["items"]]
        if not titles:
            return pages, address
        pages.append(titles)


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


def test_an_entry_edited_between_two_pages_is_on_both(client, new_key, publish, edit):
    key = new_key()
    publish("acme.mail", a=3 * HOUR, b=2 * HOUR, c=HOUR)
    first = client.get(START + "&limit=2", headers=key)
    edit("acme.mail", "b", "b, edited")

    rest, _ = following(client, key, first.links["next"]["url"])

    assert [item["title"] for item in first.json()["items"]] == ["a", "b"]
    assert rest == [["c", "b, edited"]]


def test_the_last_page_names_its_place_too(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    key = new_key()
    _, place = following(client, key, START)

    answer = client.get(place, headers=key)

    assert answer.json() == {"plan": "all", "total": 0, "limit": 50, "offset": 0, "items": []}
    assert answer.links["next"]["url"] == place


def test_an_idle_follower_gets_304_with_the_place(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    key = new_key()
    _, place = following(client, key, START)
    etag = client.get(place, headers=key).headers["etag"]

    answer = client.get(place, headers={**key, "If-None-Match": etag})

    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.links["next"]["url"] == place


def test_now_is_the_place_after_everything(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    key = new_key()
    answer = client.get(START.replace("start", "now"), headers=key)
    publish("acme.mail", b=2 * HOUR)

    assert answer.json()["items"] == []
    assert following(client, key, answer.links["next"]["url"])[0] == [["b"]]


def test_now_is_a_place_even_before_anything_was_learned(client, new_key, publish):
    key = new_key()
    answer = client.get(START.replace("start", "now"), headers=key)
    publish("acme.mail", a=HOUR)

    assert following(client, key, answer.links["next"]["url"])[0] == [["a"]]


def test_a_place_holds_for_other_sources_too(client, new_key, publish):
    key = new_key()
    publish("globex.mail", before=HOUR)
    publish("acme.mail", a=HOUR)
    _, place = following(client, key, START)
    publish("globex.mail", afterwards=HOUR)

    pages, _ = following(client, key, place.replace("hooli.mail", "globex.mail"))

    assert pages == [["afterwards"]]


@pytest.mark.parametrize(("limit", "total"), [(1, 2), (2, 3), (3, 3), (50, 3)])
def test_total_tells_whether_more_is_there_already(client, new_key, publish, limit, total):
    publish("acme.mail", a=HOUR, b=HOUR, c=HOUR)

    answer = client.get(f"{START}&limit={limit}", headers=new_key())

    assert answer.json()["total"] == total


def test_the_next_address_is_complete_and_keeps_what_was_asked(client, new_key, publish):
    publish("acme.mail", a=HOUR)

    answer = client.get(START + "&limit=7", headers=new_key() | {"Host": "127.0.0.1:8080"})

    address = urlsplit(answer.links["next"]["url"])
    asked = parse_qs(address.query)
    assert f"{address.scheme}://{address.netloc}{address.path}" == (
        "https://changewire.example/api/v1/entries"
    )
    assert (asked["sources"], asked["limit"]) == (["acme.mail,hooli.mail"], ["7"])
    assert list(answer.links) == ["next"]


@pytest.mark.parametrize(
    "more", ["since=2026-11-21T10:00:00Z", "offset=1"], ids=["since", "offset"]
)
def test_what_does_not_go_together_is_refused(client, new_key, more):
    answer = client.get(f"{START}&{more}", headers=new_key())

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert f"follow and {more.partition('=')[0]} do not go together" in answer.json()["message"]


def test_an_offset_of_nothing_may_be_said(client, new_key):
    assert client.get(f"{START}&offset=0", headers=new_key()).status_code == 200


def a_character_changed(cursor):
    return cursor[:5] + ("A" if cursor[5] != "A" else "B") + cursor[6:]


@pytest.mark.parametrize(
    "cursor",
    [
        "soon",
        "1",
        "A" * 16,
        cursor_of(5)[:-1],
        cursor_of(5) + "A",
        a_character_changed(cursor_of(5)),
        cursor_of(2**63),
        "%20" * 16,
    ],
)
def test_a_place_that_was_never_named_is_refused(client, new_key, cursor):
    answer = client.get(START.replace("start", cursor), headers=new_key())

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert "follow" in answer.json()["message"]


@pytest.mark.parametrize("cursor", [a_character_changed(cursor_of(5)), "soon", "0"])
def test_a_lost_place_is_told_how_to_begin_anew(client, new_key, cursor):
    error = client.get(START.replace("start", cursor), headers=new_key()).json()

    assert "follow=start" in error["hint"]


def test_what_is_wrong_is_told_before_what_is_not_allowed(client, new_key):
    key = new_key(scopes=[Scope.READ_DIFFS])

    answer = client.get(f"{START}&offset=1", headers=key)

    assert answer.status_code == 400


def test_a_key_follows_only_what_is_selected_for_it(client, new_key):
    key = new_key(Plan.FREE, sources=["acme.mail"])

    answer = client.get(START, headers=key)

    assert (answer.status_code, answer.json()["code"]) == (403, "source_not_selected")


def test_a_key_without_the_scope_follows_nothing(client, new_key):
    answer = client.get(START, headers=new_key(scopes=[Scope.READ_DIFFS]))

    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")


def test_what_is_followed_is_what_is_listed(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    key = new_key()

    followed = client.get(START, headers=key).json()["items"]

    assert followed == client.get(START.partition("&")[0], headers=key).json()["items"]


@pytest.fixture
def remove(database, now):
    """Take a source out of the catalog."""

    def remove(slug):
        with database.write() as session:
            remove_sources(session, ids_of(session, [slug]).values(), now=now)

    return remove


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
        answer = client.get(place, headers=headers)
        assert answer.status_code == 403
        assert answer.json()["code"] == "source_not_selected"
        assert "acme.mail" in answer.json()["message"]


def test_a_place_holds_for_the_others_when_a_source_is_taken_out(client, new_key, publish, remove):
    key = new_key(sources=["acme.mail", "hooli.mail"])
    publish("acme.mail", a=HOUR, b=2 * HOUR)
    publish("hooli.mail", c=HOUR)
    first = client.get(f"{START}&limit=1", headers=key)
    remove("acme.mail")

    place = first.links["next"]["url"].replace("acme.mail%2C", "").replace("acme.mail,", "")

    assert following(client, key, place)[0] == [["c"]]
