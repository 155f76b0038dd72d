"""changewire source list --failing: which sources cannot be read, and why."""

import json
from datetime import UTC, datetime

import pytest

from storage.catalog.sources import ids_of
from storage.engine.database import open_database
from storage.models import FetchFacts

HEADER = "slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags\n"
SLUGS = ["acme.mail", "acme.queue", "globex.mail"]


@pytest.fixture
def failing(run, database_url, tmp_path):
    """Three sources: one is fine, and globex.mail fails for longer than acme.queue."""
    file = tmp_path / "catalog.csv"
    rows = [
        f"{slug},{slug[: slug.index('.')]},{slug},changelog,,"
        f"https://{slug}.example/log,rss,https://{slug}.example/feed,api\n"
        for slug in SLUGS
    ]
    file.write_text(HEADER + "".join(rows))
    run("catalog", "load", str(file))
    database = open_database(database_url)
    with database.write() as session:
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
