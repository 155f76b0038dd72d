"""An ETag that is known stands for a body that is the same: whatever is written, and as time goes.

A service is changed at random, by everything that writes and by hand, and after each change every
list is asked for twice: by who has it, and by who does not.
"""

import asyncio
import os
import random
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update

from handlers.api.application import create_api
from handlers.context import Context
from openapi.vocabulary import Health, Plan
from service.source_health import holds_until, judge
from storage.catalog.removal import remove_sources
from storage.catalog.sources import ids_of, save_sources
from storage.entries.diffs import add_diff
from storage.entries.documents import EntryRelease, EntryText
from storage.entries.entry_writes import (
    Edit,
    EntryRecord,
    known_entries,
    retag_entries,
    save_entries,
)
from storage.entries.reclassification import RejudgedEntry, save_importance
from storage.entries.search.index import words_of_documents
from storage.models import Account, ApiKey, Diff, Entry, FetchFacts, Source
from storage.people.keys import select_sources

CHANGES = int(os.environ.get("CHANGEWIRE_TEST_CHANGES", "100"))
WHY = (
    b'{"categories":["breaking"],"evidence":[{"category":"breaking","field":"title",'
    b'"text":"%d","start":0,"end":1}]}'
)
DIFF = (
    b'{"id":"%d","before":{"snapshotId":"1","fetchedAt":"2026-11-20T00:00:00Z","contentHash":"%s",'
    b'"entryCount":1},"after":{"snapshotId":"2","fetchedAt":"2026-11-21T00:00:00Z",'
    b'"contentHash":"%s","entryCount":1},"stats":{"added":1,"changed":0,"removed":0,"rolledOff":0,'
    b'"unchanged":0},"truncated":false,"changes":[]}'
)
NEEDLESS = {
    ("an edit", "entries"): "an entry on another page, or one that since leaves out",
    ("an edit", "latest"): "an entry on another page",
    ("an edit", "important"): "an entry on another page",
    ("a new entry", "entries"): "one that since leaves out",
    ("a new entry", "latest"): "one that is ahead of its time and not shown yet",
    ("a new entry", "important"): "one that is ahead of its time and not shown yet",
    ("a write by hand", "entries"): "another source's entry; nobody does that all day",
    ("a write by hand", "latest"): "an entry on another page",
    ("a write by hand", "important"): "an entry on another page",
    ("new tags", "entries"): "another source's entries; a catalog is loaded seldom",
    ("new tags", "latest"): "an entry on another page",
    ("new tags", "important"): "an entry on another page",
    ("new rules", "important"): "an entry on another page",
    ("a source goes", "entries"): "with entries: another source's",
    ("a source goes", "latest"): "its entries were on another page, and others came",
    ("a source goes", "important"): "its entries were not important, or on another page",
}
"""What changes an ETag without changing the body, by list, and why that is rare enough."""


