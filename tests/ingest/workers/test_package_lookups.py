"""Packages are looked up in an index that answers from loopback, well or badly."""

import csv
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from filling import catalog_row

from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from ingest.workers import package_lookups
from ingest.workers.engine import check_due
from ingest.workers.package_lookups import has_due_lookups, look_up_due
from package_versions.package_index import index_name_of
from package_versions.package_urls import PackageUrl
from storage.catalog.on_demand import uses_of
from storage.catalog.package_lookups import PAUSES, VALID_FOR, due_lookups, lookups_of, want_lookups
from storage.catalog.sources import save_sources
from storage.catalog.stack_upgrades import stack_sources
from storage.people.accounts import add_account
from storage.people.stacks import SavedPart, save_parts

NAMES = Path(__file__).with_name("package_index.csv").read_text("utf-8")
ROWS = list(csv.DictReader(NAMES.splitlines()))
TYPES = {"source": "SOURCE_REPO", "issues": "ISSUE_TRACKER"}
DAY = timedelta(days=1)


@pytest.fixture
def ingestion(database, site, make_client, parsers, now):
    return Ingestion(
        db=database,
        client=make_client(),
        parsers=parsers,
        now=lambda: now,
        package_index=site.url(""),
    )


@pytest.fixture
def want(database, now):
    """Have packages looked up: ``want(purl, …, at=now)``."""

    def want(*purls, at=now):
        parts = map(PackageUrl.parse, purls)
        with database.write() as session:
            want_lookups(session, [(part.part, index_name_of(part)) for part in parts], at)

    return want


@pytest.fixture
def seen(database):
    """Return what is stored of a package: ``seen(purl)``."""

    def seen(purl):
        part = PackageUrl.parse(purl).part
        with database.read() as session:
            return lookups_of(session, [part])[part]

    return seen


@pytest.fixture
def index(site):
    """Let the index know a package: ``index(purl, version, related)``; returns its path."""

    def index(purl, version="1.0.0", related="source github.com/acme/tool UNVERIFIED_METADATA"):
        name = index_name_of(PackageUrl.parse(purl))
        key = {"system": name.system.upper(), "name": name.name}
        versions = [{"versionKey": {**key, "version": version}, "isDefault": True}]
        projects = [
            {
                "relationType": TYPES[words[0]],
                "projectKey": {"id": words[1]},
                "relationProvenance": words[2],
            }
            for words in map(str.split, filter(None, related.split(";")))
        ]
        package = {"packageKey": key, "versions": versions}
        of_version = {"versionKey": versions[0]["versionKey"], "relatedProjects": projects}
        site.reply(name.path, body=json.dumps(package).encode())
        site.reply(name.version_path(version), body=json.dumps(of_version).encode())
        return name.path

    return index


def test_each_name_has_the_repository_that_the_index_names_or_none(
    ingestion, index, want, seen, site
):
    for row in ROWS:
        index(row["purl"], row["version"], row["related"])
    want("pkg:npm/unheard-of", *(f"{row['purl']}@0.0.7" for row in ROWS))

    while has_due_lookups(ingestion):
        look_up_due(ingestion, threading.Event())

    found = {row["purl"]: seen(row["purl"]).repository or "" for row in ROWS}
    assert found == {row["purl"]: row["repository"] for row in ROWS}
    assert seen("pkg:npm/unheard-of").seen_in == package_lookups.NOT_KNOWN
    assert not [request for request in site.seen if "0.0.7" in request.path]
    assert all(seen(row["purl"]).seen_in for row in ROWS)


@pytest.mark.parametrize(("purl", "is_certain"), [("pkg:npm/vite", True), ("pkg:npm/vue", False)])
def test_a_mapping_says_how_sure_it_is_and_where_it_was_seen(
    ingestion, index, want, seen, purl, is_certain
):
    row = next(row for row in ROWS if row["purl"] == purl)
    index(purl, row["version"], row["related"])
    want(purl)

    look_up_due(ingestion, threading.Event())

    assert seen(purl).is_certain is is_certain
    assert row["version"] in seen(purl).seen_in


def drip(stream):
    """Write a byte now and then, for ever."""
    stream.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        stream.write(b" ")
        stream.flush()
        time.sleep(0.05)


def flood(stream):
    stream.write(b"HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n")
    for _ in range(50):
        stream.write(b" " * 1_048_576)


