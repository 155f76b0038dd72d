"""What several processes want at once: hits, sources, slots, keys. On either database."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from storage.catalog.sources import ids_of, save_sources
from storage.entries.diffs import SnapshotRecord, add_snapshot, drop_snapshots, last_snapshot
from storage.models import Account
from storage.people.accounts import Refused
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT, add_key

pytestmark = pytest.mark.slow

PROCESSES = 2
HITTING = """
import sys
from datetime import datetime, timedelta
from storage.engine.database import open_database
from storage.people.throttle import Limit, hit

database = open_database(sys.argv[1])
now = datetime.fromisoformat(sys.argv[2])
admitted = 0
for _ in range(100):
    with database.write() as session:
        admitted += hit(session, "ada", Limit(60, timedelta(hours=1)), now=now).admitted
print(admitted)
"""
CLAIMING = """
import sys
from datetime import datetime
from storage.engine.database import open_database
from storage.scheduling.due import claim_sources, is_due

database = open_database(sys.argv[1])
now = datetime.fromisoformat(sys.argv[2])
mine = set()
while True:
    with database.write() as session:
        claims = claim_sources(session, is_due(now), now=now, most=3, per_host=3, mine=mine)
    if not claims:
        break
    mine |= {claim.source_id for claim in claims}
    print(*(claim.source_id for claim in claims), flush=True)
"""
REQUESTING = """
import sys
from datetime import datetime
from openapi.vocabulary import RequestStatus
from storage.engine.database import open_database
from storage.catalog.requests import add_request, move_request

database = open_database(sys.argv[1])
now = datetime.fromisoformat(sys.argv[2])
for _ in range(60):
    with database.write() as session:
        add_request(session, url="https://acme.example/", note=None, now=now)
    with database.write() as session:
        request = add_request(session, url="https://acme.example/", note=None, now=now)
        move_request(session, request, RequestStatus.REJECTED, now=now)
"""


@pytest.fixture
def at_once(database, now):
    """Run code in several processes: ``at_once(code)``, what each wrote."""

    def at_once(code):
        address = database.engine.url.render_as_string(hide_password=False)
        command = [sys.executable, "-c", code, address, now.isoformat()]
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)
        ]
        written = [process.communicate(timeout=120)[0] for process in running]
        assert [process.returncode for process in running] == [0] * PROCESSES
        return written

    return at_once


def test_processes_count_hits_exactly_together(at_once):
    assert sum(map(int, at_once(HITTING))) == 60


def test_an_address_that_is_requested_while_it_is_decided_is_stored(at_once):
    at_once(REQUESTING)


@pytest.mark.only_on("sqlite")
def test_processes_never_claim_a_source_twice(database, at_once, row, now):
    slugs = [f"acme.s{number:03}" for number in range(120)]
    with database.write() as session:
        save_sources(session, [row(slug) for slug in slugs])
        ids = sorted(ids_of(session, slugs).values())

    claimed = [int(key) for output in at_once(CLAIMING) for key in output.split()]

    assert sorted(claimed) == ids


def test_parallel_calls_never_make_an_eleventh_key(database, account, now):
    def one_more(_):
        try:
            with database.write() as session:
                add_key(session, session.get_one(Account, account), name="k", scopes=[], now=now)
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        added = list(pool.map(one_more, range(LIVE_KEYS_PER_ACCOUNT + 8)))

    assert sum(added) == LIVE_KEYS_PER_ACCOUNT


def test_a_state_that_comes_back_while_it_is_forgotten_is_kept(database, catalog, now):
    """One source forgets its only snapshot of a state that another publishes just then."""
    state = SnapshotRecord("a" * 64, b"state", "1", 1)
    one, other = catalog["acme.s0"], catalog["acme.s1"]

    def forget(key):
        with database.write() as session:
            drop_snapshots(session, [key])

    def publish():
        with database.write() as session:
            add_snapshot(session, other, state, now=now)
            forgetting.append(pool.submit(forget, key))

    for _ in range(10):
        with database.write() as session:
            key = add_snapshot(session, one, state, now=now)
        forgetting = []
        with ThreadPoolExecutor(1) as pool:
            publish()
        assert forgetting[0].exception() is None
        with database.read() as session:
            assert last_snapshot(session, one) is None
            assert last_snapshot(session, other).body == b"state"
