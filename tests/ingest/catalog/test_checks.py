"""Every reason a row is refused for, each with one row that has it."""

import pytest

from ingest.catalog import read_catalog
from ingest.catalog.rows import SLUG, SLUG_LIMIT
from openapi.contract import load_contract

LONG = "a" * 121

REASONS = [
    ({"slug": ""}, "The slug is not of the form vendor.product"),
    ({"slug": "acme.Widgets"}, "The slug is not of the form vendor.product"),
    ({"slug": f"acme.{LONG}"}, "The slug is not of the form vendor.product"),
    ({"slug": "globex.widgets"}, "The slug does not start with the vendor and a dot"),
    ({"slug": "a.b", "vendor": ""}, "The vendor is not an identifier"),
    ({"vendor": "Acme"}, "The vendor is not an identifier"),
    ({"name": ""}, "The name is empty"),
    ({"name": "n" * 201}, "The name is longer than 200 characters"),
    ({"name": '"two\nlines"'}, "The name holds line breaks or invisible characters"),
    ({"kind": "news"}, "The kind is unknown; use one of changelog, whats_new, release_notes"),
    ({"adapter_type": "xml"}, "The adapter_type is unknown; use one of rss, atom, html"),
    ({"tags": ""}, "The row has no tags"),
    ({"tags": "api;cloud;cli;sdk;email;auth"}, "The row has more than 5 tags"),
    ({"tags": "api;api"}, "A tag is repeated"),
    ({"tags": "api;frobnication"}, "These tags are unknown: 'frobnication'"),
    ({"changelog_url": ""}, "changelog_url is empty"),
    ({"feed_url": ""}, "feed_url is empty; an rss row needs the address of its feed."),
    (
        {"changelog_url": "http://acme.example/feed/", "feed_url": "https://acme.example/feed"},
        "The changelog is the feed",
    ),
    ({"adapter_type": "html"}, "An html row reads its page"),
    ({"adapter_type": "github_releases"}, "The addresses of a github_releases row are"),
]


@pytest.mark.parametrize(("cells", "reason"), REASONS, ids=[reason for _, reason in REASONS])
def test_a_row_is_refused_with_its_reason(catalog, cells, reason):
    rows, bad = read_catalog(catalog(cells))

    assert rows == []
    assert any(fault.reason.startswith(reason) for fault in bad), bad
    assert all(fault.reason.endswith(".") and ";" in fault.reason for fault in bad), bad


ADDRESSES = [
    ("ftp://acme.example/feed", "does not start with http:// or https://"),
    ("javascript:alert(1)", "does not start with http:// or https://"),
    ("https://user:secret@acme.example/", "holds a user name or password"),
    ("https://", "names no host or an impossible port"),
    ("https://acme.example:99999/", "cannot be parsed"),
    ("https://acme.example/a b", "holds spaces or control characters"),
    ("https://acme.example/é", "is not a valid URI"),
    ("https://acme.example\\globex.example/", "is not a valid URI"),
    (f"https://acme.example/{'a' * 2048}", "is longer than 2048 characters"),
]


@pytest.mark.parametrize("column", ["homepage", "changelog_url", "feed_url"])
@pytest.mark.parametrize(("address", "fault"), ADDRESSES, ids=[repr(a[:40]) for a, _ in ADDRESSES])
def test_an_address_is_refused_in_every_column(catalog, column, address, fault):
    rows, bad = read_catalog(catalog({column: address}))

    assert rows == []
    assert [told.reason for told in bad if told.reason.startswith(f"{column} {fault};")], bad


@pytest.mark.parametrize(
    "address",
    [
        "https://acme.example",
        "HTTPS://ACME.example/Feed",
        "http://127.0.0.1:8080/feed.xml",
        "https://[2001:db8::1]/feed",
        "https://acme.example/a%20b?q=1&r=a/b?c#frag",
        "https://xn--bcher-kva.example/",
    ],
)
def test_an_address_is_accepted(catalog, address):
    rows, bad = read_catalog(catalog({"feed_url": address}))

    assert ([row.feed_url for row in rows], bad) == ([address], [])


@pytest.mark.parametrize(
    ("changelog_url", "feed_url"),
    [
        ("https://github.com/acme/widgets", "https://github.com/acme/widgets/releases.atom"),
        ("https://github.com/acme/widgets/releases", "https://github.com/acme/other/releases.atom"),
        ("http://github.com/acme/widgets/releases", "http://github.com/acme/widgets/releases.atom"),
        ("https://github.com/acme/widgets/releases", ""),
    ],
)
def test_a_releases_row_has_the_addresses_of_one_repository(catalog, changelog_url, feed_url):
    cells = {
        "adapter_type": "github_releases",
        "changelog_url": changelog_url,
        "feed_url": feed_url,
    }

    _, [fault] = read_catalog(catalog(cells))

    assert fault.reason.startswith("The addresses of a github_releases row are https://github.com/")


OTHER = {
    "slug": "acme.other",
    "name": "Acme Other",
    "changelog_url": "https://acme.example/other",
    "feed_url": "https://acme.example/other.xml",
}


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (OTHER | {"slug": "acme.widgets"}, "The slug is already on line 2;"),
        (
            OTHER | {"feed_url": "https://acme.example/changelog.xml"},
            "The same address is already read on line 2;",
        ),
        (
            OTHER | {"feed_url": "http://acme.example/changelog.xml"},
            "The same address is already read on line 2;",
        ),
        (
            OTHER | {"name": "ACME widgets"},
            "The vendor already has this name and adapter on line 2;",
        ),
    ],
)
def test_a_row_that_repeats_another_is_refused(catalog, cells, reason):
    rows, [fault] = read_catalog(catalog("feed", cells))

    assert [row.slug for row in rows] == ["acme.widgets"]
    assert fault.line == 3
    assert fault.reason.startswith(reason)


def test_a_page_beside_the_feed_of_that_page_is_accepted(catalog):
    page = {"adapter_type": "html", "feed_url": "", "slug": "acme.page"}

    assert read_catalog(catalog("feed", page))[1] == []


def test_a_repository_written_in_another_case_is_the_same(catalog):
    shouted = {
        "slug": "acme.other",
        "name": "Other",
        "adapter_type": "github_releases",
        "changelog_url": "https://github.com/ACME/Widgets/releases",
        "feed_url": "https://github.com/ACME/Widgets/releases.atom",
    }

    _, [fault] = read_catalog(catalog("releases", shouted))

    assert fault.reason.startswith("The same address is already read on line 2;")


def test_the_catalog_and_the_contract_have_one_idea_of_a_slug():
    slug = load_contract()["components"]["schemas"]["Slug"]

    assert slug["pattern"] == f"^{SLUG.pattern}$"
    assert slug["maxLength"] == SLUG_LIMIT
