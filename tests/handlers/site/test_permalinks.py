"""Addresses of entries: every id of a vendor has one, and none leads elsewhere."""

from urllib.parse import quote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.site.permalinks import entry_id_of, entry_token, permalink

IDS = st.text(st.characters(blacklist_characters="\x00"), min_size=1, max_size=500)


@given(IDS)
def test_every_id_is_read_back_from_its_token(entry_id):
    assert entry_id_of(entry_token(entry_id)) == entry_id


@given(IDS)
def test_a_browser_asks_for_the_path_as_it_is_written(entry_id):
    path = permalink("acme.compute", entry_id)

    assert quote(path, safe="/~") == path
    assert urlsplit(urljoin("https://changewire.example/", path)).path == path


def test_a_short_plain_id_stands_in_the_address_as_it_is():
    assert permalink("acme.compute", "v1.2.3") == "/e/acme.compute/v1.2.3"


@pytest.mark.parametrize("token", ["", "~", "~A", "~!!", "..", "a/b", "~YQ", "~YQ==", "é", "~_w"])
def test_a_token_that_nothing_writes_is_no_id(token):
    assert entry_id_of(token) is None
