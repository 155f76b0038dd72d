"""The first schema: tables, indexes, triggers, the search index and, on PostgreSQL, the queue.

Revision ID: 1001
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Final

from alembic import op

from storage.migrations.first_triggers import triggers

revision = "1001"
down_revision = None

WORDS: Final[Mapping[str, Mapping[str, str]]] = {  # what stands in braces in TABLES
    "sqlite": {
        "key": "INTEGER NOT NULL",  # only exactly INTEGER counts up
        "number": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",  # never reuses a number
        "id": "INTEGER",
        "time": "DATETIME",
        "bytes": "BLOB",
        "double": "DOUBLE",
        "c": "",
        "with_id": "",  # every index has it
        "important": "important = 1",  # word for word as in queries
        "listed": "listed = 1",
        "unlisted": "listed = 0",
        "prerelease": "prerelease IS 1",
    },
    "postgresql": {
        "key": "BIGSERIAL NOT NULL",
        "number": "BIGSERIAL NOT NULL CONSTRAINT pk_entry_changes PRIMARY KEY",
        "id": "BIGINT",
        "time": "TIMESTAMP WITH TIME ZONE",
        "bytes": "BYTEA",
        "double": "DOUBLE PRECISION",
        "c": ' COLLATE "C"',  # sorts by code point, whatever the locale of the database
        "with_id": " INCLUDE (id)",
        "important": "important",
        "listed": "listed",
        "unlisted": "NOT listed",
        "prerelease": "prerelease IS true",
    },
}
SEARCH_ON_SQLITE: Final = (
    """
CREATE VIRTUAL TABLE entry_words USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.-_+#'"
)""",
    """