@pytest.mark.parametrize(
    "answer",
    [
        {"raw": drip},
        {"raw": flood},
        {"raw": lambda stream: stream.write(b"\x00" * 100)},
        {"status": 302, "location": "http://10.0.0.1/v3"},
        {"status": 500},
        {"body": b'{"packageKey": {"system": "NPM", "name": "other"}}'},
        {"body": b"<html>sign in</html>"},
    ],
    ids=["hangs", "50 MB", "no HTTP", "private", "error", "lies", "page"],
)
def test_a_bad_answer_costs_its_own_package_alone(
    ingestion, index, want, seen, site, monkeypatch, now, answer
):
    monkeypatch.setattr(package_lookups, "DEADLINE", timedelta(seconds=1))
    site.reply(index("pkg:npm/bad"), **answer)
    index("pkg:npm/good")
    want("pkg:npm/bad", "pkg:npm/good")

    look_up_due(ingestion, threading.Event())

    assert (seen("pkg:npm/good").repository, seen("pkg:npm/bad").repository) == (
        "pkg:github/acme/tool",
        None,
    )
    assert not has_due_lookups(ingestion)
    assert has_due_lookups(replace(ingestion, now=lambda: now + PAUSES[0]))


def test_what_fails_is_tried_again_a_few_times_and_then_has_no_source(
    ingestion, index, want, seen, site, now
):
    site.reply(index("pkg:npm/bad"), status=500)
    want("pkg:npm/bad")

    for days in range(6):
        look_up_due(replace(ingestion, now=lambda at=now + days * DAY: at), threading.Event())

    assert seen("pkg:npm/bad").answered_at is not None
    assert len(site.seen) == len(PAUSES) + 1


def test_few_packages_do_not_wait_behind_a_large_file(want, database, now):
    want(*(f"pkg:npm/p{n}" for n in range(100)))
    want("pkg:npm/late", at=now + PAUSES[0])

    with database.read() as session:
        due = [purl for purl, _ in due_lookups(session, now=now + DAY, most=50)]

    assert "pkg:npm/late" in due[:2]
    assert len(due) == len(set(due)) == 50


def test_an_index_that_fails_often_gets_a_pause(ingestion, index, want, site, now):
    purls = [f"pkg:npm/p{n}" for n in range(40)]
    for purl in purls:
        site.reply(index(purl), status=500)
    want(*purls)

    look_up_due(ingestion, threading.Event())

    assert len(site.seen) <= package_lookups.PATIENCE + package_lookups.THREADS
    assert not has_due_lookups(replace(ingestion, now=lambda: now + timedelta(minutes=4)))
    assert has_due_lookups(replace(ingestion, now=lambda: now + timedelta(minutes=6)))


def test_an_old_answer_is_asked_for_again_and_stays_meanwhile(
    ingestion, index, want, seen, site, now
):
    index("pkg:npm/tool")
    want("pkg:npm/tool")
    look_up_due(ingestion, threading.Event())
    later = now + VALID_FOR + DAY

    want("pkg:npm/tool", at=later)

    assert seen("pkg:npm/tool").repository == "pkg:github/acme/tool"
    assert has_due_lookups(replace(ingestion, now=lambda: later))


@pytest.mark.parametrize("address", ["https://acme.example/tool", "https://github.com/acme/tool"])
def test_a_repository_outside_of_the_catalog_is_read_for_the_stacks_that_have_it(
    ingestion, index, want, database, now, address
):
    with database.write() as session:
        save_sources(session, [catalog_row("acme.tool", changelog_url=address)])
        ada = add_account(session, "ada@acme.example", now=now).id
        save_parts(session, ada, [SavedPart("pkg:npm/tool", "1.0.0")])
    index("pkg:npm/tool")
    want("pkg:npm/tool")

    look_up_due(ingestion, threading.Event())

    with database.read() as session:
        assert len(uses_of(session, ada)) == ("github" not in address)
        assert len(stack_sources(session, ada)) == 1


@contextmanager
def working(ingestion):
    """Run a worker while the block runs."""
    stop = threading.Event()
    arguments = {"threads": 1, "on_report": lambda _: None}
    thread = threading.Thread(target=check_due, args=(ingestion, stop), kwargs=arguments)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_worker_looks_up_what_is_wanted_within_seconds(ingestion, index, want, seen):
    index("pkg:npm/tool")
    want("pkg:npm/tool")

    with ParserPool(workers=1) as parsers, working(replace(ingestion, parsers=parsers)):
        ends = time.monotonic() + 15
        while seen("pkg:npm/tool").answered_at is None and time.monotonic() < ends:
            time.sleep(0.1)

    assert seen("pkg:npm/tool").repository == "pkg:github/acme/tool"
