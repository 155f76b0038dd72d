"""What is still looked for of a source: how it is stored, and when it is tried again."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.lookups import Lookups, ReleaseWalk, Tries, from_json, to_json

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TIMES = st.datetimes(timezones=st.just(UTC))
TRIES = st.builds(Tries, st.integers(0, 9), TIMES)
WALKS = st.builds(ReleaseWalk, TIMES, st.integers(0, 3), st.none() | st.text())


@given(st.builds(Lookups, st.dictionaries(st.text(), TRIES), st.none() | WALKS))
def test_what_is_stored_is_read_again(lookups):
    assert from_json(to_json(lookups)) == lookups


def test_nothing_to_look_for_is_stored_as_nothing():
    assert to_json(Lookups()) is None
    assert from_json(None) == Lookups()


def test_a_document_is_needed_when_anything_is_due():
    later = Tries(1, NOW + timedelta(hours=1))
    waiting = Lookups({"a": later}, ReleaseWalk(NOW + timedelta(hours=1)))

    assert not waiting.is_due(NOW)
    assert waiting.is_due(NOW + timedelta(hours=1))
    assert waiting.with_posting("b", Tries(1, NOW)).is_due(NOW)