CREATE TRIGGER entry_words_removed AFTER DELETE ON entries
BEGIN DELETE FROM entry_words WHERE rowid = OLD.id; END
""",
)
SEARCH_ON_POSTGRESQL: Final = """
CREATE TABLE entry_words (
    entry_id BIGINT CONSTRAINT pk_entry_words PRIMARY KEY, words TSVECTOR NOT NULL,
    CONSTRAINT fk_entry_words_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
CREATE INDEX ix_entry_words ON entry_words
USING gin (words) WITH (gin_pending_list_limit = 256)
"""
EVERYTHING_ON_SQLITE: Final = """
SELECT 'DROP TABLE ' || name FROM sqlite_schema
WHERE type = 'table' AND name != 'alembic_version' AND name NOT LIKE 'sqlite_%'
AND name NOT GLOB 'entry_words_*' ORDER BY rowid DESC
"""
EVERYTHING_ON_POSTGRESQL: Final = """
SELECT 'DROP ' || kind || ' IF EXISTS ' || name || ' CASCADE' FROM (
    SELECT 'TABLE' AS kind, oid::regclass::text AS name, relnamespace AS schema
    FROM pg_class WHERE relkind = 'r' AND relname != 'alembic_version'
    UNION ALL SELECT 'FUNCTION', oid::regprocedure::text, pronamespace FROM pg_proc
    UNION ALL SELECT 'TYPE', pg_type.oid::regtype::text, typnamespace
    FROM pg_type LEFT JOIN pg_class ON pg_class.oid = typrelid
    WHERE typtype = 'e' OR relkind = 'c'
) AS objects WHERE schema = current_schema()::regnamespace
"""


def upgrade() -> None:
    """Create everything."""
    dialect = op.get_bind().dialect.name
    _execute(TABLES.format_map(WORDS[dialect]).split(";\n"))
    _execute(triggers(dialect))
    if dialect == "sqlite":
        _execute(SEARCH_ON_SQLITE)
    else:
        queue = import_module("procrastinate.schema")  # with what only PostgreSQL needs
        _execute([SEARCH_ON_POSTGRESQL, queue.SchemaManager.get_schema()])


def downgrade() -> None:
    """Drop everything."""
    connection = op.get_bind()
    on_sqlite = connection.dialect.name == "sqlite"
    find = EVERYTHING_ON_SQLITE if on_sqlite else EVERYTHING_ON_POSTGRESQL
    _execute(connection.exec_driver_sql(find).scalars().all())


def _execute(statements: Iterable[str]) -> None:
    """Execute SQL as it is; on PostgreSQL a statement may be a script."""
    driver: Any = op.get_bind().connection.driver_connection
    for statement in statements:
        driver.execute(statement)


TABLES: Final = """
CREATE TABLE accounts (
    id {key} CONSTRAINT pk_accounts PRIMARY KEY, email VARCHAR(320){c} NOT NULL,
    "plan" VARCHAR(20) NOT NULL, diffs_addon BOOLEAN NOT NULL,
    operator BOOLEAN DEFAULT FALSE NOT NULL, created_at {time} NOT NULL,
    visited_at {time},
    CONSTRAINT uq_accounts_email UNIQUE (email)
);
CREATE TABLE account_events (
    id {key} CONSTRAINT pk_account_events PRIMARY KEY, account_id {id} NOT NULL, at {time} NOT NULL,
    kind VARCHAR(20) NOT NULL, actor VARCHAR(20) NOT NULL, subject VARCHAR(200) NOT NULL,
    browser VARCHAR(80) NOT NULL, client VARCHAR(45) NOT NULL,
    CONSTRAINT fk_account_events_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX ix_account_events_kind ON account_events (account_id, kind, id);
CREATE TABLE plan_requests (
    id {key} CONSTRAINT pk_plan_requests PRIMARY KEY, account_id {id} NOT NULL,
    "plan" VARCHAR(20) NOT NULL, diffs_addon BOOLEAN NOT NULL, note TEXT,
    created_at {time} NOT NULL, decided_at {time}, granted BOOLEAN, reason TEXT,
    CONSTRAINT fk_plan_requests_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX ix_plan_requests_account_id ON plan_requests (account_id);
CREATE UNIQUE INDEX uq_plan_requests_waiting ON plan_requests (account_id)
    WHERE decided_at IS NULL;
CREATE TABLE sign_in_links (
    digest VARCHAR(64) NOT NULL CONSTRAINT pk_sign_in_links PRIMARY KEY,
    email VARCHAR(320) NOT NULL, next_path VARCHAR(2048) NOT NULL, created_at {time} NOT NULL,
    expires_at {time} NOT NULL, used_at {time}, browser VARCHAR(64), code VARCHAR(64)
);
CREATE INDEX ix_sign_in_links_browser ON sign_in_links (browser);
CREATE INDEX ix_sign_in_links_code ON sign_in_links (code);
CREATE INDEX ix_sign_in_links_expires_at ON sign_in_links (expires_at);
CREATE TABLE web_sessions (
    digest VARCHAR(64) NOT NULL CONSTRAINT pk_web_sessions PRIMARY KEY, account_id {id} NOT NULL,
    created_at {time} NOT NULL, last_seen_at {time} NOT NULL, expires_at {time} NOT NULL,
    browser VARCHAR(80) DEFAULT '' NOT NULL, client VARCHAR(45) DEFAULT '' NOT NULL,
    CONSTRAINT fk_web_sessions_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX ix_web_sessions_account_id ON web_sessions (account_id);
CREATE INDEX ix_web_sessions_expires_at ON web_sessions (expires_at);
CREATE TABLE api_keys (
    id {key} CONSTRAINT pk_api_keys PRIMARY KEY, account_id {id} NOT NULL,
    public_id VARCHAR(12) NOT NULL, digest VARCHAR(64) NOT NULL, name VARCHAR(200) NOT NULL,
    scopes {bytes}, created_at {time} NOT NULL, expires_at {time}, revoked_at {time},
    last_used_at {time},
    CONSTRAINT uq_api_keys_public_id UNIQUE (public_id),
    CONSTRAINT fk_api_keys_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX ix_api_keys_account_id ON api_keys (account_id);
CREATE TABLE removed_selections (
    key_id {id} NOT NULL, slug VARCHAR(120){c} NOT NULL,
    CONSTRAINT pk_removed_selections PRIMARY KEY (key_id, slug),
    CONSTRAINT fk_removed_selections_key_id_api_keys FOREIGN KEY (key_id)
        REFERENCES api_keys (id) ON DELETE CASCADE
);
CREATE TABLE stack_parts (
    account_id {id} NOT NULL, purl VARCHAR(500){c} NOT NULL, version VARCHAR(100){c} NOT NULL,
    CONSTRAINT pk_stack_parts PRIMARY KEY (account_id, purl, version),
    CONSTRAINT fk_stack_parts_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE saved_filters (
    id {key} CONSTRAINT pk_saved_filters PRIMARY KEY, public_id VARCHAR(20){c} NOT NULL,
    account_id {id} NOT NULL, name VARCHAR(200) NOT NULL, "query" TEXT NOT NULL,
    created_at {time} NOT NULL,
    CONSTRAINT uq_saved_filters_public_id UNIQUE (public_id),
    CONSTRAINT fk_saved_filters_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX ix_saved_filters_account_id ON saved_filters (account_id);
CREATE TABLE private_feeds (
    id {key} CONSTRAINT pk_private_feeds PRIMARY KEY, account_id {id} NOT NULL, filter_id {id},
    digest VARCHAR(64) NOT NULL, created_at {time} NOT NULL,
    CONSTRAINT uq_private_feeds_digest UNIQUE (digest),
    CONSTRAINT fk_private_feeds_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE,
    CONSTRAINT fk_private_feeds_filter_id_saved_filters FOREIGN KEY (filter_id)
        REFERENCES saved_filters (id) ON DELETE CASCADE
);
CREATE INDEX ix_private_feeds_account_id ON private_feeds (account_id);
CREATE INDEX ix_private_feeds_filter_id ON private_feeds (filter_id);
CREATE TABLE idempotent_answers (
    account_id {id} NOT NULL, name VARCHAR(64){c} NOT NULL, status INTEGER NOT NULL,
    body {bytes} NOT NULL, created_at {time} NOT NULL,
    CONSTRAINT pk_idempotent_answers PRIMARY KEY (account_id, name),
    CONSTRAINT fk_idempotent_answers_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE rate_windows (
    name VARCHAR(200) NOT NULL CONSTRAINT pk_rate_windows PRIMARY KEY, hits INTEGER NOT NULL,
    closes_at {time} NOT NULL,
    CONSTRAINT ck_rate_windows_hits CHECK (hits >= 0)
);
CREATE INDEX ix_rate_windows_closes_at ON rate_windows (closes_at);
CREATE TABLE sources (
    id {key} CONSTRAINT pk_sources PRIMARY KEY, slug VARCHAR(120){c} NOT NULL,
    vendor VARCHAR(80){c} NOT NULL, name VARCHAR(200) NOT NULL,
    kind VARCHAR(20) NOT NULL, homepage VARCHAR(4096), changelog_url VARCHAR(4096) NOT NULL,
    adapter_type VARCHAR(20) NOT NULL, tags {bytes}, tier VARCHAR(20) DEFAULT 'product' NOT NULL,
    aliases {bytes}, basis VARCHAR(20), prominence INTEGER NOT NULL, health VARCHAR(20) NOT NULL,
    entry_count INTEGER NOT NULL, important_count INTEGER NOT NULL,
    CONSTRAINT uq_sources_slug UNIQUE (slug)
);
CREATE INDEX ix_sources_sample ON sources (tier, health, prominence, slug, vendor);
CREATE INDEX ix_sources_vendor ON sources (vendor);
CREATE TABLE source_packages (
    purl VARCHAR(500){c} NOT NULL, source_id {id} NOT NULL, seen_in VARCHAR(200) NOT NULL,
    CONSTRAINT pk_source_packages PRIMARY KEY (purl, source_id),
    CONSTRAINT fk_source_packages_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_source_packages_source_id ON source_packages (source_id);
CREATE TABLE fetch_facts (
    source_id {id} NOT NULL CONSTRAINT pk_fetch_facts PRIMARY KEY, feed_url VARCHAR(4096) NOT NULL,
    host VARCHAR(255) NOT NULL, address_status VARCHAR(20) DEFAULT 'unconfirmed' NOT NULL,
    address_checked_at {time}, moved_from VARCHAR(4096), moved_to VARCHAR(4096),
    redirect_url VARCHAR(4096), redirect_seen_at {time}, etag TEXT, last_modified TEXT,
    validators_url VARCHAR(4096), body_hash VARCHAR(64), parser_version VARCHAR(20),
    fail_score {double} NOT NULL, failures INTEGER NOT NULL, first_failed_at {time},
    first_attempt_at {time}, last_attempt_at {time}, last_success_at {time},
    last_failure VARCHAR(40), last_status INTEGER, last_message TEXT, empty_streak INTEGER NOT NULL,
    interval INTEGER, median_gap INTEGER, newest_published_at {time}, entries_180d INTEGER NOT NULL,
    pull {double}, rhythm VARCHAR(26) DEFAULT '' NOT NULL, floor INTEGER, ttl INTEGER,
    open_gap BOOLEAN NOT NULL, retry_after_at {time}, next_check_at {time}, leased_until {time},
    recipe TEXT, recipe_made_at {time}, lookups TEXT,
    health_days VARCHAR(90) DEFAULT '' NOT NULL, health_days_until DATE,
    checks INTEGER DEFAULT 0 NOT NULL,
    CONSTRAINT fk_fetch_facts_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_fetch_facts_host ON fetch_facts (host);
CREATE INDEX ix_fetch_facts_next_check_at ON fetch_facts (next_check_at);
CREATE TABLE selections (
    key_id {id} NOT NULL, source_id {id} NOT NULL,
    CONSTRAINT pk_selections PRIMARY KEY (key_id, source_id),
    CONSTRAINT fk_selections_key_id_api_keys FOREIGN KEY (key_id)
        REFERENCES api_keys (id) ON DELETE CASCADE,
    CONSTRAINT fk_selections_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE source_requests (
    id VARCHAR(40){c} NOT NULL CONSTRAINT pk_source_requests PRIMARY KEY,
    url VARCHAR(4096) NOT NULL, url_key VARCHAR(64) NOT NULL, note TEXT,
    status VARCHAR(20) NOT NULL, created_at {time} NOT NULL, decided_at {time}, reason TEXT,
    findings {bytes}, slug VARCHAR(120)
);
CREATE UNIQUE INDEX uq_source_requests_pending ON source_requests (url_key)
    WHERE status = 'pending';
CREATE TABLE request_steps (
    id {key} CONSTRAINT pk_request_steps PRIMARY KEY, request_id VARCHAR(40) NOT NULL,
    "before" VARCHAR(20) NOT NULL, "after" VARCHAR(20) NOT NULL, at {time} NOT NULL, reason TEXT,
    CONSTRAINT fk_request_steps_request_id_source_requests FOREIGN KEY (request_id)
        REFERENCES source_requests (id) ON DELETE CASCADE
);
CREATE INDEX ix_request_steps_request_id ON request_steps (request_id);
CREATE TABLE snapshot_bodies (
    digest VARCHAR(64) NOT NULL CONSTRAINT pk_snapshot_bodies PRIMARY KEY, body {bytes} NOT NULL
);
CREATE TABLE snapshots (
    id {key} CONSTRAINT pk_snapshots PRIMARY KEY, source_id {id} NOT NULL,
    fetched_at {time} NOT NULL, content_hash VARCHAR(64) NOT NULL,
    parser_version VARCHAR(40) NOT NULL, entry_count INTEGER NOT NULL,
    CONSTRAINT fk_snapshots_content_hash_snapshot_bodies FOREIGN KEY (content_hash)
        REFERENCES snapshot_bodies (digest),
    CONSTRAINT fk_snapshots_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_snapshots_content_hash ON snapshots (content_hash);
CREATE INDEX ix_snapshots_source ON snapshots (source_id, id);
CREATE TABLE diffs (
    id {key} CONSTRAINT pk_diffs PRIMARY KEY, source_id {id} NOT NULL, fetched_at {time} NOT NULL,
    document {bytes} NOT NULL,
    CONSTRAINT fk_diffs_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_diffs_source ON diffs (source_id, id);
CREATE TABLE gaps (
    id {key} CONSTRAINT pk_gaps PRIMARY KEY, source_id {id} NOT NULL,
    after_id VARCHAR(500){c} NOT NULL, after_at {time} NOT NULL, before_id VARCHAR(500){c} NOT NULL,
    before_at {time} NOT NULL, known {bytes}, declared_at {time} NOT NULL, closed_at {time},
    tries INTEGER,
    CONSTRAINT fk_gaps_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_gaps_source ON gaps (source_id, closed_at);
CREATE TABLE api_days (
    day DATE NOT NULL CONSTRAINT pk_api_days PRIMARY KEY, first_minute INTEGER NOT NULL,
    last_minute INTEGER NOT NULL, minutes INTEGER NOT NULL, requests BIGINT NOT NULL,
    failures BIGINT NOT NULL
);
CREATE TABLE entries (
    id {key} CONSTRAINT pk_entries PRIMARY KEY, source_id {id} NOT NULL,
    external_id VARCHAR(500){c} NOT NULL, published_at {time} NOT NULL, title TEXT NOT NULL,
    url TEXT, url_key BIGINT, content_hash VARCHAR(64) NOT NULL, revision INTEGER NOT NULL,
    first_seen_at {time} NOT NULL, changed_at {time} NOT NULL, important BOOLEAN NOT NULL,
    listed BOOLEAN DEFAULT TRUE NOT NULL, announced BOOLEAN DEFAULT TRUE NOT NULL,
    categories INTEGER DEFAULT 0 NOT NULL, importance {bytes}, importance_version INTEGER NOT NULL,
    document {bytes} NOT NULL, public_document {bytes} NOT NULL, version VARCHAR(100),
    prerelease BOOLEAN, package VARCHAR(200),
    CONSTRAINT uq_entries_source_id_external_id UNIQUE (source_id, external_id),
    CONSTRAINT fk_entries_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE INDEX ix_entries_importance_version ON entries (importance_version);
CREATE INDEX ix_entries_important_of_source
    ON entries (source_id, published_at, external_id, listed, categories){with_id}
    WHERE {important};
CREATE INDEX ix_entries_listed
    ON entries (published_at, external_id, source_id, prerelease) WHERE {listed};
CREATE INDEX ix_entries_listed_important
    ON entries (published_at, external_id, source_id, categories, prerelease)
    WHERE {listed} AND {important};
CREATE INDEX ix_entries_listed_prereleases ON entries (categories, important)
    WHERE {listed} AND {prerelease};
CREATE INDEX ix_entries_page ON entries (source_id, published_at, external_id, listed){with_id};
CREATE INDEX ix_entries_unlisted ON entries (source_id, important) WHERE {unlisted};
CREATE INDEX ix_entries_url ON entries (source_id, url_key);
CREATE INDEX ix_entries_versions
    ON entries (source_id, version, published_at, prerelease, package, categories);
CREATE TABLE entry_revisions (
    entry_id {id} NOT NULL, revision INTEGER NOT NULL, replaced_at {time} NOT NULL,
    document {bytes} NOT NULL,
    CONSTRAINT pk_entry_revisions PRIMARY KEY (entry_id, revision),
    CONSTRAINT fk_entry_revisions_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
CREATE TABLE entry_changes (
    number {number}, source_id BIGINT NOT NULL, entry_id {id} NOT NULL, revision INTEGER NOT NULL,
    CONSTRAINT uq_entry_changes_entry_id_revision UNIQUE (entry_id, revision),
    CONSTRAINT fk_entry_changes_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
CREATE INDEX ix_entry_changes_source ON entry_changes (source_id, number);
CREATE TABLE entry_removals (
    number {key} CONSTRAINT pk_entry_removals PRIMARY KEY, slug VARCHAR(120){c} NOT NULL,
    document {bytes} NOT NULL
);
CREATE INDEX ix_entry_removals_slug ON entry_removals (slug, number);
CREATE TABLE entry_deadlines (
    id {key} CONSTRAINT pk_entry_deadlines PRIMARY KEY, entry_id {id} NOT NULL,
    place INTEGER NOT NULL, kind VARCHAR(20) NOT NULL, first_day DATE NOT NULL,
    last_day DATE NOT NULL, evidence TEXT NOT NULL, replaced_at {time}, set_by_id BIGINT,
    held_from {time}, held_until {time}, repeated_at {time},
    CONSTRAINT fk_entry_deadlines_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
CREATE INDEX ix_entry_deadlines_entry_id ON entry_deadlines (entry_id);
CREATE INDEX ix_entry_deadlines_last_day ON entry_deadlines (last_day, entry_id, place);
CREATE INDEX ix_entry_deadlines_set_by_id ON entry_deadlines (set_by_id);
CREATE TABLE webhooks (
    id {key} CONSTRAINT pk_webhooks PRIMARY KEY, public_id VARCHAR(20){c} NOT NULL,
    account_id {id} NOT NULL, key_id {id}, filter_id BIGINT, name VARCHAR(200) NOT NULL,
    url VARCHAR(4096) NOT NULL, format VARCHAR(20) DEFAULT 'plain' NOT NULL,
    only_important BOOLEAN NOT NULL, secret VARCHAR(100) NOT NULL, old_secret VARCHAR(100),
    old_secret_until {time}, created_at {time} NOT NULL, position BIGINT NOT NULL,
    disabled_at {time}, disabled_reason VARCHAR(20), owner_told_at {time},
    failures INTEGER NOT NULL, failing_since {time}, last_attempt_at {time}, last_success_at {time},
    paused_until {time}, leased_until {time},
    CONSTRAINT uq_webhooks_public_id UNIQUE (public_id),
    CONSTRAINT fk_webhooks_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE,
    CONSTRAINT fk_webhooks_key_id_api_keys FOREIGN KEY (key_id)
        REFERENCES api_keys (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhooks_account_id ON webhooks (account_id);
CREATE INDEX ix_webhooks_key_id ON webhooks (key_id);
CREATE TABLE webhook_deliveries (
    id {key} CONSTRAINT pk_webhook_deliveries PRIMARY KEY, webhook_id {id} NOT NULL, entry_id {id},
    revision INTEGER, event_type VARCHAR(20) NOT NULL, message_id VARCHAR(80){c} NOT NULL,
    occurred_at {time} NOT NULL, created_at {time} NOT NULL, began_at {time} NOT NULL,
    state VARCHAR(20) NOT NULL, attempts INTEGER NOT NULL, next_attempt_at {time}, ended_at {time},
    CONSTRAINT uq_webhook_deliveries_webhook_id_entry_id_revision
        UNIQUE (webhook_id, entry_id, revision),
    CONSTRAINT fk_webhook_deliveries_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE,
    CONSTRAINT fk_webhook_deliveries_webhook_id_webhooks FOREIGN KEY (webhook_id)
        REFERENCES webhooks (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at);
CREATE INDEX ix_webhook_deliveries_ended_at ON webhook_deliveries (ended_at);
CREATE INDEX ix_webhook_deliveries_entry_id ON webhook_deliveries (entry_id);
CREATE INDEX ix_webhook_deliveries_state ON webhook_deliveries (webhook_id, state, id);
CREATE TABLE webhook_attempts (
    id {key} CONSTRAINT pk_webhook_attempts PRIMARY KEY, delivery_id {id} NOT NULL,
    at {time} NOT NULL, duration_ms INTEGER NOT NULL, status INTEGER, fault VARCHAR(300),
    answer {bytes} NOT NULL,
    CONSTRAINT fk_webhook_attempts_delivery_id_webhook_deliveries FOREIGN KEY (delivery_id)
        REFERENCES webhook_deliveries (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_attempts_delivery_id ON webhook_attempts (delivery_id);
CREATE TABLE digests (
    account_id {id} NOT NULL CONSTRAINT pk_digests PRIMARY KEY, filter_id BIGINT,
    frequency VARCHAR(20) NOT NULL, hour INTEGER NOT NULL, only_important BOOLEAN NOT NULL,
    token VARCHAR(60){c} NOT NULL, position BIGINT NOT NULL, created_at {time} NOT NULL,
    next_at {time} NOT NULL, failures INTEGER NOT NULL, last_sent_at {time},
    CONSTRAINT uq_digests_token UNIQUE (token),
    CONSTRAINT fk_digests_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX ix_digests_next_at ON digests (next_at)
"""
