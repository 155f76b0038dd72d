"""A small catalog and an account, for what is stored about them."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from openapi.vocabulary import AdapterType, Kind
from storage.accounts import add_account
from storage.archive import WrittenEntry
from storage.documents import EntryText
from storage.sources import ids_of, save_sources


@dataclass(frozen=True)
class Row:
    """A row of a catalog."""

    slug: str
    name: str = "Acme Mail"
    kind: Kind = Kind.CHANGELOG
    homepage: str | None = None
    changelog_url: str = "https://acme.example/mail"
    adapter_type: AdapterType = AdapterType.RSS
    feed_url: str | None = "https://feeds.acme.example/mail.xml"
    tags: tuple[str, ...] = ("cloud",)

    @property
    def vendor(self):
        """The part of the slug before the dot."""
        return self.slug.partition(".")[0]


@pytest.fixture(scope="session")
def make_row():
    """Make rows of a catalog, for what is made once for many tests."""
    return Row


@pytest.fixture
def row(make_row):
    """Make rows of a catalog."""
    return make_row


@pytest.fixture
def catalog(database):
    """Six sources, by slug."""
    slugs = [f"acme.s{number}" for number in range(6)]
    with database.write() as session:
        save_sources(session, [Row(slug) for slug in slugs])
        return ids_of(session, slugs)


@pytest.fixture
def account(database, now):
    """The id of a free account."""
    with database.write() as session:
        return add_account(session, "ada@acme.example", now=now).id


@pytest.fixture(scope="session")
def learned(now):
    """Make entries to be learned: ``learned(id, title, hours old)``."""

    def learned(external_id, title="title", hours=1.0):
        text = EntryText(
            external_id=external_id,
            source="acme.s0",
            vendor="acme",
            published_at=now - timedelta(hours=hours),
            title=title,
            url=None,
            summary=None,
            raw={},
            tags=("cloud",),
        )
        return WrittenEntry(text, title.ljust(64, "0"), None, 1)

    return learned
