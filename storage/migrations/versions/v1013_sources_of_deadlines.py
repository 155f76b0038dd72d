"""A deadline knows the source of its entry: those of a source are read without its other entries.

A trigger fills it, as programs of the release before write deadlines too (docs/decisions/0048).
On PostgreSQL the index of versions holds the keys of entries, as every index of SQLite does.

Revision ID: 1013
"""

from alembic import op

from storage.migrations.versions.v1005_list_of_deadlines import HOLDS, INDEX, ORDER
from storage.migrations.versions.v1010_newest_versions import index_versions

revision = "1013"
down_revision = "1012"

_FILL = """
UPDATE entry_deadlines SET source_id = (SELECT source_id FROM entries WHERE entries.id = entry_id)
"""
_ON_SQLITE = f"""
CREATE TRIGGER entry_deadlines_stated AFTER INSERT ON entry_deadlines
BEGIN {_FILL} WHERE id = NEW.id; END
"""
_ON_POSTGRESQL = """
CREATE FUNCTION fill_deadline() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
NEW.source_id = (SELECT source_id FROM entries WHERE id = NEW.entry_id); RETURN NEW; END $$;
CREATE TRIGGER entry_deadlines_stated BEFORE INSERT ON entry_deadlines
FOR EACH ROW EXECUTE FUNCTION fill_deadline()
"""


def upgrade() -> None:
    """Add the column and what fills it; index it, alone and in the list."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    if not is_sqlite:
        op.execute("LOCK TABLE entries, entry_deadlines")  # in the order in which entries are saved
        index_versions(["published_at", "version"], ["id"])
    op.drop_index(INDEX)
    op.execute("ALTER TABLE entry_deadlines ADD COLUMN source_id BIGINT")
    op.execute(_FILL)
    op.execute(_ON_SQLITE if is_sqlite else _ON_POSTGRESQL)
    op.create_index(INDEX, "entry_deadlines", [*ORDER, *HOLDS, "source_id"])
    op.create_index("ix_entry_deadlines_source", "entry_deadlines", ["source_id", "last_day"])


def downgrade() -> None:
    """Take all of it away."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER entry_deadlines_stated")
    else:
        op.execute("DROP FUNCTION fill_deadline CASCADE")
        index_versions(["published_at", "version"])
    op.drop_index("ix_entry_deadlines_source")
    op.drop_index(INDEX)
    op.execute("ALTER TABLE entry_deadlines DROP COLUMN source_id")
    op.create_index(INDEX, "entry_deadlines", [*ORDER, *HOLDS])
