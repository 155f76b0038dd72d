"""PostgreSQL killed under writers: what was acknowledged is kept, and all go on by themselves."""

import os

import pytest
from kill_database import run


@pytest.mark.skipif(
    os.environ.get("CHANGEWIRE_TEST_DATABASE") != "postgresql",
    reason="it is PostgreSQL that is killed: CHANGEWIRE_TEST_DATABASE=postgresql",
)
def test_nothing_acknowledged_is_lost_when_the_database_is_killed_twice():
    outcome = run(kills=2, workers=2, sources=40, seed=1)

    assert outcome.faults == []
    assert outcome.asked > 0
    assert outcome.entries > 0
