"""Headlines: what an entry says in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.content.headlines import HEADLINE_LIMIT, headline

CHANGES = "## 6.9.5\n## What's Changed\n- [Fix] `parse`: keep the last value (#12) by @ann\n- More"


@pytest.mark.parametrize(
    ("product", "title", "expected"),
    [
        ("qs", "v6.9.5 / 2027.01.02", "qs 6.9.5"),
        ("qs", "6.9.5 [YANKED]", "qs 6.9.5"),
        ("AngularJS", "1.5.11 princely-quest (2017-01-13)", "AngularJS 1.5.11"),
        ("Kubernetes", "Kubernetes v1.31.0-rc.1", "Kubernetes 1.31.0-rc.1"),
        ("Babel", "@babel/core@7.1.0", "@babel/core 7.1.0"),
        ("Discord", "August 20, 2024", "Discord August 20 2024"),
        ("Stripe", "2026-11-20.acacia", "Stripe 2026-11-20.acacia"),
        ("yup", "v0.25.0 - Tue, 15 May 2018 21:43:54 GMT", "yup 0.25.0"),
        ("Twilio", "[2019-08-05] Version 3.33.3", "Twilio 3.33.3"),
        ("Semaphore", "Week of October 09, 2023", "Semaphore October 09 2023"),
        ("Acme", "Platform Release Notes", "Acme, Platform"),
        ("Acme", "Ursa-20.14.0", "Acme, Ursa 20.14.0"),
    ],
)
def test_a_title_of_only_a_version_or_a_day_gets_product_and_change(product, title, expected):
    assert headline(product, title, CHANGES) == f"{expected}: [Fix] `parse`: keep the last value"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Voice Encryption Modes", "Acme: Voice Encryption Modes"),
        ("Acme drops TLS 1.1", "Acme drops TLS 1.1"),
        ("1.2.3: dark mode", "Acme: 1.2.3: dark mode"),
        ("30-Day Reminder: end of life", "Acme: 30-Day Reminder: end of life"),
    ],
)
def test_a_title_that_says_something_is_kept_after_the_product(title, expected):
    assert headline("Acme", title, CHANGES) == expected


def test_evidence_comes_before_the_first_change():
    evidence = ["## Breaking changes", "- Removes `util.assign`. (#77)"]
    assert headline("qs", "v7.0.0", CHANGES, evidence) == "qs 7.0.0: Removes `util.assign`"
    evidence = ["The way to reconnect has changed:\n\n- It waits.\n- It ends"]
    assert headline("qs", "v7", "", evidence) == f"qs 7: {evidence[0][:32]}: It waits; It ends"


def test_evidence_that_needs_the_sentence_before_is_told_whole_where_it_fits():
    told = f"The page has {'a new look, ' * 9}and less text. In doing so, we deprecated a tab."
    assert headline("Acme", "2.0", None, [told]) == f"Acme 2.0: {told[:-1]}"


def test_a_title_without_a_clue_is_followed_by_the_evidence():
    evidence = ["The old message is deprecated"]
    assert headline("Acme", "Two words", "", evidence) == f"Acme: Two words: {evidence[0]}"
    assert headline("Acme", "Of many words " * 15, "", evidence) == f"Acme: {evidence[0]}"


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("API updates:\n- Faster start", "Faster start"),
        ("Good evening!\n\nWhat has changed?\n\n- Faster start", "Faster start"),
        ("- Adds a wizard that\nhelps teams", "Adds a wizard that helps teams"),
        ("All Commits\nDocs\n- Faster start", "Faster start"),
        ("Release Date: February 19, 2026\n- Faster start. Thanks to @ann!", "Faster start"),
        (f"- {'So much of it ' * 10}is new. More of it.", f"{'So much of it ' * 10}is new"),
        (f"- It starts faster. {'So much of it ' * 20}is new.", "It starts faster"),
    ],
)
def test_a_change_is_whole_sentences_and_no_label(summary, expected):
    assert headline("qs", "v1.0", summary) == f"qs 1.0: {expected}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- feat(s3)!: drop Node 16 by @bob in https://acme.example/pull/3", "drop Node 16"),
        ("* [PR #12][ann-1] replace mkdirp with mkdir #7 by Ann B", "replace mkdirp with mkdir"),
        ("- #851 Add support for cards (e75fbc1, #900)", "Add support for cards"),
        ("- Faster start (#12, thanks @ann)", "Faster start"),
        ("- Faster start. Issue #12 and tools issue #13", "Faster start"),
        ("- Faster start of a command ([#12])", "Faster start of a command"),
        ("**New Resource:** `aws_x`", "New Resource: `aws_x`"),
        ("新しいリージョンが利用可能になりました", "新しいリージョンが利用可能になりました"),
        ("Released on: Thu Jun 13 12:00:56 2019 +0200\n- Faster start", "Faster start"),
        ("There are no breaking changes.\n- Faster start", "Faster start"),
        ("A facade over 10 million decades", "A facade over 10 million decades"),
    ],
)
def test_a_change_is_told_without_markup_and_references(line, expected):
    assert headline("qs", "v1.0", line) == f"qs 1.0: {expected}"


@pytest.mark.parametrize(
    "summary",
    [
        None,
        "",
        "## Breaking changes",
        "Full Changelog: https://acme.example/compare/v1...v2",
        "- See the release notes for details.",
        "@ann made their first contribution in #3",
    ],
)
def test_where_nothing_is_told_it_is_product_and_version(summary):
    assert headline("qs", "v1.0", summary) == "qs 1.0"


@given(st.text(min_size=1, max_size=100), st.text(min_size=1, max_size=500), st.text())
def test_any_text_gives_one_line_of_bounded_length(product, title, summary):
    line = headline(" ".join(product.split()) or "x", " ".join(title.split()) or "x", summary)
    assert 0 < len(line) <= max(HEADLINE_LIMIT, len(title)) + len(product)
    assert len(line.splitlines()) == 1
