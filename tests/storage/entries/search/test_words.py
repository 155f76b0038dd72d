"""Which tokens a text has, and which ones a query looks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.entries.search.matching import matches
from storage.entries.search.query import parse_query
from storage.entries.search.words import (
    LONGEST,
    compounds_of,
    fold,
    neighbours,
    tokens_of,
    tokens_of_texts,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("v1.2.3", {"1.2.3", "1.2"}),
        ("v17", {"v17", "17"}),
        ("CVE-2026-12345", {"cve-2026-12345", "cve", "2026", "12345"}),
        ("spring.datasource.url", {"spring.datasource.url", "spring", "datasource", "url"}),
        ("C++ and C#", {"c++", "and", "c#"}),
        ("the end.Next", {"the", "end.next", "end", "next"}),
        ("Crème brûlée", {"creme", "brulee"}),
        ("東京都", {"東京", "京都", "都"}),
        ("!?… —", set()),
        ("a" * 99, {"a" * LONGEST}),
    ],
)
def test_a_text_has_these_tokens(text, tokens):
    assert {token for token in tokens_of_texts((text,)) if not token.startswith("-")} == tokens


def test_each_two_neighbouring_atoms_of_a_text_have_a_token():
    pairs = [
        token for token in tokens_of_texts(("Read-only v1.2.3, 東京",)) if token.startswith("-")
    ]

    assert pairs == [*neighbours(["read", "only", "1.2.3", "東", "京"])]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("1.2.3", "Release v1.2.3", True),
        ("1.2.3", "Release 0.1.2.3", False),
        ("1.2.*", "Release 1.20", False),
        ("CVE-2026-1", "Fixes CVE-2026-12", False),
        ("C++", "The C client", False),
        ("京都の", "東京都の天気", True),
        ("creme", "Crème", True),
        ("read only", "A read_only mode", True),
        ('"read only"', "A read-only mode", True),
        ('"read only"', "Only read", False),
        ('"CVE-2026-1"', "Fixes CVE-2026-1", True),
        ("web -hook", "web hook", False),
        ('web -"a hook"', "web a hook", False),
        ('"end of life"', "the end of life", True),
        ('"end of life"', "an end of a way of life", False),
        ('web -"end of life"', "web end of, of life", True),
        ("-hook", "web", True),
        ("--force", "git push --force", True),
        ("webh*", "A webhook", True),
        ('"', "A webhook", False),
        ('"a webhook', "webhook, a", True),
        ("AND OR NOT", "and or not", True),
        ("", "web", False),
    ],
)
def test_a_query_means_this(query, text, found):
    assert matches(parse_query(query), (text,)) is found


def test_a_phrase_does_not_go_over_from_one_text_into_another():
    assert not matches(parse_query('"read only"'), ("Read", "only"))


@given(st.text())
def test_no_token_breaks_an_expression_and_folding_twice_is_folding_once(text):
    folded = fold(text)
    assert fold(folded) == folded
    for compound in compounds_of(folded):
        for token in tokens_of(compound):
            assert 0 < len(token) <= LONGEST
            assert not set(token) & set(" \t\n\"'\\*:()&|!<>\0")


@given(st.text(), st.text())
def test_every_word_of_a_text_finds_it(text, before):
    whole = f"{before} {text}"
    for compound in compounds_of(fold(whole)):
        assert matches(parse_query(compound), (whole,))
