"""A catalog written is a catalog read: CSV comes back the same, OPML is OPML."""

from datetime import UTC, datetime
from unicodedata import normalize
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import (
    as_csv,
    as_opml,
    canonical_tags,
    read_catalog,
)
from ingest.catalog.rows import BASES
from openapi.vocabulary import AdapterType, AddressStatus, Kind, Tier
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

names = (
    st.text(min_size=1, max_size=40)
    .map(lambda name: normalize("NFC", name))  # as the reader stores them
    .filter(lambda name: name.isprintable() and name.strip())
)
words = st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True)
paths = st.from_regex(r"[A-Za-z0-9,;&='._~-]{1,20}", fullmatch=True)


@st.composite
def rows(draw):
    vendor, product, path = draw(words), draw(words), draw(paths)
    adapter = draw(st.sampled_from(AdapterType))
    page = f"https://{vendor}.example/{path}"
    feed = None if adapter is AdapterType.HTML else f"{page}/feed"
    if adapter is AdapterType.GITHUB_RELEASES:
        page = f"https://github.com/{vendor}/{product}/releases"
        feed = f"{page}.atom"
    aliases = draw(st.lists(names, max_size=3, unique_by=lambda alias: alias.strip().casefold()))
    return CatalogRow(
        slug=f"{vendor}.{product}",
        vendor=vendor,
        name=draw(names).strip(),
        kind=draw(st.sampled_from(Kind)),
        homepage=draw(st.sampled_from([None, f"https://{vendor}.example/"])),
        changelog_url=page,
        adapter_type=adapter,
        feed_url=feed,
        tags=tuple(
            draw(
                st.lists(
                    st.sampled_from(sorted(canonical_tags())), min_size=1, max_size=5, unique=True
                )
            )
        ),
        tier=draw(st.sampled_from([None, *Tier])),
        aliases=tuple(alias.strip() for alias in aliases if ";" not in alias),
        basis=draw(st.sampled_from([None, *BASES])),
        status=draw(st.sampled_from([None, *AddressStatus])),
    )


@pytest.mark.slow
@given(st.lists(rows(), max_size=5, unique_by=lambda row: row.vendor))
def test_rows_written_as_csv_read_back_the_same(written):
    assert read_catalog(as_csv(written)) == (written, [])


def test_csv_has_a_header_lf_line_ends_and_quotes_only_where_needed():
    assert as_csv([PLAIN]) == (
        "slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags,"
        "tier,aliases,basis,status\n"
        "acme.widgets,acme,Acme Widgets,changelog,,https://acme.example/changelog,rss,"
        "https://acme.example/changelog.xml,api;cloud,,,,\n"
    )


def row(slug, **cells):
    fields = {name: getattr(PLAIN, name) for name in PLAIN.__slots__}
    vendor = slug.partition(".")[0]
    return CatalogRow(**(fields | {"slug": slug, "vendor": vendor} | cells))


def test_opml_says_what_it_is_and_when_it_was_made():
    head = ElementTree.fromstring(as_opml([], title="Sources", now=NOW)).find("head")

    assert head.findtext("title") == "Sources"
    assert head.findtext("dateCreated") == "Wed, 04 Mar 2026 05:06:07 +0000"


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
