"""An address for the page of each entry, made of its date and the words of its title.

Revision ID: 1004
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from unicodedata import normalize

import sqlalchemy as sa
from alembic import op

from storage.migrations.versions.v1001_first_schema import WORDS

revision = "1004"
down_revision = "1003"

BATCH = 10_000
WORD = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+)*")


def upgrade() -> None:
    """Add the column, fill it source by source in the order in which entries came, index it."""
    connection = op.get_bind()
    column = f"address VARCHAR(120){WORDS[connection.dialect.name]['c']} DEFAULT '' NOT NULL"
    op.execute(f"ALTER TABLE entries ADD COLUMN {column}")
    entries = sa.table(
        "entries",
        *(sa.column(name) for name in ("id", "source_id", "title", "address")),
        sa.column("published_at", sa.DateTime),
    )
    columns = sa.select(entries.c.id, entries.c.published_at, entries.c.title)
    fill = sa.update(entries).where(entries.c.id == sa.bindparam("key"))
    fill = fill.values(address=sa.bindparam("to"))
    for source_id in connection.scalars(sa.text("SELECT id FROM sources ORDER BY id")).all():
        query = columns.where(entries.c.source_id == source_id).order_by(entries.c.id)
        values = addresses(connection.execute(query).all())
        while batch := list(islice(values, BATCH)):
            connection.execute(fill, batch)
    op.create_index("ix_entries_address", "entries", ["source_id", "address"])


def addresses(rows: Iterable[Any]) -> Iterator[dict[str, object]]:
    """Yield the address of each entry; the second of the same words ends with -2."""
    used: set[str] = set()
    last: dict[str, int] = {}
    for key, published_at, title in rows:
        plain = normalize("NFKD", title[:1_000].casefold()).replace("'", "")
        written = "-".join(WORD.findall(plain.encode("ascii", "ignore").decode()))[:61]
        if len(written) > 60:
            written = written.rpartition("-")[0] or written[:60]
        address = "-".join(filter(None, (str(published_at.date()), written.strip(".-"))))
        free = address
        while free in used:
            last[address] = last.get(address, 1) + 1
            free = f"{address}-{last[address]}"
        used.add(free)
        yield {"key": key, "to": free}


def downgrade() -> None:
    """Take it away again."""
    op.drop_index("ix_entries_address", "entries")
    op.execute("ALTER TABLE entries DROP COLUMN address")
