"""A database of invented entries, as large as asked for, built once and kept in a folder.

Sources are of very different sizes, as in life: the largest of 5,000 has a twenty-fifth of all
entries, most have a few. How the entries get in is in ``api_rows``.
"""

import json
import random
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import orjson
import pysqlite3.dbapi2 as driver
from api_rows import TAGS, insert_entries
from sqlalchemy import update

from openapi.components import component_violations
from openapi.vocabulary import AdapterType, Health, Kind, Plan, Scope
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database, open_database, upgrade
from storage.entries.documents import with_importance
from storage.models import FetchFacts, Source
from storage.people.accounts import add_account
from storage.people.keys import add_key, select_sources

FOLDER = Path(tempfile.gettempdir()) / "changewire-bench"
SOURCES = 5_000
SAMPLE = 200  # rows that are held against the contract
UNEVEN = 0.8  # the exponent of Zipf's law


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


def data_set(folder: Path, entries: int, *, summary: int = 500) -> DataSet:
    """Return the database of this size, building it when the folder has none."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"entries-{entries}-{summary}.db"
    facts = file.with_suffix(".json")
    if not facts.exists():
        made = _build(file, entries, summary=summary, chance=random.Random(1))
        facts.write_text(json.dumps({**asdict(made), "file": str(file)}))
    found = json.loads(facts.read_text())
    database = open_database(f"sqlite:///{file}")
    upgrade(database)  # a kept one may be older than this program
    database.close()
    return DataSet(**{**found, "file": Path(found["file"]), "slugs": tuple(found["slugs"])})


def remove(data: DataSet) -> None:
    """Delete a database and what stands beside it."""
    for path in data.file.parent.glob(f"{data.file.stem}.*"):
        path.unlink()


def _build(file: Path, entries: int, *, summary: int, chance: random.Random) -> DataSet:
    for path in file.parent.glob(f"{file.stem}.db*"):
        path.unlink()
    database = open_database(f"sqlite:///{file}")
    upgrade(database)
    now = datetime.now(UTC).replace(microsecond=0)
    slugs = [f"vendor{number % 1700:04}.product{number:04}" for number in range(SOURCES)]
    with database.write() as session:
        save_sources(session, [row_of(slug) for slug in slugs])
        ids = ids_of(session, slugs)
    counts = _counts(entries)
    database.close()
    sources = [(slug, ids[slug], count) for slug, count in zip(slugs, counts, strict=True)]
    important = insert_entries(file, sources, now=now, summary=summary, chance=chance)
    database = open_database(f"sqlite:///{file}")
    _keep_counts(database, sources, important, now=now)
    keys = _add_keys(database, slugs, now=now)
    database.close()
    return DataSet(file, sum(counts), *keys, tuple(slugs))


def row_of(slug: str) -> CatalogRow:
    """Return the row of a source in the catalog."""
    vendor, _, product = slug.partition(".")
    return CatalogRow(
        slug=slug,
        vendor=vendor,
        name=f"{vendor.title()} {product.title()}",
        kind=Kind.CHANGELOG,
        homepage="https://vendor.example/",
        changelog_url=f"https://{vendor}.example/{product}/changelog",
        adapter_type=AdapterType.RSS,
        feed_url=f"https://{vendor}.example/{product}/feed.xml",
        tags=TAGS,
    )


def _counts(entries: int) -> list[int]:
    weights = [1 / (rank + 1) ** UNEVEN for rank in range(SOURCES)]
    counts = [int(entries * weight / sum(weights)) for weight in weights]
    counts[0] += entries - sum(counts)
    return counts


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


def check_rows(data: DataSet) -> None:
    """See that what was invented follows the contract, as what ingestion writes does."""
    connection = driver.connect(data.file)
    rows = connection.execute(
        "SELECT document, public_document, importance FROM entries LIMIT ?", (SAMPLE,)
    )
    for document, public, importance in rows:
        assert component_violations("ChangelogEntry", orjson.loads(document)) == ()
        assert component_violations("PublicEntry", orjson.loads(public)) == ()
        if importance is not None:
            entry = orjson.loads(with_importance(public, importance))
            assert component_violations("ImportantEntry", entry) == ()
    connection.close()
