"""Taking a key's selection elsewhere, and bringing one along."""

import io

import pytest

from openapi.vocabulary import Plan
from storage.people.keys import find_key, selected_slugs

LINE = '<outline text="{0}" htmlUrl="https://{1}.example/{2}"/>'


def opml(*slugs):
    lines = "".join(LINE.format(slug, *slug.split(".")) for slug in slugs)
    return f'<opml version="2.0"><body>{lines}</body></opml>'.encode()


@pytest.fixture
def key_page(ada):
    public_id = ada.new_key().split("_")[1]
    return f"/app/api-keys/{public_id}"


@pytest.fixture
def bring(ada, key_page):
    """Upload a list; return the page that follows."""

    def bring(document):
        page = f"{key_page}/sources"
        response = ada.post(f"{key_page}/import", page=page, list=(io.BytesIO(document), "a.opml"))
        assert response.status_code == 303
        return ada.get(response.location).text

    return bring


@pytest.fixture
def chosen(database, key_page):
    def chosen():
        with database.read() as session:
            return selected_slugs(session, find_key(session, key_page.rpartition("/")[2]).id)

    return chosen


def test_a_list_is_brought_along(bring, chosen):
    page = bring(opml("acme.mail", "hooli.mail"))

    assert "2 sources found, 2 of them new to this key." in page
    assert chosen() == {"acme.mail", "hooli.mail"}


def test_what_is_selected_stays_selected(bring, chosen):
    bring(opml("acme.mail"))

    assert "2 sources found, 1 of them new to this key." in bring(opml("acme.mail", "hooli.mail"))
    assert chosen() == {"acme.mail", "hooli.mail"}


def test_lines_that_mean_nothing_are_named(bring, chosen):
    page = bring(opml("acme.mail", "nobody.nothing"))

    assert "Not found: line 1 (nobody.nothing): is not in the catalog." in page
    assert chosen() == {"acme.mail"}


def test_more_than_the_slots_is_nothing(bring, chosen):
    page = bring(opml("acme.mail", "hooli.mail", "wonka.mail", "globex.mail"))

    assert "Nothing was selected." in page
    assert chosen() == set()


def test_on_the_all_plan_there_is_no_such_limit(bring, chosen, set_plan):
    set_plan(Plan.ALL)

    bring(opml("acme.mail", "hooli.mail", "wonka.mail", "globex.mail"))

    assert len(chosen()) == 4


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b"", "Choose a file first."),
        (b"hello", "This is not OPML"),
        (b"<!DOCTYPE opml [<!ENTITY a 'a'>]><opml/>", "A document type is not taken"),
    ],
)
def test_what_is_no_list_is_refused_in_words(bring, chosen, document, words):
    assert words in bring(document)
    assert chosen() == set()


def test_a_list_is_taken_elsewhere_and_brought_back(ada, bring, chosen, key_page, set_plan):
    bring(opml("acme.mail", "hooli.mail"))

    response = ada.get(f"{key_page}/sources.opml")

    assert response.mimetype == "text/x-opml"
    assert "changewire.opml" in response.headers["Content-Disposition"]
    assert "private" in response.headers["Cache-Control"]
    assert b"secret" not in response.data  # part of every feed address of the catalog
    assert "2 sources found, 0 of them new to this key." in bring(response.data)


def test_a_key_of_somebody_else_is_not_there(new_browser, key_page):
    other = new_browser()
    other.sign_in("bob@acme.example")

    assert other.get(f"{key_page}/sources.opml").status_code == 404
    page = "/app/api-keys"
    response = other.post(
        f"{key_page}/import", page=page, list=(io.BytesIO(opml("acme.mail")), "a.opml")
    )
    assert response.status_code == 404


def test_strangers_are_sent_to_sign_in(new_browser, key_page):
    assert new_browser().get(f"{key_page}/sources.opml").status_code == 303


def test_a_list_without_its_token_is_refused(ada, key_page, chosen):
    response = ada.client.post(
        f"{key_page}/import",
        base_url=ada.base,
        data={"list": (io.BytesIO(opml("acme.mail")), "a.opml")},
    )

    assert response.status_code == 400
    assert chosen() == set()
