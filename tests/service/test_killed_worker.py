"""A worker on SQLite killed at random moments: nothing acknowledged is lost, nothing doubled."""

import random
import time
from contextlib import closing

import pytest
from process_tree import descendants, survivors
from shared_workers import Vendor, Workers, all_due, entry_faults, fill, stored_titles
from specimen.witnesses import Log
from sqlalchemy import select
from waiting import wait_until

from storage.engine.database import Database, open_database
from storage.models import FetchFacts, Gap, Snapshot, Source

pytestmark = pytest.mark.slow


def test_a_worker_killed_again_and_again_loses_and_doubles_nothing(
    new_database_url, tmp_path, kills
):
    url, log, rng = new_database_url(), Log(tmp_path / "worker.log"), random.Random(1)
    workers = Workers(url, log.file, level="info")
    with closing(Vendor()) as vendor, closing(open_database(url)) as database:
        fill(database, 60, vendor.port)
        for _ in range(kills):
            all_due(database)
            size = log.size()
            workers.start()
            wait_until(lambda size=size: log.new_entries(size))
            time.sleep(rng.uniform(0, 0.8))
            worker = workers.running.pop()
            started = descendants(worker.pid)
            worker.kill()
            worker.wait()
            assert not survivors(started, seconds=5)

            assert entry_faults(database, log.new_entries()) == []
            assert half_stored(database) == []
        assert sum(map(len, stored_titles(database).values())) > kills


def half_stored(database: Database) -> list[str]:
    """Return the sources whose entries, facts and snapshots do not go together, and the gaps."""
    stored = {slug for slug, titles in stored_titles(database).items() if titles}
    with database.read() as session:
        fetched = select(Source.slug).join(Source.facts).where(FetchFacts.body_hash.is_not(None))
        snapshots = session.scalars(select(Source.slug).join(Snapshot)).all()
        gaps = [f"a gap after {gap.after_id}" for gap in session.scalars(select(Gap))]
        return [*(stored ^ set(session.scalars(fetched))), *(stored ^ set(snapshots)), *gaps]
