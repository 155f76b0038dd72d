"""Skipping items that were parsed before leaves the same rows as parsing everything again."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from specimen.checks import check_now
from sqlalchemy import select, update

from ingest.adapters.fast_feed import FingerprintedDocument, KnownItems
from ingest.pipeline.check_result import CheckReport
from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from openapi.vocabulary import AdapterType, Kind
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.models import Diff, Entry, EntryRevision, FetchFacts, Gap, ItemCache, Snapshot, Source

pytestmark = pytest.mark.slow

NAMED = os.environ.get("CHANGEWIRE_CORPUS")
HOUR = timedelta(hours=1)
NUMBERS = count()


@dataclass
class CountingParsers:
    """Children that parse; counts the items that they skip, or lets them skip nothing."""

    pool: ParserPool
    skips_nothing: bool = False
    skipped: list[int] = field(default_factory=list)

    def run(self, function, *arguments, is_suspect=False) -> Any:
        if self.skips_nothing:
            arguments = [
                None if isinstance(argument, KnownItems) else argument for argument in arguments
            ]
        found = self.pool.run(function, *arguments, is_suspect=is_suspect)
        if isinstance(found, FingerprintedDocument):
            self.skipped.append(sum(place is not None for place in found.order))
        return found


@pytest.fixture(scope="module")
def pool():
    with ParserPool(workers=1) as children:
        yield children


@dataclass
class World:
    """Two sources that publish the same: one is parsed with skipping, one without."""

    site: Any
    database: Any
    ingestion: Ingestion
    pool: ParserPool

    def add(self, slug: str) -> int:
        url = self.site.url(f"/{slug}")
        row = CatalogRow(
            slug=slug,
            vendor="acme",
            name="Acme",
            kind=Kind.CHANGELOG,
            homepage=None,
            changelog_url=url,
            adapter_type=AdapterType.RSS,
            feed_url=url,
            tags=("email",),
        )
        with self.database.write() as session:
            save_sources(session, [row])
            return session.scalars(select(Source.id).where(Source.slug == slug)).one()

    def reader(
        self, *, skips_nothing: bool
    ) -> tuple[Callable[[bytes, int], CheckReport], int, CountingParsers]:
        slug = f"acme.n{next(NUMBERS):05}"
        source_id, parsers = self.add(slug), CountingParsers(self.pool, skips_nothing)

        def check(body: bytes, number: int) -> CheckReport:
            self.site.reply(f"/{slug}", body=body)
            now = self.ingestion.now() + number * HOUR
            at = replace(self.ingestion, now=lambda: now, parsers=parsers)
            return check_now(at, source_id)

        return check, source_id, parsers

    def rows(self, source_id: int) -> list[Any]:
        """Return all that is stored of a source but for its numbers and its name."""
        with self.database.read() as session:
            (slug,) = session.scalars(select(Source.slug).where(Source.id == source_id))

            def read(model, *names):
                columns = [getattr(model, name) for name in names]
                owned = getattr(model, "source_id", None)
                query = select(*columns).order_by(model.id)
                return session.execute(query.where(owned == source_id)).all()

            entries = read(
                Entry,
                *("external_id", "published_at", "title", "url", "content_hash", "revision"),
                *("important", "importance", "document", "first_seen_at", "changed_at"),
            )
            revisions = session.execute(
                select(EntryRevision.revision, EntryRevision.document)
                .join(Entry, Entry.id == EntryRevision.entry_id)
                .where(Entry.source_id == source_id)
                .order_by(Entry.external_id, EntryRevision.revision)
            ).all()
            snapshots = read(Snapshot, "fetched_at", "content_hash", "entry_count")
            keys = read(Snapshot, "id")
            diffs = [row[0].decode() for row in read(Diff, "document")]
            gaps = read(Gap, "after_id", "before_id", "known", "closed_at", "tries")
        for place, (key,) in enumerate(keys):
            diffs = [
                diff.replace(f"diff_{key}_", f"diff#{place}_").replace(f'_{key}"', f'_#{place}"')
                for diff in diffs
            ]
        plain = repr([entries, revisions, snapshots, diffs, gaps])
        return [plain.replace(slug, "slug")]


@pytest.fixture
def world(site, database, make_client, pool, now) -> World:
    client = make_client()
    ingestion = Ingestion(db=database, client=client, parsers=pool, now=lambda: now)
    return World(site, database, ingestion, pool)


def rss(items: list[str], channel: str = "") -> bytes:
    inner = "".join(f"<item>{item}</item>" for item in items)
    return f"<rss version='2.0'><channel>{channel}{inner}</channel></rss>".encode()


def item(
    guid: int | None, text: str = "Text", *, hour: int | None = None, ago: int = 3, visit: str = ""
) -> str:
    told = "" if guid is None else f"<guid isPermaLink='false'>g{guid}</guid>"
    at = "" if hour is None else f"<pubDate>Fri, 20 Nov 2026 {hour:02}:00:00 GMT</pubDate>"
    return (
        f"<title>Release {guid or 0}</title>{told}{at}"
        f"<link>https://acme.example/{guid or 0}{visit}</link>"
        f"<description>&lt;p&gt;{text} of {guid}. Updated {ago} hours ago.&lt;/p&gt;</description>"
    )


ITEMS = st.builds(
    item,
    st.one_of(st.integers(1, 7), st.none()),
    st.sampled_from(["Text", "Another text", "Deprecated: the old text"]),
    hour=st.one_of(st.none(), st.integers(0, 23)),
    ago=st.integers(3, 4),
    visit=st.sampled_from(["", "?utm_source=feed", "?sid=1", "?sid=2"]),
)
CHANNELS = st.sampled_from(
    ["<lastBuildDate>a</lastBuildDate>", "<lastBuildDate>b</lastBuildDate>", "<ttl>60</ttl>"] * 2
    + ["<language>de</language>", "<link>https://acme.example/news/</link>"]
)


@st.composite
def histories(draw) -> list[bytes]:
    """Documents in which most items stay what they were."""
    shown = draw(st.lists(ITEMS, max_size=6))
    documents = [rss(shown, draw(CHANNELS))]
    for _ in range(draw(st.integers(1, 4))):
        shown = [item for item in shown if draw(st.integers(0, 5))]
        shown = draw(st.lists(ITEMS, max_size=2)) + shown
        if draw(st.integers(0, 3)) == 0:
            shown = draw(st.permutations(shown))
        documents.append(rss(shown, draw(CHANNELS)))
    return documents


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(histories())
def test_rows_are_the_same_whether_items_are_skipped_or_parsed(world, documents):
    (check, source_id, _), (check_again, other_id, _) = (
        world.reader(skips_nothing=False),
        world.reader(skips_nothing=True),
    )

    for number, body in enumerate(documents):
        report, other = check(body, number), check_again(body, number)
        assert (report.status, report.new, report.edited) == (other.status, other.new, other.edited)

    assert world.rows(source_id) == world.rows(other_id)


HISTORIES = sorted(path for path in Path(NAMED).glob("history/*") if path.is_dir()) if NAMED else []


@pytest.mark.skipif(NAMED is None, reason="CHANGEWIRE_CORPUS names no folder with a corpus")
@pytest.mark.parametrize("folder", HISTORIES, ids=lambda path: path.name)
def test_rows_are_the_same_over_the_versions_of_the_corpus(world, folder):
    (check, source_id, parsers), (check_again, other_id, whole) = (
        world.reader(skips_nothing=False),
        world.reader(skips_nothing=True),
    )
    versions = sorted(path for path in folder.iterdir() if path.suffix in {".xml", ".atom", ".rss"})

    for number, path in enumerate(versions):
        check(path.read_bytes(), number)
        check_again(path.read_bytes(), number)

    assert world.rows(source_id) == world.rows(other_id)
    assert sum(whole.skipped) == 0
    assert not versions or sum(parsers.skipped) > 0


THREE = [item(number, hour=16 + number) for number in (3, 2, 1)]


def test_only_new_items_are_parsed(world):
    check, _, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)

    report = check(rss([item(4, hour=22), *THREE]), 1)

    assert (report.new, report.edited) == (1, 0)
    assert parsers.skipped == [0, 3]


def test_a_skipped_item_is_skipped_the_next_time_too(world):
    check, _, parsers = world.reader(skips_nothing=False)

    for number in range(4):
        check(rss(THREE, f"<lastBuildDate>{number}</lastBuildDate>"), number)

    assert parsers.skipped == [0, 3, 3, 3]


def test_a_document_is_parsed_whole_when_entries_may_have_been_missed(world):
    check, source_id, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)

    report = check(rss([item(8, hour=22), item(7, hour=21), THREE[-1]]), 1)

    assert (report.new, report.edited) == (2, 0)
    assert parsers.skipped == [0, 1, 0]
    with world.database.read() as session:
        assert len(session.scalars(select(Gap).where(Gap.source_id == source_id)).all()) == 1


def test_an_edit_is_found_among_skipped_items(world):
    check, _, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)

    report = check(rss([THREE[0], item(2, "Other words", hour=18), THREE[2]]), 1)

    assert (report.new, report.edited) == (0, 1)
    assert parsers.skipped == [0, 2]


def test_an_item_that_says_the_same_in_other_words_is_skipped_the_next_time(world):
    check, _, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)
    reworded = [THREE[0], item(2, hour=18, ago=5), THREE[2]]

    edited = [check(rss(reworded, f"<ttl>{number}</ttl>"), number).edited for number in (1, 2)]

    assert edited == [0, 0]
    assert parsers.skipped == [0, 2, 3]


def test_an_item_whose_entry_is_gone_is_parsed_again(world):
    check, _, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)
    with world.database.write() as session:
        session.execute(Entry.__table__.delete().where(Entry.external_id == "g2"))

    report = check(rss(THREE, "<ttl>60</ttl>"), 1)

    assert report.new == 1
    assert parsers.skipped == [0, 3, 0]


def test_an_item_whose_entry_says_something_else_is_parsed_again(world):
    check, _, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)
    with world.database.write() as session:
        (entry,) = session.scalars(select(Entry).where(Entry.external_id == "g2"))
        entry.document = entry.document.replace(b"Text of 2", b"Words of 2")
        entry.content_hash = "0"

    report = check(rss(THREE, "<ttl>60</ttl>"), 1)

    assert report.edited == 1
    assert parsers.skipped == [0, 3, 0]


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (FetchFacts, {"body_hash": "0" * 64}),  # another release read another document meanwhile
        (ItemCache, {"snapshot_hash": "0" * 64}),
        (ItemCache, {"basis": b"another program"}),
        (ItemCache, {"items": b""}),
    ],
)
def test_items_stored_of_another_document_are_not_used(world, model, values):
    check, _, parsers = world.reader(skips_nothing=False)
    check(rss(THREE), 0)
    with world.database.write() as session:
        session.execute(update(model).values(**values))

    check(rss([item(4, hour=22), *THREE]), 1)

    assert parsers.skipped == [0, 0]


def test_a_deleted_source_leaves_no_stored_items(world):
    check, source_id, _ = world.reader(skips_nothing=False)
    check(rss(THREE), 0)

    with world.database.write() as session:
        session.execute(Source.__table__.delete().where(Source.id == source_id))

    with world.database.read() as session:
        assert session.scalars(select(ItemCache)).all() == []
