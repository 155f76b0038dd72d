"""Measure what each page of the site costs in a large database, and how heavy it is.

    python bench/site_pages.py [--entries 1000000] [--folder build/bench] [--rounds 5]

Figures are CPU milliseconds of one request in process, the median of the rounds, each of four
requests; the largest of 5,000 sources has a twenty-fifth of the entries. Exit 1 if a page takes
more than 50 milliseconds or is heavier than 150 kB. The database is kept in the folder: making
one of a million entries takes some minutes, most of them for the index of words.
"""

import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import orjson
import pysqlite3.dbapi2 as driver
from api_calls import Call, InProcess
from api_data import DataSet, data_set
from command_line import parser_of

from handlers.http.auth import session_cookie
from handlers.site.permalinks import permalink
from openapi.vocabulary import Category
from storage.engine.database import open_database
from storage.entries.categories import bits_of
from storage.entries.search.index import _SIZES as SIZES
from storage.entries.search.index import (
    IMPORTANT,
    day_number,
    signed_words,
    source_word,
)
from storage.entries.search.matching import searched_text
from storage.people.accounts import find_account
from storage.people.sessions import add_session

MOST_MILLISECONDS = 50.0
MOST_BYTES = 150_000
OK = 200
BATCH = 5_000


def index_words(data: DataSet) -> None:
    """Index every entry; texts come from a small stock, so that each is taken apart once."""
    known: dict[tuple[bytes, bytes], list[str]] = {}
    with closing(driver.connect(data.file)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        rows = connection.execute(
            "SELECT id, source_id, published_at, important, document, public_document FROM entries"
            " WHERE indexed_revision != revision"
        )
        while batch := rows.fetchmany(BATCH):
            connection.executemany(
                "INSERT OR REPLACE INTO entry_words (rowid, words) VALUES (?, ?)",
                [(row[0], _words(row, known)) for row in batch],
            )
        connection.execute(
            "UPDATE entries SET indexed_revision = revision, categories = ? * important"
            " WHERE indexed_revision != revision OR categories != ? * important",
            (bits_of([Category.DEPRECATION]),) * 2,
        )
        connection.commit()


def _words(row: tuple, known: dict[tuple[bytes, bytes], list[str]]) -> str:
    _, source_id, published_at, important, document, public = row
    entry = orjson.loads(document)
    text = (entry["title"], entry["summary"])
    if text not in known:
        known[text] = signed_words(searched_text(document, public))
    day = day_number(datetime.fromisoformat(published_at).replace(tzinfo=UTC))
    words = [*known[text], *(f"{sign}{day >> bits}" for sign, bits in SIZES)]
    words += [source_word(source_id), *([IMPORTANT] if important else [])]
    return " ".join(words)


def pages(data: DataSet, entry: str) -> Iterator[tuple[str, bool]]:
    """Yield the addresses of pages, and whether somebody is signed in there."""
    largest, small = data.slugs[0], data.slugs[3_000]
    vendor = largest.partition(".")[0]
    month = (datetime.now(UTC) - timedelta(days=400)).date()
    for path in (
        "/",
        "/latest",
        "/latest?offset=4000",
        f"/latest?vendor={vendor}",
        "/latest?tag=cloud&category=deprecation",
        "/important",
        f"/important?until={month}",
        "/search",
        "/search?q=token",
        "/search?q=token&order=relevance",
        '/search?q="deprecated+and+stops"',
        '/search?q="stops+and+deprecated"',
        "/search?q=depre*+cluster&category=deprecation",
        "/search?q=nothinglikeit",
        "/deadlines",
        "/sources",
        "/sources?q=product0007",
        f"/sources/{largest}",
        f"/vendors/{vendor}",
        entry,
        "/status",
        "/plans",
        "/docs",
        "/guide",
        "/changelog",
        "/sitemap.xml",
    ):
        yield path, False
    for path in (
        "/latest",
        entry,
        f"/sources/{largest}",
        f"/sources/{largest}?offset=4000",
        f"/sources/{largest}?category=deprecation",
        f"/sources/{largest}?q=token",
        f"/sources/{largest}?since={month}",
        f"/sources/{small}",
        "/app/sources",
        "/app/sources?q=product0007",
        "/app/sources?tier=component&sort=newest",
        "/app/api-keys",
        "/app/webhooks",
        "/app/filters",
        "/app/account",
    ):
        yield path, True


def sign_in(data: DataSet) -> str:
    """Start a session of the account on the All plan; return its cookie."""
    database = open_database(data.url)
    with database.write() as session:
        account = find_account(session, "all@acme.example")
        assert account is not None
        token = add_session(session, account, now=datetime.now(UTC))
    database.close()
    return f"{session_cookie('http://127.0.0.1')}={token}"


def newest_entry(data: DataSet) -> str:
    """Return the address of an entry of the largest source."""
    with closing(driver.connect(data.file)) as connection:
        (found,) = connection.execute(
            "SELECT external_id FROM entries JOIN sources ON sources.id = source_id"
            " WHERE slug = ? ORDER BY published_at DESC LIMIT 1 OFFSET 1000",
            (data.slugs[0],),
        )
    return permalink(data.slugs[0], found[0])


def main() -> int:
    """Make the database, ask for every page, print."""
    parser = parser_of(__doc__, entries=1_000_000, rounds=5)
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    options = parser.parse_args()
    data = data_set(options.folder, options.entries, summary=300)
    index_words(data)
    cookie, exceeded = sign_in(data), 0
    app = InProcess("changewire", data.file)
    try:
        for path, signed_in in pages(data, newest_entry(data)):
            call = Call(path, {"Cookie": cookie} if signed_in else {})
            app.round(call, 1)  # what is kept for a minute is made
            rounds = [app.round(call, 4) for _ in range(options.rounds)]
            took, last = median(each.seconds for each in rounds) * 1000, rounds[-1]
            exceeded += took > MOST_MILLISECONDS or len(last.body) > MOST_BYTES
            mark = "!" if took > MOST_MILLISECONDS or last.status != OK else " "
            who = "signed in" if signed_in else "everybody"
            print(
                f"{mark} {took:6.1f} ms {len(last.body):7,} bytes {last.status} {who} {path}",
                flush=True,
            )
    finally:
        app.close()
    return int(exceeded > 0)


if __name__ == "__main__":
    sys.exit(main())
