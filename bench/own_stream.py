"""Measure what a page of one's own stream costs over many entries.

    python bench/own_stream.py [--entries 1000000] [--folder FOLDER]

Figures are CPU seconds of one request in process, the median over rounds, and bytes of the page
before compression. The accounts: the whole catalog with nothing read; with all read but what was
marked; with 10,000 marks; and three sources.
"""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from api_calls import Call, InProcess
from api_data import DataSet, data_set
from command_line import parser_of
from site_pages import index_words
from sqlalchemy import select

from handlers.http.auth import session_cookie
from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import ids_of
from storage.engine.database import Database, open_database
from storage.models import Entry
from storage.people.accounts import add_account, delete_account
from storage.people.keys import add_key, select_sources
from storage.people.sessions import add_session
from storage.people.unread import EntryKey, mark_entries, move_position, newest_key

SUMMARY = 300
SITE = "http://127.0.0.1:8080"
MARKS = 10_000
VIEWS = (
    "",
    "?unread=1",
    "?category=deprecation&unread=1",
    "?vendor=vendor0003",
    "?days=7",
    "?offset=4000",
    "?q=deprecated+endpoint",
    "?q=deprecated+endpoint&unread=1",
    "?q=%22private+preview%22&unread=1",
    "?q=%22stops+and+deprecated%22",
)


def main() -> None:
    """Prepare the accounts, ask for each view, print."""
    parser = parser_of(__doc__, entries=1_000_000, rounds=5, requests=4)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "bench")
    options = parser.parse_args()
    data = data_set(options.folder, options.entries, summary=SUMMARY)
    index_words(data)
    cookies = people(data)
    service = InProcess("changewire", data.file)
    try:
        for who, cookie in cookies.items():
            for view in VIEWS:
                call = Call(f"/app/stream{view}", {"Cookie": cookie})
                service.round(call, 1)
                rounds = [service.round(call, options.requests) for _ in range(options.rounds)]
                assert rounds[0].status == 200, rounds[0]
                cost = median(each.seconds for each in rounds) * 1000
                size = len(rounds[0].body)
                print(f"{who:28} {view or '(all)':36} {cost:7.1f} ms {size:7} B", flush=True)
    finally:
        service.close()


def people(data: DataSet) -> dict[str, str]:
    """Return the cookie of each kind of reader, by name."""
    database, now = open_database(data.url), datetime.now(UTC).replace(microsecond=0)
    try:
        return {
            "all, nothing read": _reader(database, "a", now),
            "all, read but the newest 20": _reader(database, "b", now, read=-20),
            "all, everything read": _reader(database, "c", now, read=0),
            "all, 10,000 marks": _reader(database, "d", now, marks=MARKS),
            "three sources": _reader(database, "e", now, slugs=data.slugs[40:43]),
            "100 sources, all read": _reader(database, "f", now, read=0, slugs=data.slugs[40:140]),
        }
    finally:
        database.close()


def _reader(
    database: Database,
    name: str,
    now: datetime,
    *,
    read: int | None = None,
    marks: int = 0,
    slugs: tuple[str, ...] = (),
) -> str:
    with database.write() as session:
        email = f"{name}@stream.example"
        delete_account(session, email)
        account = add_account(session, email, now=now, plan=Plan.ALL)
        if slugs:
            key, _ = add_key(session, account, name="k", scopes=[Scope.READ_ENTRIES], now=now)
            select_sources(session, key, ids_of(session, slugs).values(), now=now)
        newest = select(Entry.id, Entry.published_at).order_by(Entry.published_at.desc())
        if read is not None:
            move_position(session, account.id, newest_key(session), now=now)
            if read:
                rows = session.execute(newest.limit(-read)).all()
                keys = [EntryKey(*row) for row in rows]
                mark_entries(session, account.id, keys, unread=True, now=now)
        if marks:
            recent = newest.where(Entry.published_at > now - timedelta(days=29)).limit(marks)
            keys = [EntryKey(*row) for row in session.execute(recent)]
            mark_entries(session, account.id, keys, unread=False, now=now)
        return f"{session_cookie(SITE)}={add_session(session, account, now=now)}"


if __name__ == "__main__":
    main()
