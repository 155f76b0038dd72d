"""What can be read in two ways is not read at all."""

import json
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openapi.parsing import DEEPEST, EARLIEST, LATEST, Unreadable, parse_instant, parse_json
from openapi.requests import parse_query


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        (b"a=x+y&b=%2B%2c%C3%A9", {"a": "x y", "b": "+,é"}),
        (b"a%20b", {"a b": ""}),
        (b"&&a=1&", {"a": "1"}),
    ],
)
def test_a_query_is_read(raw, values):
    assert parse_query(raw) == (values, ())


BROKEN = "has a % that two hexadecimal digits do not follow."


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"a=1&a=1", "a must not be sent more than once."),
        (b"a=%ff&a=%ff", "a must not be sent more than once."),
        (b"a=%zz", f"a {BROKEN}"),
        (b"a=%ED%A0%80", "a must be UTF-8."),
        (b"a=\xc3\xa9", "a must be percent-encoded."),
        (b"%zz=1", f"The name of a parameter {BROKEN}"),
        (b"%0Aa=%00", '"\N{REPLACEMENT CHARACTER}a" must not contain a NUL character.'),
    ],
)
def test_a_query_that_can_be_read_in_two_ways_is_refused(raw, sentence):
    values, (violation,) = parse_query(raw + b"&other=1")

    assert (values, violation.sentence) == ({"other": "1"}, sentence)


@given(st.binary())
def test_no_query_is_too_broken_to_be_told_about(raw):
    values, violations = parse_query(raw)

    assert values.keys().isdisjoint(violation.where for violation in violations)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
def test_a_body_is_read_as_it_was_written(value):
    assert parse_json(json.dumps(value).encode()) == value


@given(st.binary() | st.text(alphabet='[]{}",:0123456789eE+-.\\ud8nultrfas ').map(str.encode))
def test_no_body_is_too_broken_to_be_refused(body):
    with suppress(Unreadable):
        json.dumps(parse_json(body), allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"NaN",
        b'{"\\udfff": 1}',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf{}",
        b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1),
        b'[{"b": {"a": 1, "a": 2}}]',
        b"{} {}",
    ],
)
def test_json_that_readers_disagree_about_is_refused(body):
    with pytest.raises(Unreadable):
        parse_json(body)


def test_a_body_may_nest_to_the_limit():
    parse_json(b"[" * DEEPEST + b"]" * DEEPEST)


@pytest.mark.parametrize("value", [b"0", b"[]", b'{"a":0}'])
def test_a_body_with_too_many_values_is_refused_before_it_is_read(value):
    began = time.perf_counter()

    with pytest.raises(Unreadable, match="has too many values"):
        parse_json(b"[" + (value + b",") * 300_000 + b"0]")

    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize("text", ["a,[{", '\\"', ',"'])
def test_what_is_inside_a_string_is_no_value(text):
    assert parse_json(json.dumps([text * 200_000]).encode()) == [text * 200_000]


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-01T00:00:00.1234567+02:00", datetime(2026, 10, 31, 22, 0, 0, 123456, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", EARLIEST),
        ("9999-12-31T23:59:59-14:00", LATEST),
    ],
)
def test_an_instant_is_read(text, instant):
    assert parse_instant(text) == instant


@given(st.datetimes(), st.integers(-23 * 60 - 59, 23 * 60 + 59))
def test_every_date_time_with_an_offset_is_an_instant_and_none_without(moment, minutes):
    text = moment.replace(tzinfo=timezone(timedelta(minutes=minutes))).isoformat()

    assert EARLIEST <= parse_instant(text) <= LATEST
    with pytest.raises(ValueError):
        parse_instant(moment.isoformat())
