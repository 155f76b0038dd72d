"""The words of names and searches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.catalog.search.words import (
    parts_of,
    same_words,
    squeezed,
    vendor_names,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Next.js", ["next", "js"]),
        ("C++ and C#", ["cplusplus", "and", "csharp"]),
        (".NET 10", ["dotnet", "10"]),
        ("What's New in Café", ["whats", "new", "in", "cafe"]),
        ("kube-state_metrics", ["kube", "state", "metrics"]),
        ("東京 Ångström ẞ", ["東京", "angstrom", "ss"]),
        (" %_\\ ", []),
        ("asp.net", ["asp", "net"]),
    ],
)
def test_a_text_has_these_words(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("DynamoDB", ["dynamo", "db"]),
        ("BigQuery", ["big", "query"]),
        ("GitHub Actions", ["git", "hub"]),
        ("PostgreSQL 17", ["postgre", "sql"]),
        ("Stripe", []),
    ],
)
def test_capital_letters_divide_a_word(name, parts):
    assert list(parts_of(name)) == parts


@given(st.text(max_size=60))
def test_a_squeezed_text_stays_as_it_is(text):
    assert squeezed(squeezed(text)) == squeezed(text)


def test_words_that_mean_the_same_are_written_as_words_are():
    assert [word for word in same_words() if words_of(word) != [word]] == []


def test_no_word_means_the_same_as_itself():
    assert [word for word, others in same_words().items() if word in others] == []


def test_every_vendor_has_other_names_than_its_identifier():
    assert [vendor for vendor, names in vendor_names().items() if vendor in names] == []
