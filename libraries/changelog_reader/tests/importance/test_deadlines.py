"""Deadlines: when, of which kind, in which words; and the dates that are none."""

import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from time import process_time

import pytest

from changelog_reader.importance import DeadlineKind, classify

SENTENCES = [
    json.loads(line)
    for line in (Path(__file__).parent / "deadlines.jsonl").read_text("utf-8").splitlines()
]


def deadlines_of(sentence):
    on = sentence.get("published_on")
    published_at = None if on is None else datetime.fromisoformat(on).replace(tzinfo=UTC)
    found = classify("", sentence["text"], published_at=published_at).deadlines
    return {(each.kind.value, str(each.from_), str(each.to)) for each in found}


def expected_of(sentence):
    return {
        (deadline["kind"], deadline["from"], deadline["to"]) for deadline in sentence["deadlines"]
    }


@pytest.mark.parametrize("half", [0, 1])
def test_both_halves_of_the_sentences_are_read_as_well_as_we_say(half):
    chosen = [
        (deadlines_of(sentence), expected_of(sentence))
        for sentence in SENTENCES
        if hashlib.sha1(sentence["text"].encode()).digest()[-1] & 1 == half
    ]
    hits = sum(len(found & expected) for found, expected in chosen)

    assert len(SENTENCES) >= 300
    assert hits >= 0.95 * sum(len(found) for found, _ in chosen)
    assert hits >= 0.95 * sum(len(expected) for _, expected in chosen)


def test_a_deadline_quotes_what_it_says():
    summary = "Hello. The v1 API will stop working on 1 March 2027, so please act."

    (only,) = classify("News", summary).deadlines

    assert only.kind is DeadlineKind.REMOVAL
    assert (only.from_, only.to) == (date(2027, 3, 1), date(2027, 3, 1))
    assert only.evidence.text == "The v1 API will stop working on 1 March 2027"
    assert summary[only.evidence.start : only.evidence.end] == only.evidence.text


def test_a_date_without_a_year_needs_the_day_of_publication():
    sentence = "The v1 API will be removed on March 3."

    (only,) = classify(sentence, "", published_at=datetime(2027, 1, 10, tzinfo=UTC)).deadlines

    assert only.from_ == date(2027, 3, 3)
    assert classify(sentence, "").deadlines == ()


def test_a_date_before_publication_is_no_deadline():
    sentence = "The v1 API will be removed on 1 March 2027."

    assert classify(sentence, "", published_at=datetime(2027, 3, 1, 9, tzinfo=UTC)).deadlines
    assert not classify(sentence, "", published_at=datetime(2027, 3, 2, tzinfo=UTC)).deadlines


def test_a_deadline_said_twice_is_one():
    sentence = "The v1 API will be removed on 1 March 2027."

    (only,) = classify(sentence, sentence).deadlines

    assert only.evidence.field == "title"


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("Q3 2026", date(2026, 7, 1), date(2026, 9, 30)),
        ("the end of June 2026", date(2026, 6, 30), date(2026, 6, 30)),
        ("February 2028", date(2028, 2, 1), date(2028, 2, 29)),
        ("the second half of 2026", date(2026, 7, 1), date(2026, 12, 31)),
        ("early 2027", date(2027, 1, 1), date(2027, 4, 30)),
        ("2027", date(2027, 1, 1), date(2027, 12, 31)),
    ],
)
def test_an_interval_is_the_days_it_can_mean(said, first, last):
    (only,) = classify("", f"The v1 API will be removed in {said}.").deadlines

    assert (only.from_, only.to) == (first, last)


@pytest.mark.parametrize("said", ["31 February 2027", "03/04/2027", "version 2027.1", "#2027"])
def test_what_is_no_certain_date_is_no_deadline(said):
    assert classify("", f"The v1 API will be removed in {said}.").deadlines == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("EOL 2027-03-01", "end_of_life"),
        ("Node.js 18 (EOL 2027-03-01)", "end_of_life"),
        ("The v1 API sunsets 2027-03-01", "end_of_life"),
        ("EoS: 1 March 2027", "end_of_life"),
        ("Focal will be retired in v3 (ETA 1 March 2027).", "end_of_life"),
        ("Extended security support until 1 March 2027", "end_of_support"),
        ("End of sale: 1 March 2027", "end_of_sale"),
        ("We will turn TLS 1.0 off on 1 March 2027.", "removal"),
        ("Acme 1.20 will be deprecated and removed on 1 March 2027.", "removal"),
        ("We're switching the old pipeline off on 1 March 2027.", "removal"),
        ("We will shut the beta down on 1 March 2027.", "removal"),
    ],
)
def test_short_notices_are_read(text, kind):
    (deadline,) = classify("Notice", text).deadlines

    assert (deadline.kind, deadline.from_) == (kind, date(2027, 3, 1))


@pytest.mark.parametrize(
    "text",
    ["We turned it off on and off again on 1 March 2027.", "Added support until 1 March 2027 ends"],
)
def test_what_only_sounds_like_a_notice_is_no_deadline(text):
    assert classify("Notice", text).deadlines == ()


def test_a_sentence_that_points_to_the_date_before_it_is_quoted_with_it():
    summary = (
        "It will be deprecated on 1 February 2027. After that date, calls to it will fail. Bye."
    )

    (only,) = classify("News", summary).deadlines

    assert only.evidence.text == summary.removesuffix(" Bye.")


@pytest.mark.parametrize(
    ("then", "kinds"),
    [
        ("requests to it fail.", [DeadlineKind.REMOVAL]),
        ("the endpoint returns an error.", [DeadlineKind.REMOVAL]),
        ("its calls are rejected.", [DeadlineKind.REMOVAL]),
        ("clients get a 410.", [DeadlineKind.REMOVAL]),
        ("requests to it do not fail.", []),
        ("the endpoint returns the new format.", []),
    ],
)
def test_what_fails_after_that_date_is_gone(then, kinds):
    summary = f"The v1 API will be deprecated on 1 February 2027. After that date, {then}"

    assert [deadline.kind for deadline in classify("News", summary).deadlines] == kinds


@pytest.mark.parametrize(
    "said",
    [
        "The sunset of v1 moved from 1 May 2027 to 3 August 2027.",
        "v1 will be retired on 3 August 2027 instead of 1 May 2027.",
        "v1 will be retired on 3 August 2027 (previously 1 May 2027).",
        "The sunset date of v1, originally set for 1 May 2027, has been moved to 3 August 2027.",
    ],
)
def test_of_a_date_that_moves_the_new_one_counts(said):
    assert [str(deadline.from_) for deadline in classify("", said).deadlines] == ["2027-08-03"]


def test_the_old_date_alone_is_no_deadline():
    said = "The retirement date of v1 has been extended from 1 May 2027 after your feedback."

    assert classify("", said).deadlines == ()


@pytest.mark.parametrize(
    "text",
    [
        "from 1 May 2027 to 2 May 2027, " * 2_000,
        "It will be deprecated on 1 May 2027. " + "After that date " * 5_000,
        "will be removed in a release " * 4_000 + "after 1 May 2027",
        "the retirement of a b c d " * 4_000 + "moved to 1 May 2027",
        "must a b c d by " * 5_000 + "1 May 2027",
    ],
)
def test_long_sentences_of_dates_and_events_end_soon(text):
    start = process_time()

    classify("", text)

    assert process_time() - start < 2
