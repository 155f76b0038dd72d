"""The changelog of an installation as a source of its own catalog."""

import pytest

from ingest.catalog import as_csv, own_source, read_catalog


def test_an_installation_with_a_public_name_is_a_source_itself():
    own = own_source("https://changes.acme.org")

    assert own.feed_url == "https://changes.acme.org/rss/changelog.xml"
    assert read_catalog(as_csv([own])) == ([own], [])


@pytest.mark.parametrize(
    "site_url",
    [
        "http://127.0.0.1:8080",
        "http://changes.acme.org",
        "https://changewire.example",
        "https://changes.internal",
        "https://localhost",
        "https://192.0.2.7",
        "https://[2001:db8::1]",
    ],
)
def test_one_that_nobody_else_can_reach_is_none(site_url):
    assert own_source(site_url) is None