@dataclass
class World:
    """A database that is changed by chance; its clock only goes forward."""

    database: object
    now: object
    chance: random.Random
    row: object
    count: int = 0

    def source(self, session):
        """Some source's row."""
        return self.chance.choice(session.scalars(select(Source).order_by(Source.id)).all())

    def entry(self, session):
        """Some entry's row, or None."""
        found = session.scalars(select(Entry).order_by(Entry.id)).all()
        return self.chance.choice(found) if found else None

    def written(self, slug, title, age, tags):
        """An entry as ingestion would write it, important by chance."""
        self.count += 1
        text = EntryText(
            title,
            slug,
            slug.partition(".")[0],
            self.now - age,
            f"{title} {self.count}",
            None,
            f"All about {self.count}.",
            {"guid": title},
            tags,
        )
        important = WHY % self.count if self.chance.random() < 0.3 else None
        return EntryRecord(text, f"{self.count:064}", important, 1)

    def a_new_entry(self, session):
        source = self.source(session)
        age = timedelta(minutes=self.chance.choice([-90, -5, 1, 60, 5_000]))
        new = self.written(source.slug, f"n{self.count}", age, ["cloud"])
        save_entries(session, source.id, new=[new], edited=[], now=self.now)

    def an_edit(self, session):
        entry = self.entry(session)
        if entry is not None:
            source = session.get_one(Source, entry.source_id)
            known = known_entries(session, source.id, ids=[entry.external_id], urls=())
            age = self.now - entry.published_at
            edit = Edit(known[0], self.written(source.slug, entry.external_id, age, ["cloud"]))
            save_entries(session, source.id, new=[], edited=[edit], now=self.now)

    def new_rules(self, session):
        entry = self.entry(session)
        if entry is not None:
            self.count += 1
            why = WHY % self.count if self.chance.random() < 0.5 else None
            said = RejudgedEntry(
                entry.id,
                entry.content_hash,
                why,
                (),
                entry.public_document,
                entry.document,
                EntryRelease(None, None),
                words_of_documents(entry.document, entry.public_document),
            )
            save_importance(session, [said], version=entry.importance_version + 1)

    def new_tags(self, session):
        self.count += 1
        row = self.row(self.source(session).slug, tags=(f"tag{self.count}",))
        retag_entries(session, save_sources(session, [row]).retagged)

    def another_name(self, session):
        self.count += 1
        save_sources(session, [self.row(self.source(session).slug, name=f"Name {self.count}")])

    def a_look(self, session):
        facts = session.get_one(FetchFacts, self.source(session).id)
        facts.last_attempt_at = self.now
        facts.first_attempt_at = facts.first_attempt_at or self.now
        facts.entries_180d = 20
        if self.chance.random() < 0.7:
            facts.last_success_at, facts.fail_score, facts.last_failure = self.now, 0.0, None
        else:
            facts.fail_score, facts.last_failure = facts.fail_score + 0.5, "timeout"

    def another_health(self, session):
        self.source(session).health = self.chance.choice(list(Health))

    def a_source_comes(self, session):
        self.count += 1
        save_sources(session, [self.row(f"newco{self.count}.mail")])

    def a_source_goes(self, session):
        if session.scalar(select(func.count()).select_from(Source)) > 12:
            remove_sources(session, [self.source(session).id], now=self.now)

    def another_plan(self, session):
        account = session.scalars(select(Account).order_by(Account.id)).first()
        account.plan = self.chance.choice(list(Plan))

    def another_selection(self, session):
        key = session.scalars(select(ApiKey).order_by(ApiKey.id)).first()
        if session.get_one(Account, key.account_id).plan is not Plan.FREE:
            some = self.chance.sample(ASKED_FOR, self.chance.randint(1, 3))
            select_sources(session, key, ids_of(session, some).values(), now=self.now)

    def a_diff(self, session):
        self.count += 1
        document = DIFF % (self.count, b"0" * 64, b"1" * 64)
        source_id = ids_of(session, ["acme.mail"]).get("acme.mail")
        if source_id is not None:
            add_diff(session, source_id, document=document, now=self.now)

    def an_old_diff_goes(self, session):
        oldest = session.scalar(select(func.min(Diff.id)))
        session.execute(delete(Diff).where(Diff.id == oldest))

    def a_write_by_hand(self, session):
        entry = self.entry(session)
        if entry is not None:
            self.count += 1
            changed = self.chance.choice(
                [
                    {"document": entry.document.replace(b"All about", b"All  about", 1)},
                    {"public_document": entry.public_document.replace(b"about", b"aboot", 1)},
                    {"published_at": entry.published_at - timedelta(minutes=self.count)},
                ]
            )
            session.execute(update(Entry).where(Entry.id == entry.id).values(changed))

    def time_goes(self, _session):
        self.now += timedelta(minutes=self.chance.choice([1, 7, 45, 600, 4_000]))

    def nothing(self, _session):
        """Happens too."""


MUTATIONS = [
    name
    for name, value in vars(World).items()
    if callable(value) and name not in ("source", "entry", "written") and name[0] != "_"
]
ASKED_FOR = ["acme.mail", "globex.mail", "initech.storage"]


@pytest.fixture
def asking(call_asgi):
    """Ask an application as a server would: ``asking(app)`` gives what asks it from one loop.

    That gives status, ETag and body for a target and headers.
    """
    with asyncio.Runner() as runner:

        def of(app):
            def get(target, headers):
                status, found, body = runner.run(call_asgi(app, target, headers))
                return status, found.get(b"etag", b"").decode(), body

            return get

        yield of


@pytest.fixture
def requests(new_key):
    """Every list by name, with what is asked for and the headers."""
    every = new_key(Plan.ALL, diffs_addon=True)
    some = new_key(Plan.STARTER, sources=ASKED_FOR)
    of_three = f"/api/v1/entries?sources={','.join(ASKED_FOR)}"
    return [
        ("entries", f"{of_three}&limit=3", every),
        ("entries", f"{of_three}&limit=3&offset=3", some),
        ("entries", f"{of_three}&since=2026-11-21T11:00:00Z", every),
        ("changes", of_three.replace("entries", "changes") + "&limit=2", every),
        ("changes", "/api/v1/changes?after=now", some),
        ("latest", "/api/v1/latest?limit=4", {}),
        ("latest", "/api/v1/latest?limit=4&offset=4", {}),
        ("latest", "/api/v1/latest?limit=4&future=1", every),
        ("important", "/api/v1/important?limit=4", {}),
        ("sample", "/api/v1/sources", {}),
        ("sources", "/api/v1/sources?limit=5", every),
        ("sources", "/api/v1/sources?limit=5&offset=5", every),
        ("sources", "/api/v1/sources?vendor=acme", some),
        ("sources", "/api/v1/sources?selected=1", some),
        ("diffs", "/api/v1/diffs?source=acme.mail", every),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [int(os.environ.get("CHANGEWIRE_TEST_SEED", "1"))])
