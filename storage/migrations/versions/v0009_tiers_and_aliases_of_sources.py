"""Give each source a tier, other names, and what a look at its address has found.

What is stored already gets the tier that its kind and its adapter say, until a catalog is loaded
that knows better; what has been read once is confirmed. The trigger that notices when the catalog
says something else of a source is made anew with the new columns.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BEFORE = ("slug", "vendor", "name", "kind", "homepage", "changelog_url", "adapter_type", "tags")
SAMPLE_BEFORE = ("slug", "vendor", "prominence", "health")
STEP_ON_SQLITE = "1 + (random() & 1073741823)"
STEP_ON_POSTGRESQL = "1 + floor(random() * 1073741824)::bigint"
ON_SQLITE = """
CREATE TRIGGER sources_rewritten AFTER UPDATE OF {columns} ON sources FOR EACH ROW WHEN {changed}
BEGIN
    UPDATE catalog_totals SET
        catalog_moves = catalog_moves + (CASE WHEN {catalog} THEN {step} ELSE 0 END),
        sample_moves = sample_moves + (CASE WHEN {sample} THEN {step} ELSE 0 END);
END
"""
FUNCTION_ON_POSTGRESQL = """
CREATE OR REPLACE FUNCTION sources_rewritten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalog_totals (catalog_moves, sample_moves) VALUES (
        CASE WHEN {catalog} THEN {step} ELSE 0 END, CASE WHEN {sample} THEN {step} ELSE 0 END
    );
    IF random() < 0.02 AND pg_try_advisory_xact_lock(1668180840) THEN
        WITH seen AS (DELETE FROM catalog_totals RETURNING *)
        INSERT INTO catalog_totals ({totals}) SELECT {sums} FROM seen;
    END IF;
    RETURN NULL;
END
$$
"""
TRIGGER_ON_POSTGRESQL = """
CREATE TRIGGER sources_rewritten AFTER UPDATE OF {columns} ON sources FOR EACH ROW
WHEN ({changed}) EXECUTE FUNCTION sources_rewritten()
"""
TOTALS = (
    "sources",
    "entries",
    "important",
    "catalog_moves",
    "sample_moves",
    "document_moves",
    "public_moves",
    "important_moves",
)
TIERS = """
UPDATE sources SET tier = CASE
    WHEN adapter_type = 'github_releases' THEN 'component'
    WHEN kind = 'blog' THEN 'blog'
    ELSE 'product'
END
"""
CONFIRMED = """
UPDATE fetch_facts SET address_status = 'confirmed' WHERE last_success_at IS NOT NULL
"""


def upgrade() -> None:
    """Go forward."""
    op.add_column(
        "sources", sa.Column("tier", sa.String(20), server_default="product", nullable=False)
    )
    op.add_column("sources", sa.Column("aliases", sa.LargeBinary(), nullable=True))
    op.add_column("sources", sa.Column("basis", sa.String(20), nullable=True))
    op.add_column(
        "fetch_facts",
        sa.Column("address_status", sa.String(20), server_default="unconfirmed", nullable=False),
    )
    op.add_column(
        "fetch_facts", sa.Column("address_checked_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("fetch_facts", sa.Column("moved_from", sa.String(4096), nullable=True))
    op.add_column("fetch_facts", sa.Column("moved_to", sa.String(4096), nullable=True))
    op.execute(TIERS)
    op.execute(CONFIRMED)
    op.drop_index("ix_sources_sample", table_name="sources")
    op.create_index(
        "ix_sources_sample", "sources", ["tier", "health", "prominence", "slug", "vendor"]
    )
    replace_trigger((*BEFORE, "tier", "aliases"), (*SAMPLE_BEFORE, "tier"))


def differs(*columns: str) -> str:
    """Say that one of some columns has changed."""
    return f"({' OR '.join(f'OLD.{name} IS DISTINCT FROM NEW.{name}' for name in columns)})"


def replace_trigger(catalog: tuple[str, ...], sample: tuple[str, ...]) -> None:
    """Make the trigger that watches what the catalog says and what the sample is chosen by."""
    watched = tuple(dict.fromkeys((*catalog, *sample)))
    values = {
        "columns": ", ".join(watched),
        "changed": differs(*watched),
        "catalog": differs(*catalog),
        "sample": differs(*sample),
    }
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER sources_rewritten")
        op.execute(ON_SQLITE.format(**values, step=STEP_ON_SQLITE))
        return
    op.execute("DROP TRIGGER sources_rewritten ON sources")
    op.execute(
        FUNCTION_ON_POSTGRESQL.format(
            **values,
            step=STEP_ON_POSTGRESQL,
            totals=", ".join(TOTALS),
            sums=", ".join(f"COALESCE(SUM({name}), 0)" for name in TOTALS),
        )
    )
    op.execute(TRIGGER_ON_POSTGRESQL.format(**values))


def downgrade() -> None:
    """Go back."""
    replace_trigger(BEFORE, SAMPLE_BEFORE)
    op.drop_index("ix_sources_sample", table_name="sources")
    for column in ("basis", "aliases", "tier"):
        op.drop_column("sources", column)
    for column in ("moved_to", "moved_from", "address_checked_at", "address_status"):
        op.drop_column("fetch_facts", column)
    op.create_index("ix_sources_sample", "sources", ["health", "prominence", "slug", "vendor"])
