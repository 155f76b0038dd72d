"""Taking a key's selection elsewhere, and bringing one along."""

import io

import pytest

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


def test_a_list_is_brought_along_and_what_is_selected_stays(bring, chosen):
    assert "1 source found, 1 of them new" in bring(opml("acme.mail"))
    assert "2 sources found, 1 of them new" in bring(opml("acme.mail", "hooli.mail"))
    assert chosen() == {"acme.mail", "hooli.mail"}


def test_lines_that_mean_nothing_are_named(bring, chosen):
    page = bring(opml("acme.mail", "nobody.nothing"))

    assert "Not found: line 1 (nobody.nothing): is not in the catalog." in page
    assert chosen() == {"acme.mail"}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b"", "Choose a file first."),
        (b"hello", "This is not OPML"),
        (opml("acme.mail", "hooli.mail", "wonka.mail", "globex.mail"), "Nothing was selected."),
    ],
    ids=["no file", "no list", "more than the slots"],
)
def test_a_list_that_cannot_be_taken_selects_nothing(bring, chosen, document, words):
    assert words in bring(document)
    assert chosen() == set()


def test_a_list_is_taken_elsewhere_and_brought_back(ada, bring, key_page):
    bring(opml("acme.mail", "hooli.mail"))

    response = ada.get(f"{key_page}/sources.opml")

    assert response.mimetype == "text/x-opml"
    assert "changewire.opml" in response.headers["Content-Disposition"]
    assert "private" in response.headers["Cache-Control"]
    assert b"secret" not in response.data  # part of every feed address of the catalog
    assert "2 sources found, 0 of them new to this key." in bring(response.data)
