"""The pages' application, and entries that say anything."""

from datetime import timedelta

import orjson
import pytest

from handlers.site.app import create_site
from storage.catalog.sources import ids_of
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries


@pytest.fixture
def site(services):
    """A client of the pages."""
    return create_site(services, secret_key="secret").test_client()  # type: ignore[no-untyped-call]


def judged(categories, title):
    """Write why an entry is important: its whole title is the evidence."""
    return orjson.dumps(
        {
            "categories": list(categories),
            "evidence": [
                {
                    "category": category,
                    "field": "title",
                    "text": title,
                    "start": 0,
                    "end": len(title),
                }
                for category in categories
            ],
        }
    )


@pytest.fixture
def show(database, now):
    """Store an entry, or its edit: ``show(title, summary=…, hours=1, …)``."""

    def show(
        title,
        summary="All about it.",
        *,
        slug="acme.mail",
        external_id=None,
        hours=1.0,
        url="https://acme.example/1",
        tags=("cloud", "email"),
        categories=(),
        deadlines=(),
        seen=timedelta(0),
    ):
        text = EntryText(
            external_id=external_id or title,
            source=slug,
            vendor=slug.partition(".")[0],
            published_at=now - timedelta(hours=hours),
            title=title,
            url=url,
            summary=summary,
            raw={},
            tags=tags,
        )
        why = judged(categories, title) if categories else None
        written = EntryRecord(text, "0" * 64, why, 1, tuple(deadlines))
        with database.write() as session:
            source_id = ids_of(session, [slug])[slug]
            known = known_entries(session, source_id, ids=[text.external_id], urls=())
            save_entries(
                session,
                source_id,
                new=[] if known else [written],
                edited=[Edit(known[0], written)] if known else [],
                now=now + seen,
            )

    return show
