"""Stacks have names; the one of the page is called 1.

Revision ID: 1003
"""

from alembic import op

from storage.migrations.versions.v1001_first_schema import WORDS

revision = "1003"
down_revision = "1002"

TABLE = """
CREATE TABLE kept_parts AS SELECT * FROM stack_parts;
DROP TABLE stack_parts;
CREATE TABLE stack_parts (
    account_id {id} NOT NULL, {stack} purl VARCHAR(500){c} NOT NULL,
    version VARCHAR(100){c} NOT NULL,
    CONSTRAINT pk_stack_parts PRIMARY KEY (account_id, {in_key} purl, version),
    CONSTRAINT fk_stack_parts_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
INSERT INTO stack_parts ({columns}) SELECT {values} FROM kept_parts {where};
DROP TABLE kept_parts
"""


def upgrade() -> None:
    """Add the name of a stack to its parts."""
    words = WORDS[op.get_bind().dialect.name]
    _rebuild(
        stack=f"stack VARCHAR(80){words['c']} NOT NULL,",
        in_key="stack,",
        columns="account_id, stack, purl, version",
        values="account_id, '1', purl, version",
        where="",
    )


def downgrade() -> None:
    """Keep the stack of the page alone."""
    columns = "account_id, purl, version"
    _rebuild(stack="", in_key="", columns=columns, values=columns, where="WHERE stack = '1'")


def _rebuild(**words: str) -> None:
    for statement in TABLE.format(**WORDS[op.get_bind().dialect.name], **words).split(";"):
        op.execute(statement)
