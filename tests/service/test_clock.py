"""Times as people write them."""

import pytest

from service.clock import parse_since


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7d", "2026-11-14T12:00:00+00:00"),
        ("2w", "2026-11-07T12:00:00+00:00"),
        ("2026-11-01", "2026-11-01T00:00:00+00:00"),
        ("2026-11-01T09:30:00+01:00", "2026-11-01T08:30:00+00:00"),
    ],
)
def test_times_are_read_as_they_are_typed(now, text, expected):
    assert parse_since(text, now=now).isoformat() == expected


@pytest.mark.parametrize("text", ["", "yesterday", "-7d", "999999w", "2026-13-01", "٣d"])
def test_a_time_that_is_none_is_refused_in_words(now, text):
    with pytest.raises(ValueError, match="is no time: write"):
        parse_since(text, now=now)
