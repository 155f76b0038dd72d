"""What a process of release 0001 does with its database, told in calls of its own modules.

    PYTHONPATH=<the release's files> python v0001_life.py DATABASE_URL LABEL [--record FILE]

Run with the release's code, never with today's. LABEL keeps the lives of one database apart. With
``--record`` every statement is written down, one JSON line each, from an empty database on: tests
repeat it without the release's code. Says at the end whose code it was.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

from sqlalchemy import event

import storage
from ingest.bookkeeping import load_jobs, require_lease, store_facts
from openapi.vocabulary import AdapterType, DeadlineKind, Kind, Plan, RequestStatus, Scope
from storage.accounts import add_account, find_account, list_accounts
from storage.archive import (
    Edit,
    WrittenEntry,
    known_entries,
    newest_entries,
    publish_times,
    retag_entries,
    save_entries,
)
from storage.database import Database, faults, open_database, upgrade
from storage.deadlines import WrittenDeadline, coming_deadlines
from storage.diffs import WrittenSnapshot, add_diff, add_snapshot, last_snapshot, newest_diffs
from storage.documents import EntryText
from storage.due import any_free, claim, due_sources, is_due, postpone, release, wishes
from storage.entries import (
    EntryFilter,
    newest_for_readers,
    page_entries,
    page_important,
    page_latest,
)
from storage.figures import catalog_figures
from storage.gaps import NewGap, add_gap, all_gaps, close_gaps, open_gaps
from storage.keys import (
    add_key,
    find_live_key,
    list_keys,
    note_use,
    rotate_key,
    select_sources,
    selected_slugs,
)
from storage.reclassification import RejudgedEntry, outdated_entries, save_importance
from storage.requests import add_request, keep_findings, list_requests, move_request, steps_of
from storage.selection import add_selection, drop_selection
from storage.sessions import add_session, find_session, slide
from storage.sign_in import account_of, add_link, drop_expired_links, spend_link
from storage.sources import (
    SourceFilter,
    find_source,
    ids_of,
    page_sources,
    sample_sources,
    save_sources,
)
from storage.throttle import Limit, drop_closed_windows, hit_all

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Life:
    """One life on one database; ``label`` is part of every name."""

    def __init__(self, db: Database, label: str) -> None:
        self.db = db
        self.slugs = [f"{label}.{product}" for product in ("compute", "mail", "storage")]
        self.label = label

    def live(self) -> None:
        """Do everything that the release does with its tables."""
        self.fill_the_catalog()
        self.look()
        self.look_again()
        self.judge_anew()
        self.let_people_in()
        self.take_wishes()
        self.answer()

    def fill_the_catalog(self) -> None:
        """Load sources, and load them again with other tags."""
        for tags in (("cloud",), ("cloud", "api")):
            with self.db.write() as session:
                save_sources(session, [self._source(slug, tags) for slug in self.slugs])
                retag_entries(session, ids_of(session, self.slugs).values())

    def _source(self, slug: str, tags: tuple[str, ...]) -> SimpleNamespace:
        return SimpleNamespace(
            slug=slug,
            vendor=self.label,
            name=slug.title(),
            kind=Kind.CHANGELOG,
            homepage=None,
            changelog_url=f"https://acme.example/{slug}",
            adapter_type=AdapterType.RSS,
            feed_url=f"https://feeds.{self.label}.example/{slug}.xml",
            tags=tags,
        )

    def _entry(self, slug: str, number: int, title: str) -> WrittenEntry:
        text = EntryText(
            external_id=f"{slug}/{number}",
            source=slug,
            vendor=self.label,
            published_at=NOW - number * HOUR,
            title=title,
            url=f"https://acme.example/{slug}/{number}",
            summary="Version 1 is removed on 2027-03-01.",
            raw={"guid": number},
            tags=("cloud", "api"),
        )
        important = b'{"categories":["breaking"]}' if number % 2 else None
        day = (NOW + timedelta(days=100)).date()
        deadline = WrittenDeadline(DeadlineKind.REMOVAL, day, day, "is removed on 2027-03-01")
        return WrittenEntry(text, title.ljust(64, "0"), important, 1, (deadline,) * (number % 2))

    def look(self) -> None:
        """Claim what is due and store what it published."""
        with self.db.write() as session:
            assert any_free(session, is_due(NOW), now=NOW)
            claims = claim(session, is_due(NOW), now=NOW, most=8, per_host=4, mine=())
        assert claims
        with self.db.read() as session:
            every = load_jobs(session, [each.source_id for each in claims])
        jobs = [each for each in every if each.vendor == self.label]
        for job in jobs:
            new = [self._entry(job.slug, number, f"Version {number}") for number in range(6)]
            with self.db.write() as session:
                require_lease(session, job)
                known_entries(session, job.source_id, ids=["a"], urls=["https://acme.example/"])
                save_entries(session, job.source_id, new=new, edited=[], now=NOW)
                body = WrittenSnapshot("a" * 64, b"state", "rss-1/1", 6)
                add_snapshot(session, job.source_id, body, now=NOW)
                facts = job.facts
                store_facts(session, job, facts, message=None, recipe="{}", now=NOW)

    def look_again(self) -> None:
        """Store an edit, a diff, a gap that is closed and one that is not, and postpone."""
        later = NOW + HOUR
        with self.db.write() as session:
            first, second, _ = ids_of(session, self.slugs).values()
            stored = newest_entries(session, first, most=2)
            edits = [
                Edit(each, self._entry(self.slugs[0], place, "edited"))
                for place, each in enumerate(stored)
            ]
            save_entries(session, first, new=[], edited=edits, now=later)
            add_snapshot(
                session, first, WrittenSnapshot("b" * 64, b"other", "rss-1/1", 6), now=later
            )
            add_diff(session, first, document=b'{"id":"diff_1"}', now=later)
            for before in ("1", "2"):
                gap = NewGap("0", NOW - 9 * HOUR, before, NOW - HOUR, ["0"])
                add_gap(session, first, gap, now=later)
            close_gaps(session, [open_gaps(session, first)[0].key], now=later)
            postpone(session, {second: later})
            release(session, claim(session, is_due(later), now=later, most=1, per_host=1))

    def judge_anew(self) -> None:
        """Judge entries by a newer version of the rules."""
        with self.db.write() as session:
            some = outdated_entries(session, version=2, most=3)
            rejudged = [RejudgedEntry(each.key, each.content_hash, None, ()) for each in some]
            save_importance(session, rejudged, version=2)

    def let_people_in(self) -> None:
        """Sign somebody in, make keys, select for them."""
        email = f"ada@{self.label}.example"
        with self.db.write() as session:
            add_account(session, email, now=NOW, plan=Plan.STARTER)
            drop_expired_links(session, now=NOW)
            token = add_link(session, email, next_path="/app", now=NOW)
        with self.db.write() as session:
            assert spend_link(session, token, now=NOW) is not None
            account = account_of(session, email, now=NOW)
            cookie = add_session(session, account, now=NOW)
            found = find_session(session, cookie, now=NOW)
            slide(session, found, now=NOW + timedelta(days=2))
            key, text = add_key(session, account, name="ci", scopes=list(Scope), now=NOW)
            ids = list(ids_of(session, self.slugs).values())
            select_sources(session, key, ids[:2], now=NOW)
            add_selection(session, key, ids[2], now=NOW)
            drop_selection(session, key, ids[0])
            rotate_key(session, key, now=NOW)
            note_use(session, key.id, now=NOW)
        with self.db.read() as session:
            assert find_live_key(session, text, now=NOW) is not None
            account = find_account(session, email)
            assert account in list_accounts(session)
            assert [selected_slugs(session, each.id) for each in list_keys(session, account.id)]

    def take_wishes(self) -> None:
        """Count hits, take a request to its end."""
        with self.db.write() as session:
            limits = [Limit(5, timedelta(minutes=1)), Limit(20, timedelta(days=1))]
            assert hit_all(session, f"{self.label}/192.0.2.1", limits, now=NOW)[-1].admitted
            drop_closed_windows(session, now=NOW - HOUR)
            url = f"https://{self.label}.example/news"
            request = add_request(session, url=url, note="please", now=NOW)
            assert add_request(session, url=url, note=None, now=NOW).id == request.id
            move_request(session, request, RequestStatus.CHECKING, now=NOW)
            keep_findings(session, request, {"offers": []})
            move_request(session, request, RequestStatus.NEEDS_REVIEW, now=NOW)
            move_request(session, request, RequestStatus.REJECTED, now=NOW, reason="none there")
            id_ = request.id
        with self.db.read() as session:
            assert [each.id for each in list_requests(session)].count(id_) == 1
            assert len(steps_of(session, id_)) == 3

    def answer(self) -> None:
        """Ask for every page that the release answers with."""
        with self.db.read() as session:
            ids = frozenset(ids_of(session, self.slugs).values())
            for since in (None, NOW - 3 * HOUR):
                assert page_entries(session, EntryFilter(ids, since), limit=5, offset=1).documents
            assert page_latest(session, limit=5, offset=0, now=NOW).documents
            assert page_important(session, limit=5, offset=0, now=NOW).documents
            assert newest_for_readers(session, most=5, now=NOW, only_important=True)
            assert coming_deadlines(session, now=NOW, most=5)
            wanted = SourceFilter(vendor=self.label)
            assert page_sources(session, wanted, limit=5, offset=0, now=NOW).total == 3
            assert sample_sources(session, limit=5, now=NOW)
            assert find_source(session, self.slugs[0], now=NOW) is not None
            assert catalog_figures(session).entries
            for each in ids:
                publish_times(session, each)
                last_snapshot(session, each)
                newest_diffs(session, each)
                all_gaps(session, each)
            assert due_sources(session, now=NOW + 99 * HOUR)
            assert wishes(session, now=NOW) == []


def encoded(value: object) -> object:
    """Return a value of a statement or row as JSON can hold it."""
    value = getattr(value, "obj", value)  # psycopg's mark of bytes
    if isinstance(value, bytes):
        return {"bytes": bytes(value).hex()}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if hasattr(value, "isoformat"):
        return {"date": value.isoformat()}
    if isinstance(value, dict):
        return {name: encoded(each) for name, each in value.items()}
    return [encoded(each) for each in value] if isinstance(value, list | tuple) else value


@contextmanager
def recorded(db: Database, file: Path | None) -> Iterator[None]:
    """Write down every statement of a life, in its order."""
    lines: list[str] = []

    def notice(connection, cursor, statement, parameters, context, executemany) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA")) and "pg_catalog" not in statement:
            lines.append(json.dumps([statement, encoded(parameters)]))

    event.listen(db.engine, "before_cursor_execute", notice)
    yield
    event.remove(db.engine, "before_cursor_execute", notice)
    if file is not None:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Live, on a database that may be empty."""
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("label")
    parser.add_argument("--record", type=Path)
    chosen = parser.parse_args()
    db = open_database(chosen.url)
    with recorded(db, chosen.record):
        if chosen.record is not None:
            upgrade(db)
        Life(db, chosen.label).live()
    if chosen.record is not None:
        assert faults(db) == []
    db.close()
    sys.stdout.write(f"{storage.__file__}\n")


if __name__ == "__main__":
    main()
