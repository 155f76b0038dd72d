"""changewire source list --failing: which sources cannot be read, and why."""

import json
from datetime import UTC, datetime

import pytest
from filling import catalog_row

from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import open_database
from storage.models import FetchFacts

SLUGS = ["acme.mail", "acme.queue", "globex.mail"]


@pytest.fixture
def failing(database_url):
    """Three sources: one is fine, and globex.mail fails for longer than acme.queue."""
    database = open_database(database_url)
    with database.write() as session:
        save_sources(session, [catalog_row(slug) for slug in SLUGS])
        ids = ids_of(session, SLUGS)
        for slug, day, failure in (("acme.queue", 20, "timeout"), ("globex.mail", 2, "forbidden")):
            facts = session.get_one(FetchFacts, ids[slug])
            facts.failures, facts.last_failure, facts.last_message = 4, failure, "403 Forbidden"
            facts.first_failed_at = datetime(2026, 11, day, 9, tzinfo=UTC)
    database.close()


def test_failing_sources_are_listed_with_their_failure_the_longest_first(run, failing):
    rows = json.loads(run("source", "list", "--failing", "--json")[1])
    out = run("source", "list", "--failing")[1]

    assert [row["slug"] for row in rows] == ["globex.mail", "acme.queue"]
    facts = {"failure": "forbidden", "failures": 4, "message": "403 Forbidden"}
    assert rows[0].items() >= {**facts, "failing_since": "2026-11-02T09:00:00Z"}.items()
    head, first, _ = (line.split("\t") for line in out.splitlines())
    assert head == ["slug", "failure", "times", "since", "next check", "message"]
    assert first[:4] == ["globex.mail", "forbidden", "4", "2026-11-02 09:00"]
