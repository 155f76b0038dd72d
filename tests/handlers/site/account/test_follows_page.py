"""Following sources, one by one, all of a vendor or from a list, and narrowing a key."""

import io

import pytest

from openapi.vocabulary import Plan
from storage.people.accounts import find_account
from storage.people.follows import account_follows, key_sources
from storage.people.keys import find_key

PAGE = "/app/sources"


@pytest.fixture
def change(ada):
    def change(slug, kind="add", **more):
        return ada.post(PAGE, page=PAGE, slug=slug, change=kind, **more)

    return change


@pytest.fixture
def chosen(database):
    """Read what ada follows."""

    def chosen():
        with database.read() as session:
            return account_follows(session, find_account(session, "ada@acme.example").id)

    return chosen


def test_a_source_is_found_followed_once_and_unfollowed(ada, change, chosen):
    assert "Acme Compute" in ada.get(f"{PAGE}?q=compute").text

    answer = change("acme.compute", next=f"{PAGE}?q=compute")

    assert answer.location.endswith("/sources?q=compute")
    after = ada.get(answer.location).text
    assert "Following Acme Compute." in after
    assert "Following (1)" in after
    assert "1 of 3 source slots used" in after
    change("acme.compute")
    assert chosen() == {"acme.compute"}
    change("acme.compute", "remove")
    assert chosen() == set()


@pytest.mark.parametrize(
    "page", ["/sources/acme.compute", "/latest?vendor=acme", "/search?q=compute", "/app/stack"]
)
def test_a_button_follows_and_stays_on_its_page(ada, change, page):
    assert change("acme.compute", next=page).location == page
    assert change("acme.compute", next="https://evil.example/").location == PAGE


def test_a_source_is_followed_from_its_page(ada):
    assert "Follow<span" in ada.get("/sources/acme.compute").text

    ada.post(PAGE, page="/sources/acme.compute", slug="acme.compute")

    assert "Unfollow<span" in ada.get("/sources/acme.compute").text


def test_a_vendor_is_followed_as_far_as_slots_reach_and_the_page_says_which(ada, change, chosen):
    change("globex.mail")

    ada.post(PAGE, page=PAGE, all="1", vendor="acme")

    assert chosen() == {"globex.mail", "acme.compute", "acme.mail"}
    assert "Not followed: Acme Storage" in ada.get(PAGE).text


def test_a_slot_that_was_used_is_free_again_after_a_day_and_the_page_says_so(ada, change, chosen):
    for slug in ("acme.compute", "acme.mail", "acme.storage"):
        change(slug)
    change("globex.mail")
    full = ada.get(PAGE).text
    change("acme.compute", "remove")
    change("globex.mail")
    freed = ada.get(PAGE).text

    said = "You can change a source after 24 hours: the next slot from 2026-11-22 at"
    assert (said in full, said in freed, len(chosen())) == (True, True, 2)
    assert "2 following, 1 slot available from 22 November 2026, " in freed


@pytest.mark.parametrize("slug", ["", "acme.nothing", "' OR 1=1", "acme.compute,acme.mail"])
def test_what_is_not_in_the_catalog_cannot_be_followed(change, chosen, slug):
    assert change(slug).status_code == 404
    assert chosen() == set()


def test_a_key_is_narrowed_to_some_sources_and_widened_again(ada, change, database):
    change("acme.compute")
    change("acme.mail")
    public_id = ada.new_key().split("_")[1]
    page = f"/app/api-keys/{public_id}/sources"

    def sources():
        with database.read() as session:
            key = find_key(session, public_id)
            return key.narrowed, key_sources(session, key.id)

    before = sources()
    ada.post(page, page=page, reads="some", slug=["acme.mail"])
    narrowed = sources()
    ada.post(page, page=page, reads="some")
    assert "Choose at least one source." in ada.get(page).text
    ada.post(page, page=page, reads="all")

    assert (before, narrowed, sources()) == ((False, set()), (True, {"acme.mail"}), (False, set()))


def test_the_all_plan_may_follow_any_number(ada, change, chosen, set_plan, catalog):
    set_plan(Plan.ALL)
    change(catalog[:5])

    assert chosen() == set(catalog[:5])


LINE = '<outline text="{0}" htmlUrl="https://{1}.example/{2}"/>'


def opml(*slugs):
    lines = "".join(LINE.format(slug, *slug.split(".")) for slug in slugs)
    return f'<opml version="2.0"><body>{lines}</body></opml>'.encode()


@pytest.fixture
def bring(ada):
    """Upload a list; return the page that follows."""

    def bring(document):
        response = ada.post(f"{PAGE}/import", page=PAGE, list=(io.BytesIO(document), "a.opml"))
        assert response.status_code == 303
        return ada.get(response.location).text

    return bring


def test_lines_that_mean_nothing_are_named(bring, chosen):
    page = bring(opml("acme.mail", "nobody.nothing"))

    assert "Not found: line 1 (nobody.nothing): is not in the catalog." in page
    assert chosen() == {"acme.mail"}


def test_lines_that_mean_nothing_are_counted_after_the_tenth(bring):
    page = bring(opml(*(f"nobody.n{number}" for number in range(12))))

    assert "is not in the catalog; and 2 more." in page


@pytest.mark.parametrize(
    ("document", "words"), [(b"", "Choose a file first."), (b"hello", "This is not OPML")]
)
def test_a_list_that_cannot_be_taken_follows_nothing(bring, chosen, document, words):
    assert words in bring(document)
    assert chosen() == set()


def test_a_list_is_exported_and_imported(ada, bring):
    bring(opml("acme.mail", "hooli.mail"))

    response = ada.get(f"{PAGE}.opml")

    assert response.mimetype == "text/x-opml"
    assert "changewire.opml" in response.headers["Content-Disposition"]
    assert "private" in response.headers["Cache-Control"]
    assert b"secret" not in response.data  # part of every feed address of the catalog
    assert "Following Acme Mail, Hooli Mail." in bring(response.data)
