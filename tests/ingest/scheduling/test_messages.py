"""Failures and durations in words."""

from datetime import timedelta

import pytest

from ingest.fetching.outcomes import Failure
from ingest.scheduling.health import duration, failure_message

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize("failure", list(Failure))
def test_every_failure_has_a_message(failure):
    assert failure_message(failure, None)
    assert failure_message(failure, 503).endswith(", HTTP 503")
    assert "HTTP" not in failure_message(failure, 200)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(), "less than a minute"),
        (119 * SECOND, "1 minute"),
        (119 * MINUTE, "119 minutes"),
        (47 * HOUR, "47 hours"),
        (48 * HOUR, "2 days"),
    ],
)
def test_durations_in_words(value, text):
    assert duration(value) == text
