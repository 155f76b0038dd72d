"""Choosing the sources of a key, one by one or from a list of feeds."""

import io

import pytest

from storage.people.keys import find_key, selected_slugs


@pytest.fixture
def public_id(ada):
    return ada.new_key().split("_")[1]


@pytest.fixture
def page(public_id):
    return f"/app/api-keys/{public_id}/sources"


@pytest.fixture
def change(ada, page):
    def change(slug, kind="add", **more):
        return ada.post(page, page=page, slug=slug, change=kind, **more)

    return change


@pytest.fixture
def chosen(database, public_id):
    """Read the slugs of the key's sources."""

    def chosen():
        with database.read() as session:
            return selected_slugs(session, find_key(session, public_id).id)

    return chosen


def test_a_source_is_found_selected_once_and_removed(ada, page, change, chosen):
    assert "Acme Compute" in ada.get(f"{page}?q=compute").text

    answer = change("acme.compute", q="compute")

    assert answer.location.endswith("/sources?q=compute")
    after = ada.get(answer.location).text
    assert "acme.compute is selected." in after
    assert "Selected (1)" in after
    assert "1 of 3 source slots used" in after
    change("acme.compute")
    assert len(chosen()) == 1
    change("acme.compute", "remove")
    assert chosen() == set()


def test_a_slot_that_was_used_is_free_again_after_a_day_and_the_page_says_so(
    ada, page, change, chosen
):
    for slug in ("acme.compute", "acme.mail", "acme.storage"):
        change(slug)
    change("acme.compute", "remove")
    change("globex.mail")

    text = ada.get(page).text

    assert "You can change a source after 24 hours; the next slot is free in 24 hours." in text
    assert len(chosen()) == 2


@pytest.mark.parametrize("slug", ["", "acme.nothing", "' OR 1=1", "acme.compute,acme.mail"])
def test_what_is_not_in_the_catalog_cannot_be_selected(change, chosen, slug):
    assert change(slug).status_code == 404
    assert chosen() == set()


LINE = '<outline text="{0}" htmlUrl="https://{1}.example/{2}"/>'


def opml(*slugs):
    lines = "".join(LINE.format(slug, *slug.split(".")) for slug in slugs)
    return f'<opml version="2.0"><body>{lines}</body></opml>'.encode()


@pytest.fixture
def bring(ada, page):
    """Upload a list; return the page that follows."""

    def bring(document):
        path = f"{page.removesuffix('/sources')}/import"
        response = ada.post(path, page=page, list=(io.BytesIO(document), "a.opml"))
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


def test_a_list_is_taken_elsewhere_and_brought_back(ada, bring, page):
    bring(opml("acme.mail", "hooli.mail"))

    response = ada.get(f"{page}.opml")

    assert response.mimetype == "text/x-opml"
    assert "changewire.opml" in response.headers["Content-Disposition"]
    assert "private" in response.headers["Cache-Control"]
    assert b"secret" not in response.data  # part of every feed address of the catalog
    assert "2 sources found, 0 added." in bring(response.data)
