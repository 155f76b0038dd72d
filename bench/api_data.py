"""A database of invented entries, as large as asked for, built once and kept in a folder.

Sources are of very different sizes, as in life: the largest of 5,000 has a twenty-fifth of all
entries, most have a few. Rows go in source by source before the indexes that would be written
at random are there; they are made at the end in one pass each.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pysqlite3.dbapi2 as driver
from sqlalchemy import update

from openapi.validation import contract_validator
from openapi.vocabulary import AdapterType, Health, Kind, Plan, Scope
from storage.accounts import add_account
from storage.archive import url_key
from storage.database import Database, open_database, upgrade
from storage.documents import EntryText, entry_document, public_document, with_importance
from storage.keys import add_key, select_sources
from storage.models import Entry, FetchFacts, Source
from storage.sources import ids_of, save_sources

SOURCES = 5_000
UNEVEN = 0.8  # the exponent of Zipf's law
YEARS = 6
BATCH = 5_000
IMPORTANT_SHARE = 0.08
TAGS = ("cloud", "compute", "database", "security")
WORDS = """
    adds allows availability backup behaviour cache change client cluster command
    console default deploy deprecated endpoint error event export feature field fixes
    gateway header image improves index instance interface key latency limit log metric
    migration mode network node option page parameter performance plan policy pool
    preview query queue quota region release remove replica request retry role rollout
    schedule schema secret service session setting snapshot storage support table
    template timeout token update upgrade user version volume webhook window worker zone
""".split()  # noqa: SIM905 - eighty quotation marks would not help
PASSAGE = "The old endpoint is deprecated and stops working in March. "
IMPORTANCE = orjson.dumps(
    {
        "categories": ["deprecation"],
        "evidence": [
            {
                "category": "deprecation",
                "field": "summary",
                "text": PASSAGE.strip(),
                "start": 0,
                "end": len(PASSAGE) - 1,
            }
        ],
    }
)


@dataclass(frozen=True)
class Row:
    """A row of an invented catalog."""

    slug: str
    vendor: str
    name: str
    changelog_url: str
    homepage: str | None = "https://vendor.example/"
    kind: Kind = Kind.CHANGELOG
    adapter_type: AdapterType = AdapterType.RSS
    feed_url: str | None = None
    tags: tuple[str, ...] = TAGS[:2]


@dataclass(frozen=True)
class DataSet:
    """A database that is ready, the keys to it, and its sources from the largest down."""

    file: Path
    entries: int
    all_key: str
    free_key: str
    slugs: tuple[str, ...]

    @property
    def url(self) -> str:
        """Its SQLAlchemy address."""
        return f"sqlite:///{self.file}"


def data_set(folder: Path, entries: int, *, summary: int = 500, seed: int = 1) -> DataSet:
    """Return the database of this size, building it when the folder has none."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"entries-{entries}-{summary}.db"
    facts = file.with_suffix(".json")
    if not facts.exists():
        made = _build(file, entries, summary=summary, chance=random.Random(seed))
        facts.write_text(json.dumps({**asdict(made), "file": str(file)}))
    found = json.loads(facts.read_text())
    database = open_database(f"sqlite:///{file}")
    upgrade(database)  # a kept one may be older than this program
    database.close()
    return DataSet(**{**found, "file": Path(found["file"]), "slugs": tuple(found["slugs"])})


def remove(made: DataSet) -> None:
    """Delete a database and what stands beside it."""
    for each in made.file.parent.glob(f"{made.file.stem}.*"):
        each.unlink()


def _build(file: Path, entries: int, *, summary: int, chance: random.Random) -> DataSet:
    for each in file.parent.glob(f"{file.stem}.db*"):
        each.unlink()
    database = open_database(f"sqlite:///{file}")
    upgrade(database)
    now = datetime.now(UTC).replace(microsecond=0)
    slugs = [f"vendor{number % 1700:04}.product{number:04}" for number in range(SOURCES)]
    with database.write() as session:
        save_sources(session, [_row(slug) for slug in slugs])
        ids = ids_of(session, slugs)
    counts = _counts(entries)
    database.close()
    sources = [(slug, ids[slug], count) for slug, count in zip(slugs, counts, strict=True)]
    important = _insert(file, sources, now=now, summary=summary, chance=chance)
    database = open_database(f"sqlite:///{file}")
    _keep_counts(database, sources, important, now=now)
    keys = _add_keys(database, slugs, now=now)
    database.close()
    return DataSet(file, sum(counts), *keys, tuple(slugs))


def _row(slug: str) -> Row:
    vendor, _, product = slug.partition(".")
    return Row(
        slug=slug,
        vendor=vendor,
        name=f"{vendor.title()} {product.title()}",
        changelog_url=f"https://{vendor}.example/{product}/changelog",
        feed_url=f"https://{vendor}.example/{product}/feed.xml",
    )


def _counts(entries: int) -> list[int]:
    weights = [1 / (rank + 1) ** UNEVEN for rank in range(SOURCES)]
    counts = [int(entries * weight / sum(weights)) for weight in weights]
    counts[0] += entries - sum(counts)
    return counts


