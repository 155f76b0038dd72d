"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "email",
            sa.String(length=320).with_variant(sa.String(length=320, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("plan", sa.String(length=20), nullable=False),
        sa.Column("diffs_addon", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("email", name=op.f("uq_accounts_email")),
    )
    op.create_table(
        "rate_windows",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("closes_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("hits >= 0", name=op.f("ck_rate_windows_hits")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_windows")),
    )
    with op.batch_alter_table("rate_windows", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rate_windows_closes_at"), ["closes_at"], unique=False)

    op.create_table(
        "sign_in_links",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("next_path", sa.String(length=2048), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_sign_in_links")),
    )
    with op.batch_alter_table("sign_in_links", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_sign_in_links_expires_at"), ["expires_at"], unique=False
        )

    op.create_table(
        "snapshot_bodies",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_snapshot_bodies")),
    )
    op.create_table(
        "source_requests",
        sa.Column(
            "id",
            sa.String(length=40).with_variant(sa.String(length=40, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("url", sa.String(length=4096), nullable=False),
        sa.Column("url_key", sa.String(length=64), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("findings", sa.LargeBinary(), nullable=True),
        sa.Column("slug", sa.String(length=120), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_requests")),
    )
    with op.batch_alter_table("source_requests", schema=None) as batch_op:
        batch_op.create_index(
            "uq_source_requests_pending",
            ["url_key"],
            unique=True,
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )

    op.create_table(
        "sources",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "slug",
            sa.String(length=120).with_variant(sa.String(length=120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "vendor",
            sa.String(length=80).with_variant(sa.String(length=80, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_folded", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("homepage", sa.String(length=4096), nullable=True),
        sa.Column("changelog_url", sa.String(length=4096), nullable=False),
        sa.Column("adapter_type", sa.String(length=20), nullable=False),
        sa.Column("tags", sa.LargeBinary(), nullable=True),
        sa.Column("prominence", sa.Integer(), nullable=False),
        sa.Column("health", sa.String(length=20), nullable=False),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("important_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("slug", name=op.f("uq_sources_slug")),
    )
    with op.batch_alter_table("sources", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sources_adapter_type"), ["adapter_type"], unique=False)
        batch_op.create_index("ix_sources_counts", ["entry_count", "important_count"], unique=False)
        batch_op.create_index(batch_op.f("ix_sources_kind"), ["kind"], unique=False)
        batch_op.create_index(
            "ix_sources_sample", ["health", "prominence", "slug", "vendor"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_sources_vendor"), ["vendor"], unique=False)

    op.create_table(
        "api_keys",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("public_id", sa.String(length=12), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_api_keys_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("public_id", name=op.f("uq_api_keys_public_id")),
    )
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_keys_account_id"), ["account_id"], unique=False)

    op.create_table(
        "diffs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_diffs_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_diffs")),
    )
    with op.batch_alter_table("diffs", schema=None) as batch_op:
        batch_op.create_index("ix_diffs_source", ["source_id", "id"], unique=False)

    op.create_table(
        "entries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "external_id",
            sa.String(length=500).with_variant(sa.String(length=500, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("url_key", sa.BigInteger(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("important", sa.Boolean(), nullable=False),
        sa.Column("importance", sa.LargeBinary(), nullable=True),
        sa.Column("importance_version", sa.Integer(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("public_document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_entries_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        sa.UniqueConstraint(
            "source_id", "external_id", name=op.f("uq_entries_source_id_external_id")
        ),
    )
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.create_index("ix_entries_importance_version", ["importance_version"], unique=False)
        batch_op.create_index(
            "ix_entries_important",
            ["published_at", "external_id", "source_id"],
            unique=False,
            sqlite_where=sa.text("important = 1"),
            postgresql_where=sa.text("important"),
        )
        batch_op.create_index(
            "ix_entries_latest", ["published_at", "external_id", "source_id"], unique=False
        )
        batch_op.create_index(
            "ix_entries_page", ["source_id", "published_at", "external_id"], unique=False
        )
        batch_op.create_index("ix_entries_url", ["source_id", "url_key"], unique=False)

    op.create_table(
        "fetch_facts",
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("feed_url", sa.String(length=4096), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("redirect_url", sa.String(length=4096), nullable=True),
        sa.Column("redirect_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("validators_url", sa.String(length=4096), nullable=True),
        sa.Column("body_hash", sa.String(length=64), nullable=True),
        sa.Column("parser_version", sa.String(length=20), nullable=True),
        sa.Column("fail_score", sa.Double(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("first_failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("first_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_success_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_failure", sa.String(length=40), nullable=True),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_message", sa.Text(), nullable=True),
        sa.Column("empty_streak", sa.Integer(), nullable=False),
        sa.Column("interval", sa.Integer(), nullable=True),
        sa.Column("median_gap", sa.Integer(), nullable=True),
        sa.Column("newest_published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("entries_180d", sa.Integer(), nullable=False),
        sa.Column("ttl", sa.Integer(), nullable=True),
        sa.Column("open_gap", sa.Boolean(), nullable=False),
        sa.Column("retry_after_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_check_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("recipe", sa.Text(), nullable=True),
        sa.Column("recipe_made_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_fetch_facts_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_fetch_facts")),
    )
    with op.batch_alter_table("fetch_facts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_fetch_facts_host"), ["host"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_fetch_facts_next_check_at"), ["next_check_at"], unique=False
        )

    op.create_table(
        "gaps",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "after_id",
            sa.String(length=500).with_variant(sa.String(length=500, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("after_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "before_id",
            sa.String(length=500).with_variant(sa.String(length=500, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("before_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("known", sa.LargeBinary(), nullable=True),
        sa.Column("declared_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_gaps_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gaps")),
    )
    with op.batch_alter_table("gaps", schema=None) as batch_op:
        batch_op.create_index("ix_gaps_source", ["source_id", "closed_at"], unique=False)

    op.create_table(
        "request_steps",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("request_id", sa.String(length=40), nullable=False),
        sa.Column("before", sa.String(length=20), nullable=False),
        sa.Column("after", sa.String(length=20), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["request_id"],
            ["source_requests.id"],
            name=op.f("fk_request_steps_request_id_source_requests"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_request_steps")),
    )
    with op.batch_alter_table("request_steps", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_request_steps_request_id"), ["request_id"], unique=False
        )

    op.create_table(
        "snapshots",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("parser_version", sa.String(length=40), nullable=False),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["content_hash"],
            ["snapshot_bodies.digest"],
            name=op.f("fk_snapshots_content_hash_snapshot_bodies"),
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_snapshots_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snapshots")),
    )
    with op.batch_alter_table("snapshots", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_snapshots_content_hash"), ["content_hash"], unique=False
        )
        batch_op.create_index("ix_snapshots_source", ["source_id", "id"], unique=False)

    op.create_table(
        "web_sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column(
            "account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name=op.f("fk_web_sessions_account_id_accounts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_web_sessions")),
    )
    with op.batch_alter_table("web_sessions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_web_sessions_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_web_sessions_expires_at"), ["expires_at"], unique=False
        )

    op.create_table(
        "entry_deadlines",
        sa.Column("entry_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["entries.id"],
            name=op.f("fk_entry_deadlines_entry_id_entries"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("entry_id", "place", name=op.f("pk_entry_deadlines")),
    )
    with op.batch_alter_table("entry_deadlines", schema=None) as batch_op:
        batch_op.create_index(
            "ix_entry_deadlines_last_day", ["last_day", "entry_id", "place"], unique=False
        )

    op.create_table(
        "entry_revisions",
        sa.Column("entry_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["entries.id"],
            name=op.f("fk_entry_revisions_entry_id_entries"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("entry_id", "revision", name=op.f("pk_entry_revisions")),
    )
    op.create_table(
        "selections",
        sa.Column("key_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["key_id"],
            ["api_keys.id"],
            name=op.f("fk_selections_key_id_api_keys"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_selections_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key_id", "source_id", name=op.f("pk_selections")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("selections")
    op.drop_table("entry_revisions")
    with op.batch_alter_table("entry_deadlines", schema=None) as batch_op:
        batch_op.drop_index("ix_entry_deadlines_last_day")

    op.drop_table("entry_deadlines")
    with op.batch_alter_table("web_sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_web_sessions_expires_at"))
        batch_op.drop_index(batch_op.f("ix_web_sessions_account_id"))

    op.drop_table("web_sessions")
    with op.batch_alter_table("snapshots", schema=None) as batch_op:
        batch_op.drop_index("ix_snapshots_source")
        batch_op.drop_index(batch_op.f("ix_snapshots_content_hash"))

    op.drop_table("snapshots")
    with op.batch_alter_table("request_steps", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_request_steps_request_id"))

    op.drop_table("request_steps")
    with op.batch_alter_table("gaps", schema=None) as batch_op:
        batch_op.drop_index("ix_gaps_source")

    op.drop_table("gaps")
    with op.batch_alter_table("fetch_facts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_fetch_facts_next_check_at"))
        batch_op.drop_index(batch_op.f("ix_fetch_facts_host"))

    op.drop_table("fetch_facts")
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.drop_index("ix_entries_url")
        batch_op.drop_index("ix_entries_page")
        batch_op.drop_index("ix_entries_latest")
        batch_op.drop_index(
            "ix_entries_important",
            sqlite_where=sa.text("important = 1"),
            postgresql_where=sa.text("important"),
        )
        batch_op.drop_index("ix_entries_importance_version")

    op.drop_table("entries")
    with op.batch_alter_table("diffs", schema=None) as batch_op:
        batch_op.drop_index("ix_diffs_source")

    op.drop_table("diffs")
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_api_keys_account_id"))

    op.drop_table("api_keys")
    with op.batch_alter_table("sources", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sources_vendor"))
        batch_op.drop_index("ix_sources_sample")
        batch_op.drop_index(batch_op.f("ix_sources_kind"))
        batch_op.drop_index("ix_sources_counts")
        batch_op.drop_index(batch_op.f("ix_sources_adapter_type"))

    op.drop_table("sources")
    with op.batch_alter_table("source_requests", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_source_requests_pending",
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        )

    op.drop_table("source_requests")
    op.drop_table("snapshot_bodies")
    with op.batch_alter_table("sign_in_links", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_sign_in_links_expires_at"))

    op.drop_table("sign_in_links")
    with op.batch_alter_table("rate_windows", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rate_windows_closes_at"))

    op.drop_table("rate_windows")
    op.drop_table("accounts")
