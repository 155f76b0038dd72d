"""Addresses of entries' pages: readable, never shared, and fixed."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.entries.addresses import address_of, unlike

DAY = datetime(2026, 11, 25, 23, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("Git at any scale", "2026-11-25-git-at-any-scale"),
        ("v1.2.3-beta.1: What's new?", "2026-11-25-v1.2.3-beta.1-whats-new"),
        ("  Größere `Änderung`… ", "2026-11-25-grossere-anderung"),
        ("新功能", "2026-11-25"),
        ("", "2026-11-25"),
        ("word " * 30, "2026-11-25" + "-word" * 12),
        ("a" * 500, f"2026-11-25-{'a' * 60}"),
    ],
)
def test_an_address_has_the_date_and_the_words_of_the_title(title, address):
    assert address_of(DAY, title) == address


@given(st.text(max_size=200))
def test_an_address_needs_no_escapes(title):
    address = address_of(DAY, title)

    assert quote(address, safe="") == address
    assert len(address) <= 100


def test_entries_with_the_same_words_are_numbered():
    used = {"a", "a-2", "c-2"}

    assert unlike(["a", "b", "b", "a", "c", "c", "b-2"], used) == [
        *("a-3", "b", "b-2", "a-4", "c", "c-3", "b-2-2")
    ]
