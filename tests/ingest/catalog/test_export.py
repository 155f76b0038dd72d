"""A catalog written is a catalog read: CSV comes back the same, OPML is OPML."""

from datetime import UTC, datetime
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import as_csv, as_opml, read_catalog
from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.rows import CatalogRow

NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)

PLAIN = CatalogRow(
    slug="acme.widgets",
    vendor="acme",
    name="Acme Widgets",
    kind=Kind.CHANGELOG,
    homepage=None,
    changelog_url="https://acme.example/changelog",
    adapter_type=AdapterType.RSS,
    feed_url="https://acme.example/changelog.xml",
    tags=("api", "cloud"),
)


def row(slug, **cells):
    fields = {name: getattr(PLAIN, name) for name in PLAIN.__slots__}
    vendor = slug.partition(".")[0]
    return CatalogRow(**(fields | {"slug": slug, "vendor": vendor} | cells))


def test_a_row_of_odd_texts_reads_back_the_same():
    odd = row("acme.odd", name='A, "b"; ü', aliases=("x, y", "z"), tier=Tier.BLOG)

    assert read_catalog(as_csv([odd])) == ([odd], [])


def test_opml_groups_feeds_by_vendor_in_order():
    told = as_opml(
        [row("globex.api"), row("acme.widgets"), row("globex.about")], title="Sources", now=NOW
    )
    opml = ElementTree.fromstring(told)

    assert opml.get("version") == "2.0"
    assert [group.get("text") for group in opml.findall("body/outline")] == ["acme", "globex"]
    assert len(opml.findall("body/outline[2]/outline")) == 2


def test_opml_holds_what_a_reader_needs():
    [feed] = ElementTree.fromstring(as_opml([PLAIN], title="Sources", now=NOW)).findall(
        "body/outline/outline"
    )

    assert feed.attrib == {
        "type": "rss",
        "text": "Acme Widgets",
        "title": "Acme Widgets",
        "xmlUrl": "https://acme.example/changelog.xml",
        "htmlUrl": "https://acme.example/changelog",
        "category": "api,cloud",
    }


def test_opml_leaves_out_pages_without_a_feed():
    page = row("acme.page", adapter_type=AdapterType.HTML, feed_url=None)

    assert "outline" not in as_opml([page], title="Sources", now=NOW)


@given(st.text(max_size=40), st.text(max_size=40).filter(lambda text: text.isprintable()))
def test_opml_is_well_formed_whatever_the_texts_hold(title, name):
    ElementTree.fromstring(as_opml([row("acme.widgets", name=name)], title=title, now=NOW))
