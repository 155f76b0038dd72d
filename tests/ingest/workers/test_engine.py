"""Many sources at once: fair, never twice, released when a worker dies, stopped at once."""

import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from unittest.mock import Mock

import psycopg
import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError

from ingest.pipeline.check import check as check_source
from ingest.pipeline.ingestion import Ingestion, Summary
from ingest.pipeline.report import CheckStatus
from ingest.sandbox.parser_pool import ParserPool
from ingest.workers import common, pool, shared_queue
from ingest.workers.common import CROWD, spread_overdue
from ingest.workers.engine import check_due, sweep
from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.removal import remove_sources
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.models import Entry, FetchFacts, Source
from storage.scheduling.due import (
    LEASE,
    any_free,
    claim_sources,
    is_due,
    not_attempted_since,
    release_sources,
)

FEED = (
    b"<rss version='2.0'><channel><title>Acme</title><item><guid>1</guid><title>One</title>"
    b"<pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate></item></channel></rss>"
)
LOSE_THE_FIRST_END = (
    "CREATE SEQUENCE ends",
    "CREATE TABLE losing AS SELECT CAST(:task AS text) AS task",
    "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "IF OLD.task_name = (SELECT task FROM losing) AND nextval('ends') = 1 "
    "THEN RAISE 'the connection is lost'; END IF; RETURN OLD; END $$",
    "CREATE TRIGGER lose BEFORE DELETE ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION lose()",
)
"""The database refuses to end the first job of a task, as if it went away at that moment."""
JOB = """
WITH another AS (SELECT worker_id FROM procrastinate_register_worker_v1())
INSERT INTO procrastinate_jobs (queue_name, task_name, args, lock, status, worker_id)
VALUES ('checks', 'check', '{"host": "acme.example"}', 'acme.example',
    CAST(:status AS procrastinate_job_status),
    CASE WHEN :status = 'doing' THEN (SELECT worker_id FROM another) END)
"""
"""A job of another worker, by its status."""


@pytest.fixture
def parsers():
    """Children of this test's own: a worker that stops closes them."""
    with ParserPool(workers=1) as pool:
        yield pool


@pytest.fixture
def ingestion(database, make_client, parsers, now):
    return Ingestion(db=database, client=make_client(), parsers=parsers, now=lambda: now)


@pytest.fixture
def add_sources(database, site):
    """Add sources: ``add_sources({"acme": 3})`` adds three on the host acme.example."""

    def add_sources(hosts):
        rows = [
            CatalogRow(
                slug=f"{host}.product{number}",
                vendor=host,
                name=f"Product {number}",
                kind=Kind.CHANGELOG,
                homepage=None,
                changelog_url=site.url(f"/{host}/{number}", host=f"{host}.example"),
                adapter_type=AdapterType.RSS,
                feed_url=site.url(f"/{host}/{number}", host=f"{host}.example"),
                tags=("email",),
            )
            for host, count in hosts.items()
            for number in range(count)
        ]
        for row in rows:
            site.reply("/" + row.changelog_url.split("/", 3)[3], body=FEED)
        with database.write() as session:
            save_sources(session, rows)
        return ["/" + row.changelog_url.split("/", 3)[3] for row in rows]

    return add_sources


class Presence:
    """Who is being answered at a moment, and the most of them that ever were."""

    def __init__(self, site, *, seconds):
        self.most = Counter()
        self.order = []
        self._present = Counter()
        self._lock = threading.Lock()
        self._site = site
        self._seconds = seconds

    def answer(self, seen):
        names = (seen.path, seen.host.partition(":")[0])
        with self._lock:
            self.order.append(seen.path)
            for name in names:
                self._present[name] += 1
                self.most[name] = max(self.most[name], self._present[name])
        time.sleep(self._seconds)
        with self._lock:
            self._present.subtract(names)
        return self._site.answer(200, FEED)


def free(session, now):
    return claim_sources(session, is_due(now), now=now, most=100, per_host=100)


