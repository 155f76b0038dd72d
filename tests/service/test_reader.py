"""What the reader decides: clean text, times, which entries, which addresses (service/reader)."""

import json
import re
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.reader.layout import diff_lines, entry_lines
from service.reader.selection import (
    FARTHEST,
    address_of,
    address_to_open,
    diffs_since,
    missing_entries_message,
    select_entries,
)
from service.reader.times import parse_since
from service.terminal_escape import plain, plain_json

ANY_TEXT = st.text(st.characters(), max_size=60)
SELECTORS = frozenset(map(chr, range(0xE0100, 0xE01F0)))
ESCAPES = st.sampled_from(["\x1b[31m", "\x1b]0;x\x07", "\x9b2J", "\x7f", "\u202e", "\U000e0041"])
HOSTILE = st.lists(ANY_TEXT | ESCAPES, max_size=8).map("".join)
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f]")


@given(HOSTILE)
def test_nothing_that_a_terminal_obeys_is_left(text):
    for clean in (plain(text), plain_json({"title": text})):
        assert not OBEYED.search(clean)
        assert not any("\U000e0000" <= each <= "\U000e0fff" for each in clean)
        clean.encode()
    assert "\n" not in plain(text)


@given(HOSTILE)
def test_cleaning_twice_is_cleaning_once(text):
    assert plain(plain(text)) == plain(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M"])))
def test_what_people_write_stays(text):
    assert plain(text) == "".join(each for each in text if each not in SELECTORS)


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "می‌خواهم", "日本語のリリース", "e\u0301"])
def test_joined_scripts_and_emoji_stay(text):
    assert plain(text) == text


@given(st.recursive(ANY_TEXT | st.integers() | st.none(), st.lists, max_leaves=6))
def test_printed_json_is_the_same_value(value):
    assert json.loads(plain_json(value)) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90m", "2026-11-21T10:30:00+00:00"),
        ("7d", "2026-11-14T12:00:00+00:00"),
        ("2w", "2026-11-07T12:00:00+00:00"),
        ("2026-11-01", "2026-11-01T00:00:00+00:00"),
        ("2026-11-01T09:30:00", "2026-11-01T09:30:00+00:00"),
        ("2026-11-01T09:30:00+01:00", "2026-11-01T08:30:00+00:00"),
        ("2026-11-01T09:30:00Z", "2026-11-01T09:30:00+00:00"),
    ],
)
def test_times_are_read_as_they_are_typed(now, text, expected):
    assert parse_since(text, now=now).isoformat() == expected


@pytest.mark.parametrize("text", ["", "yesterday", "7", "-7d", "999999w", "2026-13-01", "٣d"])
def test_a_time_that_is_none_is_refused_in_words(now, text):
    with pytest.raises(ValueError, match="is no time: write"):
        parse_since(text, now=now)


def entry(number, source="acme.compute", **more):
    at = datetime(2026, 11, 21, tzinfo=UTC) - timedelta(hours=number)
    return {"id": str(number), "source": source, "published_at": f"{at:%Y-%m-%dT%H:%M:%SZ}", **more}


def taken(count, source="acme.compute"):
    """Entries without end, and how many of them were taken."""

    def entries():
        for number in range(10**6):
            count.append(number)
            yield entry(number, source)

    return entries()


def test_entries_end_at_the_number_asked_for():
    count = []

    found, more = select_entries(taken(count), sources=(), limit=5)

    assert (len(found), more, len(count)) == (5, True, 6)


def test_other_sources_are_left_out_and_not_sought_for_ever():
    count = []

    found, more = select_entries(taken(count, "other.one"), sources=["acme.one"], limit=5)

    assert (found, more, len(count)) == ([], True, FARTHEST + 1)


@pytest.mark.parametrize(
    ("found", "more", "limit", "told"),
    [
        (5, False, 5, None),
        (5, True, 5, "There is more: --limit takes up to 1000."),
        (1000, True, 1000, None),
        (3, True, 5, "There may be more: only the newest 2,000 entries were searched."),
        (0, True, 5, "None among the newest 2,000 entries."),
        (0, False, 5, "No entry was found."),
    ],
)
def test_what_a_list_lacks_is_told(found, more, limit, told):
    assert missing_entries_message(found, more=more, limit=limit) == told


