"""What ends, which versions of it, and what to use instead; and texts in which nothing ends."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from changelog_reader.importance import classify

SENTENCES = [
    json.loads(line)
    for line in (Path(__file__).parent / "ends.jsonl").read_text("utf-8").splitlines()
]
STATED = Path(__file__).with_name("stated_ends.json")
PUBLISHED = datetime(2026, 11, 1, tzinfo=UTC)


def ends_of(title, text):
    return classify(title, text, published_at=PUBLISHED).deadlines


@pytest.mark.parametrize("half", [0, 1])
def test_both_halves_of_the_sentences_are_read_as_well_as_we_say(half):
    chosen = SENTENCES[half::2]
    found = [
        [end for end in ends_of(one["title"], one["text"]) if str(end.to) == one["day"]]
        for one in chosen
    ]
    successors = [next((end.successor for end in ends if end.successor), None) for ends in found]
    stated = [one["successor"] for one in chosen]

    assert sum(map(bool, found)) >= 0.97 * len(chosen)
    for name in ("subject", "versions"):
        told = sum(
            one[name] in [getattr(end, name) for end in ends]
            for ends, one in zip(found, chosen, strict=True)
        )
        assert told >= 0.9 * len(chosen), name
    right = sum(new == old is not None for new, old in zip(successors, stated, strict=True))
    assert right >= 0.95 * sum(map(bool, successors))
    assert right >= 0.9 * sum(map(bool, stated))


def test_each_item_of_a_list_under_a_sentence_ends():
    text = "The following APIs will be removed on 1 March 2027:\n\n- Users v1: use Users v2 instead"
    text += "\n- `orders/list` → `orders/search`\n- Old reports\n\nWe also fixed a bug."

    assert {(end.subject, end.successor) for end in ends_of("News", text)} == {
        ("Users v1", "Users v2"),
        ("orders/list", "orders/search"),
        ("Old reports", None),
    }


@pytest.mark.parametrize(("text", "expected"), json.loads(STATED.read_text("utf-8")).items())
def test_an_end_is_told_exactly_or_not_at_all(text, expected):
    text, _, on = text.partition(" @")
    published_at = datetime.fromisoformat(f"{on or '2026-11-01'}T00:00:00+00:00")
    ends = classify("News", text, published_at=published_at).deadlines

    told = [[str(end.to), end.kind, end.subject, end.versions, end.successor] for end in ends]
    assert told == expected


@pytest.mark.parametrize(
    "text",
    [
        "Update German [de] locale, adds the abbreviations for month, as in September",
        "Update (2026-12-23): a typo was fixed.",
        "You can now migrate your boards to teams. December is a good month for it.",
        "Support for dark mode was added on 1 December 2026.",
        "The retired teacher joined us in December 2026.",
        "We removed 30 unused files.",
    ],
)
def test_nothing_ends_where_nothing_is_said_to_end(text):
    assert ends_of("News", text) == ()


def test_two_things_that_end_on_one_day_are_two():
    text = "Acme 3 will be retired on 1 March 2027. Globex 4 will be retired on 1 March 2027."

    assert [end.subject for end in ends_of("News", text)] == ["Acme 3", "Globex 4"]
