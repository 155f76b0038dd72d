"""PostgreSQL killed under writers: what was acknowledged is kept, and all go on by themselves."""

import pytest
from kill_database import run


@pytest.mark.only_on("postgresql")
def test_nothing_acknowledged_is_lost_when_the_database_is_killed_twice():
    outcome = run(kills=2, workers=2, sources=40, seed=1)

    assert outcome.faults == []
    assert outcome.asked > 0
    assert outcome.entries > 0
