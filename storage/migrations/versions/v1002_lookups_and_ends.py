"""Lookups of packages, sources on demand, what ends and what to use instead, newest edits.

Revision ID: 1002
"""

from alembic import op

from storage.migrations.versions.v1001_first_schema import WORDS

revision = "1002"
down_revision = "1001"

ON_DEMAND = {"sqlite": "on_demand = 1", "postgresql": "on_demand"}
TABLES = """
ALTER TABLE accounts ADD COLUMN looks_up BOOLEAN DEFAULT TRUE NOT NULL;
ALTER TABLE sources ADD COLUMN on_demand BOOLEAN DEFAULT FALSE NOT NULL;
CREATE INDEX ix_sources_on_demand ON sources (id) WHERE {on_demand};
CREATE TABLE on_demand_uses (
    account_id {id} NOT NULL, source_id {id} NOT NULL, used_at {time} NOT NULL,
    CONSTRAINT pk_on_demand_uses PRIMARY KEY (account_id, source_id),
    CONSTRAINT fk_on_demand_uses_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE,
    CONSTRAINT fk_on_demand_uses_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_on_demand_uses_source_id ON on_demand_uses (source_id);
CREATE TABLE package_lookups (
    purl VARCHAR(500){c} NOT NULL CONSTRAINT pk_package_lookups PRIMARY KEY,
    system VARCHAR(20) NOT NULL, name VARCHAR(500) NOT NULL, wanted_at {time} NOT NULL,
    due_at {time}, failures INTEGER NOT NULL, answered_at {time}, repository VARCHAR(500){c},
    is_certain BOOLEAN NOT NULL, seen_in VARCHAR(200) NOT NULL
);
CREATE INDEX ix_package_lookups_due_at ON package_lookups (due_at);
CREATE INDEX ix_package_lookups_repository ON package_lookups (repository);
CREATE INDEX ix_entry_revisions_replaced_at ON entry_revisions (replaced_at, entry_id);
ALTER TABLE entry_deadlines ADD COLUMN subject TEXT;
ALTER TABLE entry_deadlines ADD COLUMN versions TEXT;
ALTER TABLE entry_deadlines ADD COLUMN successor TEXT
"""
BACK = """
ALTER TABLE entry_deadlines DROP COLUMN successor;
ALTER TABLE entry_deadlines DROP COLUMN versions;
ALTER TABLE entry_deadlines DROP COLUMN subject;
DROP INDEX ix_entry_revisions_replaced_at;
DROP TABLE package_lookups;
DROP TABLE on_demand_uses;
DROP INDEX ix_sources_on_demand;
ALTER TABLE sources DROP COLUMN on_demand;
ALTER TABLE accounts DROP COLUMN looks_up
"""


def upgrade() -> None:
    """Add the columns, tables and indexes. Deadlines get their subjects when they are concluded."""
    dialect = op.get_bind().dialect.name
    words = {**WORDS[dialect], "on_demand": ON_DEMAND[dialect]}
    for statement in TABLES.format_map(words).split(";"):
        op.execute(statement)


def downgrade() -> None:
    """Take them away again."""
    for statement in BACK.split(";"):
        op.execute(statement)