@pytest.mark.parametrize("url", ["https://acme.example/1", "http://acme.example:8080/?a=b#c"])
def test_a_web_address_may_be_opened(url):
    assert address_to_open(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://acme.example/",
        "--new-window",
        "https://",
        "https://acme.example/\x1b[31m",
        "https://acme.example/a b",
        "https://acme.example/\nhttps://evil.example/",
        "https://аcme.example/",
        "https://[acme.example/",
    ],
)
def test_nothing_else_is_opened(url):
    assert address_to_open(url) is None


def diff(at, **change):
    snapshot = {"fetchedAt": at, "snapshotId": "s", "contentHash": "0" * 64, "entryCount": 1}
    stats = {"added": 0, "changed": 1, "removed": 0, "rolledOff": 2, "unchanged": 0}
    given = {"op": "changed", "before": None, "after": None, "fields": [], **change}
    return {
        "id": at,
        "before": snapshot,
        "after": snapshot,
        "stats": stats,
        "truncated": True,
        "changes": [given],
    }


def page_of(*diffs):
    return {"source": "acme.compute", "adapterType": "rss", "total": 3, "items": [*diffs]}


def test_diffs_are_narrowed_by_when_they_were_seen(now):
    page = page_of(diff("2026-11-21T00:00:00Z"), diff("2026-11-20T00:00:00Z"))

    found = diffs_since(page, datetime(2026, 11, 20, tzinfo=UTC), 5)

    assert [item["id"] for item in found["items"]] == ["2026-11-21T00:00:00Z"]


def test_a_diff_leads_to_its_first_address():
    assert address_of(diff("x", before={"url": "https://acme.example/"})) == "https://acme.example/"
    assert address_of(diff("x", after={"url": 3})) is None


@given(HOSTILE, HOSTILE, HOSTILE)
def test_drawn_lines_hold_nothing_that_a_terminal_obeys(title, summary, text):
    evidence = [{"category": "breaking", "field": "title", "text": text, "start": 0, "end": 1}]
    deadlines = [{"kind": "end_of_life", "from": "2027-01-01", "to": "2027-02-01"}]
    why = {"categories": ["breaking"], "evidence": evidence, "deadlines": deadlines}
    entries = [entry(1, title=title, summary=summary, url=text, importance=why)]
    fields = [{"path": title, "before": summary, "after": [text, 1]}]
    facts = [{"type": "title_changed", "path": "title", "detail": text}]
    page = page_of(diff("2026-11-21T00:00:00Z", after={"title": title}, fields=fields, facts=facts))

    for line in (*entry_lines(entries), *diff_lines(page)):
        told = "".join(part for part, _ in line.parts)
        assert not OBEYED.search(told)
        assert "\n" not in told


def test_an_important_entry_shows_why_and_until_when():
    why = {
        "categories": ["deprecation"],
        "evidence": [{"category": "deprecation", "text": "is going away"}],
        "deadlines": [{"kind": "end_of_life", "from": "2027-01-01", "to": "2027-02-01"}],
    }

    lines = entry_lines([entry(1, title="Old API", summary=None, url=None, importance=why)])
    told = ["".join(part for part, _ in line.parts) for line in lines]

    assert told == [
        "  1  2026-11-20 23:00  acme.compute  deprecation",
        "Old API",
        "deprecation: “is going away”",
        "end of life: 2027-01-01 to 2027-02-01",
        "",
    ]


def test_a_diff_shows_what_became_of_each_field():
    fields = [{"path": "title", "before": "One", "after": "Two"}]
    facts = [{"type": "title_changed", "path": "title", "detail": None}]
    page = page_of(diff("2026-11-21T00:00:00Z", after={"title": "Two"}, fields=fields, facts=facts))

    told = ["".join(part for part, _ in line.parts) for line in diff_lines(page)]

    assert told == [
        "  1  2026-11-21 00:00 to 2026-11-21 00:00  acme.compute  1 changed, 2 rolled off",
        "~ Two  (title changed)",
        "title - One",
        "title + Two",
        "… there were more changes than are kept",
        "",
    ]


def test_every_unseen_category_is_covered():
    unseen = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) in ("Cc", "Cf", "Cs")]

    assert plain("".join(unseen)) == "\u200c\u200d"
