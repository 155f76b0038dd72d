"""Workers on PostgreSQL share what is due; one that is killed costs its sources a minute."""

import hashlib

import pytest
from procrastinate.schema import SchemaManager
from shared_workers import run

MIGRATED = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"
"""SHA-256 of the schema of the queue that the first migration makes."""


@pytest.mark.only_on("postgresql")
def test_two_workers_of_which_one_is_killed_again_and_again_lose_and_double_nothing(kills):
    assert run(workers=2, kills=kills, sources=40, removed=8, every=10.0, seed=1) == []


def test_the_schema_of_the_queue_is_the_one_that_was_migrated():
    schema = SchemaManager.get_schema().encode()

    assert hashlib.sha256(schema).hexdigest() == MIGRATED, (
        "procrastinate's schema has changed: add its migrations as one of ours"
    )