def test_two_sweeps_of_eight_threads_fetch_no_source_twice(
    ingestion, add_sources, site, now, database
):
    paths = add_sources({"acme": 12, "globex": 12, "initech": 12})
    presence = Presence(site, seconds=0.01)
    for path in paths:
        site.on(path, presence.answer)
    counts = []

    def sweep_all():
        found = Summary()
        sweep(ingestion, [not_attempted_since(now)], threads=8, on_report=found.add)
        counts.append(found.checks[CheckStatus.FETCHED])

    threads = [threading.Thread(target=sweep_all) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(counts) == 36
    assert Counter(presence.order) == dict.fromkeys(paths, 1)
    assert max(presence.most.values()) <= 2
    with database.read() as session:
        assert len(session.scalars(select(Entry)).all()) == 36


def test_a_crowded_host_keeps_nobody_waiting(ingestion, add_sources, site, now, monkeypatch):
    monkeypatch.setattr(shared_queue, "CLOSING_SECONDS", 0.1)  # seconds; the host takes longer
    paths = add_sources({"crowd": 40, "globex": 1, "initech": 1})
    presence = Presence(site, seconds=0.01)
    for path in paths:
        site.on(path, presence.answer)

    sweep(ingestion, [not_attempted_since(now)], threads=4, on_report=lambda report: None)

    others = [place for place, path in enumerate(presence.order) if "crowd" not in path]
    assert len(presence.order) == 42
    assert max(others) < 10
    assert presence.most["crowd.example"] == 2


@pytest.mark.only_on("sqlite")
def test_the_sources_of_a_killed_worker_are_free_when_its_lease_ends(database, add_sources, now):
    add_sources({"acme": 3})
    with database.write() as session:
        assert len(free(session, now)) == 3

    with database.write() as session:
        assert free(session, now + LEASE - timedelta(seconds=1)) == []
        assert len(free(session, now + LEASE)) == 3


@pytest.mark.only_on("sqlite")
def test_releasing_a_lease_takes_nothing_from_the_next_holder(database, add_sources, now):
    add_sources({"acme": 1})
    with database.write() as session:
        (mine,) = free(session, now)
        (theirs,) = free(session, now + LEASE)
        release_sources(session, [mine])

        assert session.scalars(select(FetchFacts.leased_until)).one() == theirs.until


@pytest.mark.only_on("sqlite")
def test_a_host_belongs_to_one_worker_at_a_time(database, add_sources, now):
    add_sources({"acme": 3, "globex": 1})
    with database.write() as session:
        mine = claim_sources(session, is_due(now), now=now, most=1, per_host=1)
        theirs = claim_sources(session, is_due(now), now=now, most=9, per_host=9)
        more = claim_sources(
            session, is_due(now), now=now, most=9, per_host=9, mine={mine[0].source_id}
        )

    assert [lease.host for lease in theirs] == ["globex.example"]
    assert [lease.host for lease in mine + more] == ["acme.example"] * 3


def test_a_worker_stops_at_once_and_releases_what_hangs(
    ingestion, add_sources, site, now, database
):
    paths = add_sources({"acme": 4})
    arrived, released = threading.Event(), threading.Event()

    def hang(seen):
        arrived.set()
        released.wait(30)
        return site.answer(200, FEED)

    for path in paths:
        site.on(path, hang)
    stop = threading.Event()
    working = {"threads": 4, "on_report": lambda _: None}
    worker = threading.Thread(target=check_due, args=(ingestion, stop), kwargs=working)
    worker.start()
    assert arrived.wait(10)

    stop.set()
    worker.join(10)
    stopped = not worker.is_alive()
    released.set()

    assert stopped
    with database.read() as session:
        facts = session.scalars(select(FetchFacts)).all()
    assert [(fact.leased_until, fact.last_attempt_at) for fact in facts] == [(None, None)] * 4


@pytest.mark.only_on("postgresql")
@pytest.mark.parametrize("task", ["check", "keep_queue"])
def test_a_job_whose_end_is_not_stored_holds_nothing_up(
    ingestion, add_sources, database, now, monkeypatch, task
):
    monkeypatch.setattr(shared_queue, "END_STORED_SECONDS", 0.5)
    add_sources({"acme": 1})
    with database.write() as session:
        for statement in LOSE_THE_FIRST_END:
            session.execute(text(statement), {"task": task} if ":task" in statement else {})
    stop, reports = threading.Event(), []

    def make_due():
        with database.write() as session:
            session.execute(update(FetchFacts).values(next_check_at=now))

    def check_again_later(report):
        reports.append(report)
        if len(reports) == 2:
            stop.set()
        else:
            threading.Timer(1.0, make_due).start()  # when the first job has ended

    timer = threading.Timer(20.0, stop.set)
    timer.start()
    check_due(ingestion, stop, threads=4, on_report=check_again_later)
    timer.cancel()

    assert len(reports) == 2


@pytest.mark.only_on("postgresql")
@pytest.mark.parametrize(
    ("status", "checked"), [("doing", ["globex"]), ("todo", ["acme", "globex"])]
)
def test_a_sweep_leaves_the_hosts_that_a_worker_checks_and_waits_for_none(
    ingestion, add_sources, database, now, status, checked
):
    add_sources({"acme": 1, "globex": 1})
    with database.write() as session:
        session.execute(text(JOB), {"status": status})
    reports = []

    sweep(ingestion, [not_attempted_since(now)], threads=2, on_report=reports.append)

    assert sorted(report.slug.partition(".")[0] for report in reports) == checked


@pytest.mark.only_on("postgresql")
def test_the_job_of_a_dead_worker_is_dropped_and_its_host_checked(ingestion, add_sources, database):
    add_sources({"acme": 1})
    with database.write() as session:
        session.execute(text(JOB), {"status": "doing"})
        session.execute(text("UPDATE procrastinate_workers SET last_heartbeat = '2026-01-01'"))
    stop, reports = threading.Event(), []

    def note(report):
        reports.append(report.slug)
        stop.set()

    timer = threading.Timer(20.0, stop.set)
    timer.start()
    check_due(ingestion, stop, threads=4, on_report=note)
    timer.cancel()

    assert reports == ["acme.product0"]


@pytest.mark.only_on("sqlite")
def test_a_check_during_which_the_database_goes_away_is_made_again(
    ingestion, add_sources, now, monkeypatch
):
    add_sources({"acme": 1})
    gone = [psycopg.OperationalError("server closed the connection unexpectedly")]

    def check(*arguments):
        if gone:
            raise OperationalError("SELECT 1", {}, gone.pop())
        return check_source(*arguments)

    monkeypatch.setattr(pool, "check", check)
    summary = Summary()
    sweep(ingestion, [not_attempted_since(now)], threads=1, on_report=summary.add)

    assert (gone, dict(summary.checks)) == ([], {CheckStatus.FETCHED: 1})


@pytest.mark.only_on("sqlite")
def test_what_has_ended_is_stored_though_a_search_failed_meanwhile(
    ingestion, add_sources, now, monkeypatch
):
    add_sources({"acme": 1})
    checking = pool.CheckPool(ingestion, [not_attempted_since(now)], threads=1)
    checking.advance()
    checking.wait(timedelta(seconds=10))
    gone = OperationalError("SELECT 1", {}, psycopg.OperationalError("server closed"))
    monkeypatch.setattr(pool, "any_free", Mock(side_effect=[gone, True]))

    with pytest.raises(OperationalError):
        checking.advance()

    assert [report.status for report in checking.advance()] == [CheckStatus.FETCHED]
    checking.stop()


class LostAnswers:
    """A database of which some writes are stored, or not begun, and end in an error."""

    def __init__(self, database, lost):
        self._database, self._lost = database, list(lost)

    def __getattr__(self, name):
        return getattr(self._database, name)

    @contextmanager
    def write(self):
        lost = self._lost.pop(0) if self._lost else ""
        error = OperationalError("COMMIT", {}, psycopg.OperationalError("server closed"))
        if lost == "not begun":
            raise error
        with self._database.write() as session:
            yield session
        if lost == "stored":
            raise error


def leased(database):
    """Return the sources whose lease has not ended."""
    with database.read() as session:
        return session.scalars(select(FetchFacts).where(FetchFacts.leased_until.is_not(None))).all()


@pytest.mark.only_on("sqlite")
def test_leases_that_were_stored_without_an_answer_are_given_back(
    ingestion, add_sources, database, now
):
    add_sources({"acme": 3})
    losing = replace(ingestion, db=LostAnswers(database, ["stored"]))

    with pytest.raises(OperationalError):
        sweep(losing, [not_attempted_since(now)], threads=1, on_report=lambda _: None)

    assert leased(database) == []


def test_hosts_that_sent_retry_after_are_left_alone(ingestion, add_sources, site, now, database):
    add_sources({"acme": 5})
    for number in range(3):
        site.reply(f"/acme/{number}", status=429, retry_after="3600")
    with database.write() as session:
        later = FetchFacts.source_id > 3
        session.execute(update(FetchFacts).where(later).values(next_check_at=now))
    first = [FetchFacts.source_id <= 3, not_attempted_since(now)]
    sweep(ingestion, first, threads=2, on_report=lambda report: None)

    summary = Summary()
    sweep(ingestion, [not_attempted_since(now)], threads=2, on_report=summary.add)

    assert summary.checks.total() == 0
    assert len(site.seen) == 3


def test_after_an_outage_sources_are_spread(ingestion, add_sources, database, now):
    add_sources({"crowd": CROWD, "globex": 1})
    with database.write() as session:
        session.execute(update(FetchFacts).values(next_check_at=now - timedelta(hours=9)))

    assert spread_overdue(ingestion, now=now) == CROWD + 1

    with database.read() as session:
        times = {
            host: [
                *session.scalars(select(FetchFacts.next_check_at).where(FetchFacts.host == host))
            ]
            for host in ("crowd.example", "globex.example")
        }
    crowd = sorted(times["crowd.example"])
    apart = {later - earlier for earlier, later in pairwise(crowd)}
    assert apart == {timedelta(milliseconds=250)}
    assert all(now <= at <= now + timedelta(seconds=16) for at in times["globex.example"])


def test_the_latest_by_their_own_measure_come_first_and_then_products(
    ingestion, add_sources, database, now, monkeypatch
):
    monkeypatch.setattr(common, "CROWD", 3)
    add_sources({"hourly": 1, "weekly": 1, "blog": 1, "product": 1})
    hour, day = timedelta(hours=1), timedelta(days=1)
    facts = {"hourly": (now - hour, hour), "weekly": (now - 2 * day, 7 * day)}
    with database.write() as session:
        session.execute(update(Source).where(Source.vendor == "blog").values(tier=Tier.BLOG))
        for vendor in ("blog", "product", "hourly", "weekly"):
            due_at, interval = facts.get(vendor, (now, hour))
            ours = FetchFacts.host == f"{vendor}.example"
            session.execute(
                update(FetchFacts).where(ours).values(next_check_at=due_at, interval=interval)
            )

    spread_overdue(ingestion, now=now)

    with database.read() as session:
        hosts = session.scalars(select(FetchFacts.host).order_by(FetchFacts.next_check_at)).all()
    assert [host.partition(".")[0] for host in hosts] == ["hourly", "weekly", "product", "blog"]


def test_what_was_checked_by_a_clock_that_was_ahead_is_due_when_that_is_put_back(
    ingestion, add_sources, now, database
):
    add_sources({"acme": 3})
    year, hour = timedelta(days=365), timedelta(hours=1)
    checks = [("acme.product0", now + year), ("acme.product1", now), ("acme.product2", now + hour)]
    with database.write() as session:
        for slug, at in checks:
            source = select(Source.id).where(Source.slug == slug).scalar_subquery()
            checked = {"last_attempt_at": at, "next_check_at": at + hour}
            session.execute(
                update(FetchFacts).where(FetchFacts.source_id == source).values(checked)
            )

    spread_overdue(ingestion, now=now)

    with database.read() as session:
        due = select(Source.slug).join(FetchFacts).where(is_due(now))
        assert session.scalars(due).all() == ["acme.product0"]


def test_a_retry_after_stored_by_a_clock_that_was_ahead_holds_from_now_on(
    ingestion, add_sources, now, database
):
    add_sources({"acme": 1})
    ahead, hour = now + timedelta(days=365), timedelta(hours=1)
    with database.write() as session:
        asked = {"last_attempt_at": ahead, "next_check_at": ahead + hour}
        session.execute(update(FetchFacts).values(asked | {"retry_after_at": ahead + hour}))

    for minutes in (0, 10):
        spread_overdue(ingestion, now=now + timedelta(minutes=minutes))

    with database.read() as session:
        frees = [any_free(session, is_due(at), now=at) for at in (now + hour / 2, now + hour)]
    assert frees == [False, True]


def test_sources_that_are_removed_during_a_sweep_are_passed_over(
    ingestion, add_sources, site, now, database
):
    paths = add_sources({"acme": 4, "globex": 4})

    def removing(seen):
        with database.write() as session:
            ids = list(session.scalars(select(Source.id).where(Source.slug.like("globex%"))))
            remove_sources(session, ids, now=now)
        return site.answer(200, FEED)

    site.on(paths[0], removing)

    summary = Summary()
    sweep(ingestion, [not_attempted_since(now)], threads=8, on_report=summary.add)

    assert summary.checks[CheckStatus.FETCHED] >= 4
    with database.read() as session:
        left = session.scalars(select(Source.slug)).all()
        stored = session.scalars(select(Entry.source_id)).all()
    assert sorted(left) == [f"acme.product{number}" for number in range(4)]
    assert len(stored) == 4


@pytest.mark.only_on("postgresql")
def test_removals_beside_a_sweep_deadlock_nobody(ingestion, add_sources, site, now, database):
    add_sources({f"host{number}": 4 for number in range(12)})
    with database.read() as session:
        ids = dict(session.execute(select(Source.id, Source.slug)).all())
    leaving = [key for key, slug in ids.items() if slug.endswith(("1", "3"))]
    failures = []

    def remove():
        for chosen in (leaving[at : at + 4] for at in range(0, len(leaving), 4)):
            try:
                with database.write() as session:
                    remove_sources(session, chosen[::-1], now=now)
            except DBAPIError as error:
                failures.append(error)

    remover = threading.Thread(target=remove)
    remover.start()
    sweep(ingestion, [not_attempted_since(now)], threads=8, on_report=lambda _: None)
    remover.join()

    assert failures == []
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Source)) == len(ids) - len(leaving)
        assert set(session.scalars(select(Entry.source_id))) == set(ids) - set(leaving)
