"""What handlers are asked about: rows of a catalog, entries as ingestion stores them, keys."""

from datetime import datetime, timedelta
from itertools import count
from typing import Any

import orjson
from sqlalchemy import select

from openapi.vocabulary import AdapterType, Kind, Plan, Scope
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import ids_of
from storage.engine.database import Database
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries
from storage.models import Source
from storage.people.accounts import add_account
from storage.people.follows import follow_sources
from storage.people.keys import add_key


def catalog_row(slug: str, **columns: Any) -> CatalogRow:
    """A row of a catalog."""
    vendor, _, product = slug.partition(".")
    usual = {
        "vendor": vendor,
        "name": f"{vendor.title()} {product.title()}",
        "kind": Kind.CHANGELOG,
        "homepage": "https://acme.example/",
        "changelog_url": f"https://{vendor}.example/{product}",
        "adapter_type": AdapterType.RSS,
        "feed_url": f"https://feeds.{vendor}.example/secret-{product}.xml",
        "tags": ("cloud",),
    }
    return CatalogRow(slug=slug, **usual | columns)


def publish(
    database: Database,
    now: datetime,
    slug: str,
    /,
    *,
    important: bytes | None = None,
    deadlines: tuple[DeadlineRecord, ...] = (),
    told: str = "",
    has_text: bool = True,
    **ages: timedelta,
) -> None:
    """Store entries as ingestion would, by title; ``told`` is in their texts."""
    with database.write() as session:
        source_id = session.scalars(select(Source.id).where(Source.slug == slug)).one()
        new = [
            EntryRecord(
                EntryText(
                    external_id=f"{slug}/{title}",
                    source=slug,
                    vendor=slug.partition(".")[0],
                    published_at=now - age,
                    title=title,
                    url=f"https://{slug}.example/{title}",
                    summary=told + f"All about {title}. " * 60 if has_text else None,
                    raw={"guid": title},
                    tags=["cloud"],
                ),
                content_hash="0" * 64,
                importance=important,
                importance_version=1,
                deadlines=deadlines,
            )
            for title, age in ages.items()
        ]
        save_entries(session, source_id, new=new, edited=[], now=now)


def important(*categories: str, text: str, field: str = "title", **more: Any) -> bytes:
    """Return why an entry is important: a passage for each category, and ``more`` beside them."""
    whole = {"field": field, "text": text, "start": 0, "end": len(text)}
    evidence = [{"category": each, **whole} for each in categories]
    return orjson.dumps({"categories": categories, "evidence": evidence, **more})


class NewKeys:
    """Makes keys, each of an account of its own: person0@acme.example and so on."""

    def __init__(self, database: Database, now: datetime) -> None:
        self._database, self._now, self._count = database, now, count()

    def __call__(
        self,
        plan: Plan = Plan.ALL,
        *,
        sources: list[str] = [],
        scopes: list[Scope] = list(Scope),
        diffs_addon: bool = False,
        expires_at: datetime | None = None,
    ) -> dict[str, str]:
        """Make one; returns the headers that carry it."""
        email, now = f"person{next(self._count)}@acme.example", self._now
        with self._database.write() as session:
            account = add_account(session, email, now=now, plan=plan, diffs_addon=diffs_addon)
            key, text = add_key(
                session, account, name="test", scopes=scopes, now=now, expires_at=expires_at
            )
            follow_sources(session, key.account_id, ids_of(session, sources).values(), now=now)
        return {"X-Api-Key": text}
