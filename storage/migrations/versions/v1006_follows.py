"""Accounts follow sources; a key reads what its account follows, or some of it.

Revision ID: 1006
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from storage.migrations.versions.v1001_first_schema import WORDS

revision = "1006"
down_revision = "1005"

TABLES = """
CREATE TABLE follows (
    account_id {id} NOT NULL, source_id {id} NOT NULL,
    CONSTRAINT pk_follows PRIMARY KEY (account_id, source_id),
    CONSTRAINT fk_follows_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE,
    CONSTRAINT fk_follows_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_follows_source_id ON follows (source_id);
CREATE TABLE removed_follows (
    account_id {id} NOT NULL, slug VARCHAR(120){c} NOT NULL,
    CONSTRAINT pk_removed_follows PRIMARY KEY (account_id, slug),
    CONSTRAINT fk_removed_follows_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
ALTER TABLE api_keys ADD COLUMN narrowed BOOLEAN DEFAULT FALSE NOT NULL
"""
LIVE = "k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)"
FILL = f"""
INSERT INTO follows (account_id, source_id)
    SELECT DISTINCT k.account_id, s.source_id
    FROM selections s JOIN api_keys k ON k.id = s.key_id WHERE {LIVE};
INSERT INTO removed_follows (account_id, slug)
    SELECT DISTINCT k.account_id, s.slug
    FROM removed_selections s JOIN api_keys k ON k.id = s.key_id WHERE {LIVE};
UPDATE api_keys SET narrowed = TRUE
    WHERE (SELECT plan FROM accounts a WHERE a.id = api_keys.account_id) <> 'all'
    AND (SELECT count(*) FROM selections s WHERE s.key_id = api_keys.id)
        < (SELECT count(*) FROM follows f WHERE f.account_id = api_keys.account_id);
DELETE FROM selections WHERE key_id IN (SELECT id FROM api_keys WHERE NOT narrowed);
DELETE FROM removed_selections WHERE key_id IN (SELECT id FROM api_keys WHERE NOT narrowed)
"""  # noqa: S608 - constants
BACK = """
INSERT INTO selections (key_id, source_id)
    SELECT k.id, f.source_id FROM follows f JOIN api_keys k ON k.account_id = f.account_id
    WHERE NOT k.narrowed;
ALTER TABLE api_keys DROP COLUMN narrowed;
DROP TABLE removed_follows;
DROP TABLE follows
"""


def upgrade() -> None:
    """Follow what is selected for live keys; narrow keys with less, but none on the All plan."""
    for statement in TABLES.format_map(WORDS[op.get_bind().dialect.name]).split(";"):
        op.execute(statement)
    now = sa.bindparam("now", datetime.now(UTC), type_=sa.DateTime(timezone=True))
    for statement in FILL.split(";"):
        filling = sa.text(statement)
        op.execute(filling.bindparams(now) if ":now" in statement else filling)


def downgrade() -> None:
    """Select what an account follows for its keys that are not narrowed."""
    for statement in BACK.split(";"):
        op.execute(statement)