def _insert(
    file: Path,
    sources: list[tuple[str, int, int]],
    *,
    now: datetime,
    summary: int,
    chance: random.Random,
) -> dict[int, int]:
    """Write all entries in one transaction, without the safety of one; return important ones."""
    columns = list(Entry.__table__.columns)
    names = ", ".join(column.name for column in columns)
    places = ", ".join("?" * len(columns))
    connection = driver.connect(file, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000"):
        connection.execute(f"PRAGMA {pragma}")
    indexes = connection.execute(
        "SELECT name, sql FROM sqlite_master"
        " WHERE type = 'index' AND tbl_name = 'entries' AND sql IS NOT NULL"
    ).fetchall()
    connection.execute("BEGIN")
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    important: dict[int, int] = {}
    texts = Texts(chance, summary)
    number = 0
    for slug, source_id, count in sources:
        rows = texts.rows(columns, slug, source_id, count, now=now, first=number)
        for batch in _batches(rows):
            connection.executemany(f"INSERT INTO entries ({names}) VALUES ({places})", batch)
        important[source_id] = texts.important
        number += count
    for _, sql in indexes:
        connection.execute(sql)
    connection.execute("COMMIT")
    connection.execute("ANALYZE")
    connection.close()
    return important


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    batch: list[tuple[Any, ...]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class Texts:
    """Writes rows of entries; titles and summaries come from a stock made once."""

    def __init__(self, chance: random.Random, summary: int) -> None:
        self.chance = chance
        self.important = 0
        self.titles = [self._words(chance.randint(3, 9)).capitalize() for _ in range(2_000)]
        self.summaries = [
            self._words(max(4, int(chance.lognormvariate(0, 0.7) * summary / 9))).capitalize() + "."
            for _ in range(2_000)
        ]

    def _words(self, count: int) -> str:
        return " ".join(self.chance.choice(WORDS) for _ in range(count))

    def rows(
        self,
        columns: list[Any],
        slug: str,
        source_id: int,
        count: int,
        *,
        now: datetime,
        first: int,
    ) -> Iterator[tuple[Any, ...]]:
        """Yield a source's entries, oldest first, in the order of a table's columns."""
        self.important = 0
        step = timedelta(days=365 * YEARS) / (count + 1)
        for place in range(count):
            age = step * (count - place - self.chance.random())
            moment = (now - age).replace(microsecond=0)
            found = self._entry(slug, first + place, moment)
            yield tuple(
                source_id if column.name == "source_id" else _value(column, found)
                for column in columns
            )

    def _entry(self, slug: str, number: int, moment: datetime) -> dict[str, Any]:
        vendor, _, product = slug.partition(".")
        important = self.chance.random() < IMPORTANT_SHARE
        self.important += important
        text = EntryText(
            external_id=f"{product}-{number:09}",
            source=slug,
            vendor=vendor,
            published_at=moment,
            title=self.titles[self.chance.randrange(2_000)],
            url=f"https://{vendor}.example/{product}/changelog/{number}",
            summary=PASSAGE * important + self.summaries[self.chance.randrange(2_000)],
            raw={"guid": str(number), "date_source": "pubDate"},
            tags=TAGS[:2],
        )
        stored = moment.replace(tzinfo=None).isoformat(" ") + ".000000"
        return {
            "external_id": text.external_id,
            "published_at": stored,
            "title": text.title,
            "url": text.url,
            "url_key": url_key(text.url or ""),
            "content_hash": f"{number:064x}",
            "first_seen_at": stored,
            "changed_at": stored,
            "important": int(important),
            "importance": IMPORTANCE if important else None,
            "importance_version": 1,
            "document": entry_document(text),
            "public_document": public_document(text),
        }


def _value(column: Any, found: dict[str, Any]) -> Any:
    if column.name in found:
        return found[column.name]
    return column.default.arg if column.default is not None and column.default.is_scalar else None


def _keep_counts(
    database: Database,
    sources: list[tuple[str, int, int]],
    important: dict[int, int],
    *,
    now: datetime,
) -> None:
    healthy = {"last_success_at": now, "last_attempt_at": now, "entries_180d": 40}
    with database.write() as session:
        session.execute(
            update(Source),
            [
                {
                    "id": key,
                    "entry_count": count,
                    "important_count": important[key],
                    "health": Health.HEALTHY,
                }
                for _, key, count in sources
            ],
        )
        session.execute(
            update(FetchFacts),
            [
                {"source_id": key, "first_attempt_at": now, "newest_published_at": now, **healthy}
                for _, key, _ in sources
            ],
        )


def _add_keys(database: Database, slugs: list[str], *, now: datetime) -> tuple[str, str]:
    texts = []
    with database.write() as session:
        for plan in (Plan.ALL, Plan.FREE):
            account = add_account(
                session, f"{plan}@acme.example", now=now, plan=plan, diffs_addon=plan is Plan.ALL
            )
            key, text = add_key(session, account, name="bench", scopes=list(Scope), now=now)
            if plan is Plan.FREE:
                select_sources(session, key, ids_of(session, slugs[40:43]).values(), now=now)
            texts.append(text)
    return texts[0], texts[1]


def check_rows(made: DataSet, sample: int = 200) -> None:
    """See that what was invented follows the contract, as what ingestion writes does."""
    validator = contract_validator()
    connection = driver.connect(made.file)
    rows = connection.execute(
        "SELECT document, public_document, importance FROM entries LIMIT ?", (sample,)
    )
    for document, public, importance in rows:
        assert validator.schema("ChangelogEntry", orjson.loads(document)) == ()
        assert validator.schema("PublicEntry", orjson.loads(public)) == ()
        if importance is not None:
            whole = orjson.loads(with_importance(public, importance))
            assert validator.schema("ImportantEntry", whole) == ()
    connection.close()