def test_the_same_etag_never_stands_for_another_body(
    database, now, catalog, requests, seed, row, asking
):
    world = World(database, now, random.Random(seed), row)
    services = Context(
        db=database,
        now=lambda: world.now,
        judge=judge,
        holds_until=holds_until,
        site_url="https://changewire.example",
    )
    last, needless = {}, Counter()
    get = asking(create_api(services))
    for _ in range(CHANGES):
        mutation = world.chance.choice(MUTATIONS)
        with database.write() as session:
            getattr(world, mutation)(session)
        for place, (operation, target, key) in enumerate(requests):
            whole = get(target, key)
            assert whole[0] in (200, 402, 403), whole
            if place in last and whole[0] == 200:
                known = get(target, {**key, "If-None-Match": last[place][1] or '"-"'})
                assert known[1] == whole[1]
                assert known[0] == (304 if whole[1] == last[place][1] else 200)
                if known[0] == 304:
                    assert whole[2] == last[place][2], (mutation, target)
                elif whole[2] == last[place][2]:
                    needless[mutation.replace("_", " "), operation] += 1
            last[place] = whole

    assert needless.keys() <= NEEDLESS.keys(), needless


def test_an_unchanged_answer_is_not_written(services, publish, new_key, monkeypatch, asking):
    publish("acme.mail", a=timedelta(hours=1))
    steady = replace(services, holds_until=lambda item, at: at + timedelta(hours=1))
    key = new_key()
    targets = [
        ("/api/v1/latest", {}),
        ("/api/v1/important", {}),
        ("/api/v1/sources", {}),
        ("/api/v1/sources?limit=5", key),
        ("/api/v1/entries?sources=acme.mail", key),
    ]
    get = asking(create_api(steady))
    tags = [get(target, headers)[1] for target, headers in targets]
    monkeypatch.setattr("handlers.api.render.Response", None)

    answers = [
        get(target, {**headers, "If-None-Match": tag})
        for (target, headers), tag in zip(targets, tags, strict=True)
    ]

    assert [response[:2] for response in answers] == [(304, tag) for tag in tags]


def test_a_source_that_comes_again_has_diffs_of_its_own(
    services, database, catalog, new_key, row, asking
):
    key = new_key(diffs_addon=True)
    target, get = "/api/v1/diffs?source=wonka.mail", asking(create_api(services))
    tags = []
    for number in (1, 2):
        with database.write() as session:
            save_sources(session, [row("wonka.mail")])
            (source_id,) = ids_of(session, ["wonka.mail"]).values()
            document = DIFF % (number, b"0" * 64, b"1" * 64)
            at = services.now() + timedelta(hours=number)
            add_diff(session, source_id, document=document, now=at)
        tags.append(get(target, key)[1])
        with database.write() as session:
            remove_sources(session, [source_id], now=services.now())

    assert tags[0] != tags[1]


def test_a_revoked_key_gets_no_304(services, database, publish, new_key, asking):
    publish("acme.mail", a=timedelta(hours=1))
    key = new_key()
    get = asking(create_api(services))
    target = "/api/v1/entries?sources=acme.mail"
    _, tag, _ = get(target, key)
    first = get(target, {**key, "If-None-Match": tag})[0]
    with database.write() as session:
        session.execute(update(ApiKey).values(revoked_at=services.now()))

    then = get(target, {**key, "If-None-Match": tag})[0]

    assert (first, then) == (304, 401)


def test_what_the_plan_says_is_in_the_etag_of_the_entries(services, publish, new_key, asking):
    publish("acme.mail", a=timedelta(hours=1))
    target = "/api/v1/entries?sources=acme.mail"
    get = asking(create_api(services))
    tags = [
        get(target, new_key(plan, sources=["acme.mail"]))[1]
        for plan in (Plan.FREE, Plan.STARTER, Plan.STARTER)
    ]

    assert tags[0] != tags[1] == tags[2]
