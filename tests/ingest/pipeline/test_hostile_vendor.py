"""A vendor that sends as much as it can: what one look costs, what is kept, and what is said."""

import gzip
import random
import time
from datetime import timedelta

import pytest
from specimen.checks import check_now

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckStatus
from ingest.sandbox.parser_pool import ParserPool
from ingest.sandbox.parsing import MOST_ENTRIES
from storage.engine.database import Database
from storage.models import Entry, FetchFacts

pytestmark = pytest.mark.slow

MOST_CPU = 5.0
MOST_BYTES = 3_800_000  # addresses of the pages of entries included
ATTACK = "no longer removed in 2027--"


def feed(texts):
    items = "".join(
        f"<item><guid>{number}</guid><title>Number {number}</title>"
        f"<description>{text}</description>"
        "<pubDate>Sat, 21 Nov 2026 09:00:00 GMT</pubDate></item>"
        for number, text in enumerate(texts)
    )
    return f"<rss version='2.0'><channel><title>A</title>{items}</channel></rss>".encode()


def words(seed, length):
    """Text that no compression makes small."""
    return random.Random(seed).randbytes(length // 2).hex()


@pytest.fixture(scope="module")
def parsers():
    """Children whose time limit a busy machine does not reach; test_parser_pool.py is about it."""
    with ParserPool(workers=1, deadline=timedelta(seconds=30)) as pool:
        yield pool


@pytest.fixture
def look(database, site, make_client, parsers, now, add_source):
    """Look at a document some hours from now; returns the processor time and what the file grew."""
    source_id = add_source(tags=())

    def look(document: bytes, hours=0) -> tuple[float, int]:
        site.reply("/feed", body=gzip.compress(document), content_encoding="gzip")
        at = now + timedelta(hours=hours)
        ingestion = Ingestion(db=database, client=make_client(), parsers=parsers, now=lambda: at)
        size, start = _bytes(database), time.process_time()
        assert check_now(ingestion, source_id).status is CheckStatus.FETCHED
        return time.process_time() - start, _bytes(database) - size

    return look


def _bytes(database: Database) -> int:
    """Return the bytes that the database holds; of an empty page none."""
    if database.engine.dialect.name != "sqlite":
        pytest.skip("the size of a file of SQLite is measured")
    with database.read() as session:
        pages, free, size = (
            session.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("page_count", "freelist_count", "page_size")
        )
    return (pages - free) * size


@pytest.mark.parametrize(
    "texts",
    [
        [ATTACK * 1600] * 230,
        [words(number, 40_000) for number in range(230)],
        [words(number, 100) for number in range(20_000)],
        [words(1, 9_000_000)],
    ],
    ids=["one long line", "random words", "many rows", "one row"],
)
def test_a_look_costs_a_bounded_time_and_space(look, rows, texts):
    seconds, size = look(feed(texts))

    assert seconds < MOST_CPU
    assert size < MOST_BYTES
    assert 0 < len(rows(Entry)) <= MOST_ENTRIES
    assert rows(FetchFacts)[0].last_failure == ("cut" if len(texts) > 1 else None)


def test_a_document_that_changes_all_over_costs_no_more_each_time(look, rows, now):
    look(feed([words(number, 40_000) for number in range(230)]))
    seconds, size = look(feed([words(-number, 40_000) for number in range(1, 231)]), hours=24)

    assert seconds < MOST_CPU
    assert size < 2 * MOST_BYTES
    assert rows(FetchFacts)[0].next_check_at - now > timedelta(hours=25)
