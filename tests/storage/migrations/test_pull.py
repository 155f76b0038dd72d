"""Migration 0025: sources keep the pace of their median gap until their cadence is measured."""

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from storage.engine.database import faults, open_database, upgrade
from storage.engine.sqlite import MIGRATING


def migrate(database, revision):
    with database.engine.execution_options(**MIGRATING).begin() as connection:
        config = Config()
        config.set_main_option("script_location", "storage:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


@pytest.fixture
def upgraded(new_database_url):
    """A database that had a source for each of three gaps before there was a pull."""
    database = open_database(new_database_url(empty=True))
    migrate(database, "0024")
    with database.write() as session:
        for number, gap in enumerate((None, 0, 4 * 86_400), 1):
            session.execute(
                text(
                    "INSERT INTO sources (id, slug, vendor, name, name_folded, kind, "
                    "changelog_url, adapter_type, tags, prominence, health, entry_count, "
                    "important_count) VALUES (:id, :slug, 'acme', 'Mail', 'mail', 'changelog', "
                    "'https://acme.example/', 'rss', :tags, 0, 'unknown', 0, 0)"
                ),
                {"id": number, "slug": f"acme.p{number}", "tags": b"[]"},
            )
            session.execute(
                text(
                    "INSERT INTO fetch_facts (source_id, feed_url, host, fail_score, failures, "
                    "empty_streak, entries_180d, open_gap, median_gap) VALUES (:id, "
                    "'https://acme.example/', 'acme.example', 0, 0, 0, 0, false, :gap)"
                ),
                {"id": number, "gap": gap},
            )
    upgrade(database)
    yield database
    database.close()


def test_the_pull_begins_as_that_of_the_median_gap(upgraded):
    with upgraded.read() as session:
        rows = session.execute(text("SELECT pull, rhythm, floor FROM fetch_facts ORDER BY 1")).all()

    assert sorted(rows, key=lambda row: row.pull or 0) == [
        (None, "", None),
        (None, "", None),
        (0.5, "", None),
    ]


def test_the_database_is_as_the_models_say(upgraded):
    assert faults(upgraded) == []
