PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version VALUES('1001');
CREATE TABLE accounts (
    id INTEGER NOT NULL CONSTRAINT pk_accounts PRIMARY KEY, email VARCHAR(320) NOT NULL,
    "plan" VARCHAR(20) NOT NULL, diffs_addon BOOLEAN NOT NULL,
    operator BOOLEAN DEFAULT FALSE NOT NULL, created_at DATETIME NOT NULL,
    visited_at DATETIME,
    CONSTRAINT uq_accounts_email UNIQUE (email)
);
INSERT INTO accounts VALUES(1,'ada@acme.example','all',1,0,'2026-11-01 00:00:00.000000',NULL);
CREATE TABLE account_events (
    id INTEGER NOT NULL CONSTRAINT pk_account_events PRIMARY KEY, account_id INTEGER NOT NULL, at DATETIME NOT NULL,
    kind VARCHAR(20) NOT NULL, actor VARCHAR(20) NOT NULL, subject VARCHAR(200) NOT NULL,
    browser VARCHAR(80) NOT NULL, client VARCHAR(45) NOT NULL,
    CONSTRAINT fk_account_events_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE plan_requests (
    id INTEGER NOT NULL CONSTRAINT pk_plan_requests PRIMARY KEY, account_id INTEGER NOT NULL,
    "plan" VARCHAR(20) NOT NULL, diffs_addon BOOLEAN NOT NULL, note TEXT,
    created_at DATETIME NOT NULL, decided_at DATETIME, granted BOOLEAN, reason TEXT,
    CONSTRAINT fk_plan_requests_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE sign_in_links (
    digest VARCHAR(64) NOT NULL CONSTRAINT pk_sign_in_links PRIMARY KEY,
    email VARCHAR(320) NOT NULL, next_path VARCHAR(2048) NOT NULL, created_at DATETIME NOT NULL,
    expires_at DATETIME NOT NULL, used_at DATETIME, browser VARCHAR(64), code VARCHAR(64)
);
CREATE TABLE web_sessions (
    digest VARCHAR(64) NOT NULL CONSTRAINT pk_web_sessions PRIMARY KEY, account_id INTEGER NOT NULL,
    created_at DATETIME NOT NULL, last_seen_at DATETIME NOT NULL, expires_at DATETIME NOT NULL,
    browser VARCHAR(80) DEFAULT '' NOT NULL, client VARCHAR(45) DEFAULT '' NOT NULL,
    CONSTRAINT fk_web_sessions_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE api_keys (
    id INTEGER NOT NULL CONSTRAINT pk_api_keys PRIMARY KEY, account_id INTEGER NOT NULL,
    public_id VARCHAR(12) NOT NULL, digest VARCHAR(64) NOT NULL, name VARCHAR(200) NOT NULL,
    scopes BLOB, created_at DATETIME NOT NULL, expires_at DATETIME, revoked_at DATETIME,
    last_used_at DATETIME,
    CONSTRAINT uq_api_keys_public_id UNIQUE (public_id),
    CONSTRAINT fk_api_keys_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE removed_selections (
    key_id INTEGER NOT NULL, slug VARCHAR(120) NOT NULL,
    CONSTRAINT pk_removed_selections PRIMARY KEY (key_id, slug),
    CONSTRAINT fk_removed_selections_key_id_api_keys FOREIGN KEY (key_id)
        REFERENCES api_keys (id) ON DELETE CASCADE
);
CREATE TABLE stack_parts (
    account_id INTEGER NOT NULL, purl VARCHAR(500) NOT NULL, version VARCHAR(100) NOT NULL,
    CONSTRAINT pk_stack_parts PRIMARY KEY (account_id, purl, version),
    CONSTRAINT fk_stack_parts_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE saved_filters (
    id INTEGER NOT NULL CONSTRAINT pk_saved_filters PRIMARY KEY, public_id VARCHAR(20) NOT NULL,
    account_id INTEGER NOT NULL, name VARCHAR(200) NOT NULL, "query" TEXT NOT NULL,
    created_at DATETIME NOT NULL,
    CONSTRAINT uq_saved_filters_public_id UNIQUE (public_id),
    CONSTRAINT fk_saved_filters_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE private_feeds (
    id INTEGER NOT NULL CONSTRAINT pk_private_feeds PRIMARY KEY, account_id INTEGER NOT NULL, filter_id INTEGER,
    digest VARCHAR(64) NOT NULL, created_at DATETIME NOT NULL,
    CONSTRAINT uq_private_feeds_digest UNIQUE (digest),
    CONSTRAINT fk_private_feeds_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE,
    CONSTRAINT fk_private_feeds_filter_id_saved_filters FOREIGN KEY (filter_id)
        REFERENCES saved_filters (id) ON DELETE CASCADE
);
CREATE TABLE idempotent_answers (
    account_id INTEGER NOT NULL, name VARCHAR(64) NOT NULL, status INTEGER NOT NULL,
    body BLOB NOT NULL, created_at DATETIME NOT NULL,
    CONSTRAINT pk_idempotent_answers PRIMARY KEY (account_id, name),
    CONSTRAINT fk_idempotent_answers_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE TABLE rate_windows (
    name VARCHAR(200) NOT NULL CONSTRAINT pk_rate_windows PRIMARY KEY, hits INTEGER NOT NULL,
    closes_at DATETIME NOT NULL,
    CONSTRAINT ck_rate_windows_hits CHECK (hits >= 0)
);
CREATE TABLE sources (
    id INTEGER NOT NULL CONSTRAINT pk_sources PRIMARY KEY, slug VARCHAR(120) NOT NULL,
    vendor VARCHAR(80) NOT NULL, name VARCHAR(200) NOT NULL,
    kind VARCHAR(20) NOT NULL, homepage VARCHAR(4096), changelog_url VARCHAR(4096) NOT NULL,
    adapter_type VARCHAR(20) NOT NULL, tags BLOB, tier VARCHAR(20) DEFAULT 'product' NOT NULL,
    aliases BLOB, basis VARCHAR(20), prominence INTEGER NOT NULL, health VARCHAR(20) NOT NULL,
    entry_count INTEGER NOT NULL, important_count INTEGER NOT NULL,
    CONSTRAINT uq_sources_slug UNIQUE (slug)
);
INSERT INTO sources VALUES(7,'acme.mail','acme','Mail','changelog',NULL,'https://acme.example/','rss',X'7b7d','product',NULL,NULL,0,'unknown',1,0);
CREATE TABLE source_packages (
    purl VARCHAR(500) NOT NULL, source_id INTEGER NOT NULL, seen_in VARCHAR(200) NOT NULL,
    CONSTRAINT pk_source_packages PRIMARY KEY (purl, source_id),
    CONSTRAINT fk_source_packages_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE fetch_facts (
    source_id INTEGER NOT NULL CONSTRAINT pk_fetch_facts PRIMARY KEY, feed_url VARCHAR(4096) NOT NULL,
    host VARCHAR(255) NOT NULL, address_status VARCHAR(20) DEFAULT 'unconfirmed' NOT NULL,
    address_checked_at DATETIME, moved_from VARCHAR(4096), moved_to VARCHAR(4096),
    redirect_url VARCHAR(4096), redirect_seen_at DATETIME, etag TEXT, last_modified TEXT,
    validators_url VARCHAR(4096), body_hash VARCHAR(64), parser_version VARCHAR(20),
    fail_score DOUBLE NOT NULL, failures INTEGER NOT NULL, first_failed_at DATETIME,
    first_attempt_at DATETIME, last_attempt_at DATETIME, last_success_at DATETIME,
    last_failure VARCHAR(40), last_status INTEGER, last_message TEXT, empty_streak INTEGER NOT NULL,
    interval INTEGER, median_gap INTEGER, newest_published_at DATETIME, entries_180d INTEGER NOT NULL,
    pull DOUBLE, rhythm VARCHAR(26) DEFAULT '' NOT NULL, floor INTEGER, ttl INTEGER,
    open_gap BOOLEAN NOT NULL, retry_after_at DATETIME, next_check_at DATETIME, leased_until DATETIME,
    recipe TEXT, recipe_made_at DATETIME, lookups TEXT,
    health_days VARCHAR(90) DEFAULT '' NOT NULL, health_days_until DATE,
    checks INTEGER DEFAULT 0 NOT NULL,
    CONSTRAINT fk_fetch_facts_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE selections (
    key_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
    CONSTRAINT pk_selections PRIMARY KEY (key_id, source_id),
    CONSTRAINT fk_selections_key_id_api_keys FOREIGN KEY (key_id)
        REFERENCES api_keys (id) ON DELETE CASCADE,
    CONSTRAINT fk_selections_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE source_requests (
    id VARCHAR(40) NOT NULL CONSTRAINT pk_source_requests PRIMARY KEY,
    url VARCHAR(4096) NOT NULL, url_key VARCHAR(64) NOT NULL, note TEXT,
    status VARCHAR(20) NOT NULL, created_at DATETIME NOT NULL, decided_at DATETIME, reason TEXT,
    findings BLOB, slug VARCHAR(120)
);
CREATE TABLE request_steps (
    id INTEGER NOT NULL CONSTRAINT pk_request_steps PRIMARY KEY, request_id VARCHAR(40) NOT NULL,
    "before" VARCHAR(20) NOT NULL, "after" VARCHAR(20) NOT NULL, at DATETIME NOT NULL, reason TEXT,
    CONSTRAINT fk_request_steps_request_id_source_requests FOREIGN KEY (request_id)
        REFERENCES source_requests (id) ON DELETE CASCADE
);
CREATE TABLE snapshot_bodies (
    digest VARCHAR(64) NOT NULL CONSTRAINT pk_snapshot_bodies PRIMARY KEY, body BLOB NOT NULL
);
CREATE TABLE snapshots (
    id INTEGER NOT NULL CONSTRAINT pk_snapshots PRIMARY KEY, source_id INTEGER NOT NULL,
    fetched_at DATETIME NOT NULL, content_hash VARCHAR(64) NOT NULL,
    parser_version VARCHAR(40) NOT NULL, entry_count INTEGER NOT NULL,
    CONSTRAINT fk_snapshots_content_hash_snapshot_bodies FOREIGN KEY (content_hash)
        REFERENCES snapshot_bodies (digest),
    CONSTRAINT fk_snapshots_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE diffs (
    id INTEGER NOT NULL CONSTRAINT pk_diffs PRIMARY KEY, source_id INTEGER NOT NULL, fetched_at DATETIME NOT NULL,
    document BLOB NOT NULL,
    CONSTRAINT fk_diffs_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE gaps (
    id INTEGER NOT NULL CONSTRAINT pk_gaps PRIMARY KEY, source_id INTEGER NOT NULL,
    after_id VARCHAR(500) NOT NULL, after_at DATETIME NOT NULL, before_id VARCHAR(500) NOT NULL,
    before_at DATETIME NOT NULL, known BLOB, declared_at DATETIME NOT NULL, closed_at DATETIME,
    tries INTEGER,
    CONSTRAINT fk_gaps_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE api_days (
    day DATE NOT NULL CONSTRAINT pk_api_days PRIMARY KEY, first_minute INTEGER NOT NULL,
    last_minute INTEGER NOT NULL, minutes INTEGER NOT NULL, requests BIGINT NOT NULL,
    failures BIGINT NOT NULL
);
CREATE TABLE entries (
    id INTEGER NOT NULL CONSTRAINT pk_entries PRIMARY KEY, source_id INTEGER NOT NULL,
    external_id VARCHAR(500) NOT NULL, published_at DATETIME NOT NULL, title TEXT NOT NULL,
    url TEXT, url_key BIGINT, content_hash VARCHAR(64) NOT NULL, revision INTEGER NOT NULL,
    first_seen_at DATETIME NOT NULL, changed_at DATETIME NOT NULL, important BOOLEAN NOT NULL,
    listed BOOLEAN DEFAULT TRUE NOT NULL, announced BOOLEAN DEFAULT TRUE NOT NULL,
    categories INTEGER DEFAULT 0 NOT NULL, importance BLOB, importance_version INTEGER NOT NULL,
    document BLOB NOT NULL, public_document BLOB NOT NULL, version VARCHAR(100),
    prerelease BOOLEAN, package VARCHAR(200),
    CONSTRAINT uq_entries_source_id_external_id UNIQUE (source_id, external_id),
    CONSTRAINT fk_entries_source_id_sources FOREIGN KEY (source_id)
        REFERENCES sources (id) ON DELETE CASCADE
);
INSERT INTO entries VALUES(9,7,'one','2026-11-01 00:00:00.000000','Two',NULL,NULL,'x',2,'2026-11-01 00:00:00.000000','2026-11-02 00:00:00.000000',0,1,1,0,NULL,1,X'7b7d',X'7b7d',NULL,NULL,NULL);
CREATE TABLE entry_revisions (
    entry_id INTEGER NOT NULL, revision INTEGER NOT NULL, replaced_at DATETIME NOT NULL,
    document BLOB NOT NULL,
    CONSTRAINT pk_entry_revisions PRIMARY KEY (entry_id, revision),
    CONSTRAINT fk_entry_revisions_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
CREATE TABLE entry_changes (
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, source_id BIGINT NOT NULL, entry_id INTEGER NOT NULL, revision INTEGER NOT NULL,
    CONSTRAINT uq_entry_changes_entry_id_revision UNIQUE (entry_id, revision),
    CONSTRAINT fk_entry_changes_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
INSERT INTO entry_changes VALUES(1793491200000000,7,9,1);
INSERT INTO entry_changes VALUES(1793577600000000,7,9,2);
CREATE TABLE entry_removals (
    number INTEGER NOT NULL CONSTRAINT pk_entry_removals PRIMARY KEY, slug VARCHAR(120) NOT NULL,
    document BLOB NOT NULL
);
CREATE TABLE entry_deadlines (
    id INTEGER NOT NULL CONSTRAINT pk_entry_deadlines PRIMARY KEY, entry_id INTEGER NOT NULL,
    place INTEGER NOT NULL, kind VARCHAR(20) NOT NULL, first_day DATE NOT NULL,
    last_day DATE NOT NULL, evidence TEXT NOT NULL, replaced_at DATETIME, set_by_id BIGINT,
    held_from DATETIME, held_until DATETIME, repeated_at DATETIME,
    CONSTRAINT fk_entry_deadlines_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE
);
CREATE TABLE webhooks (
    id INTEGER NOT NULL CONSTRAINT pk_webhooks PRIMARY KEY, public_id VARCHAR(20) NOT NULL,
    account_id INTEGER NOT NULL, key_id INTEGER, filter_id BIGINT, name VARCHAR(200) NOT NULL,
    url VARCHAR(4096) NOT NULL, format VARCHAR(20) DEFAULT 'plain' NOT NULL,
    only_important BOOLEAN NOT NULL, secret VARCHAR(100) NOT NULL, old_secret VARCHAR(100),
    old_secret_until DATETIME, created_at DATETIME NOT NULL, position BIGINT NOT NULL,
    disabled_at DATETIME, disabled_reason VARCHAR(20), owner_told_at DATETIME,
    failures INTEGER NOT NULL, failing_since DATETIME, last_attempt_at DATETIME, last_success_at DATETIME,
    paused_until DATETIME, leased_until DATETIME,
    CONSTRAINT uq_webhooks_public_id UNIQUE (public_id),
    CONSTRAINT fk_webhooks_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE,
    CONSTRAINT fk_webhooks_key_id_api_keys FOREIGN KEY (key_id)
        REFERENCES api_keys (id) ON DELETE CASCADE
);
CREATE TABLE webhook_deliveries (
    id INTEGER NOT NULL CONSTRAINT pk_webhook_deliveries PRIMARY KEY, webhook_id INTEGER NOT NULL, entry_id INTEGER,
    revision INTEGER, event_type VARCHAR(20) NOT NULL, message_id VARCHAR(80) NOT NULL,
    occurred_at DATETIME NOT NULL, created_at DATETIME NOT NULL, began_at DATETIME NOT NULL,
    state VARCHAR(20) NOT NULL, attempts INTEGER NOT NULL, next_attempt_at DATETIME, ended_at DATETIME,
    CONSTRAINT uq_webhook_deliveries_webhook_id_entry_id_revision
        UNIQUE (webhook_id, entry_id, revision),
    CONSTRAINT fk_webhook_deliveries_entry_id_entries FOREIGN KEY (entry_id)
        REFERENCES entries (id) ON DELETE CASCADE,
    CONSTRAINT fk_webhook_deliveries_webhook_id_webhooks FOREIGN KEY (webhook_id)
        REFERENCES webhooks (id) ON DELETE CASCADE
);
CREATE TABLE webhook_attempts (
    id INTEGER NOT NULL CONSTRAINT pk_webhook_attempts PRIMARY KEY, delivery_id INTEGER NOT NULL,
    at DATETIME NOT NULL, duration_ms INTEGER NOT NULL, status INTEGER, fault VARCHAR(300),
    answer BLOB NOT NULL,
    CONSTRAINT fk_webhook_attempts_delivery_id_webhook_deliveries FOREIGN KEY (delivery_id)
        REFERENCES webhook_deliveries (id) ON DELETE CASCADE
);
CREATE TABLE digests (
    account_id INTEGER NOT NULL CONSTRAINT pk_digests PRIMARY KEY, filter_id BIGINT,
    frequency VARCHAR(20) NOT NULL, hour INTEGER NOT NULL, only_important BOOLEAN NOT NULL,
    token VARCHAR(60) NOT NULL, position BIGINT NOT NULL, created_at DATETIME NOT NULL,
    next_at DATETIME NOT NULL, failures INTEGER NOT NULL, last_sent_at DATETIME,
    CONSTRAINT uq_digests_token UNIQUE (token),
    CONSTRAINT fk_digests_account_id_accounts FOREIGN KEY (account_id)
        REFERENCES accounts (id) ON DELETE CASCADE
);
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','entry_words','entry_words',0,'CREATE VIRTUAL TABLE entry_words USING fts5(
    words, content='''', contentless_delete=1, detail=none, tokenize="ascii tokenchars ''.-_+#''"
)');
CREATE TABLE IF NOT EXISTS 'entry_words_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO entry_words_data VALUES(1,X'');
INSERT INTO entry_words_data VALUES(10,X'00000000ff000001000000');
CREATE TABLE IF NOT EXISTS 'entry_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS 'entry_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE IF NOT EXISTS 'entry_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO entry_words_config VALUES('version',4);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('entry_changes',1793577600000000);
CREATE INDEX ix_account_events_kind ON account_events (account_id, kind, id);
CREATE INDEX ix_plan_requests_account_id ON plan_requests (account_id);
CREATE UNIQUE INDEX uq_plan_requests_waiting ON plan_requests (account_id)
    WHERE decided_at IS NULL;
CREATE INDEX ix_sign_in_links_browser ON sign_in_links (browser);
CREATE INDEX ix_sign_in_links_code ON sign_in_links (code);
CREATE INDEX ix_sign_in_links_expires_at ON sign_in_links (expires_at);
CREATE INDEX ix_web_sessions_account_id ON web_sessions (account_id);
CREATE INDEX ix_web_sessions_expires_at ON web_sessions (expires_at);
CREATE INDEX ix_api_keys_account_id ON api_keys (account_id);
CREATE INDEX ix_saved_filters_account_id ON saved_filters (account_id);
CREATE INDEX ix_private_feeds_account_id ON private_feeds (account_id);
CREATE INDEX ix_private_feeds_filter_id ON private_feeds (filter_id);
CREATE INDEX ix_rate_windows_closes_at ON rate_windows (closes_at);
CREATE INDEX ix_sources_sample ON sources (tier, health, prominence, slug, vendor);
CREATE INDEX ix_sources_vendor ON sources (vendor);
CREATE INDEX ix_source_packages_source_id ON source_packages (source_id);
CREATE INDEX ix_fetch_facts_host ON fetch_facts (host);
CREATE INDEX ix_fetch_facts_next_check_at ON fetch_facts (next_check_at);
CREATE UNIQUE INDEX uq_source_requests_pending ON source_requests (url_key)
    WHERE status = 'pending';
CREATE INDEX ix_request_steps_request_id ON request_steps (request_id);
CREATE INDEX ix_snapshots_content_hash ON snapshots (content_hash);
CREATE INDEX ix_snapshots_source ON snapshots (source_id, id);
CREATE INDEX ix_diffs_source ON diffs (source_id, id);
CREATE INDEX ix_gaps_source ON gaps (source_id, closed_at);
CREATE INDEX ix_entries_importance_version ON entries (importance_version);
CREATE INDEX ix_entries_important_of_source
    ON entries (source_id, published_at, external_id, listed, categories)
    WHERE important = 1;
CREATE INDEX ix_entries_listed
    ON entries (published_at, external_id, source_id, prerelease) WHERE listed = 1;
CREATE INDEX ix_entries_listed_important
    ON entries (published_at, external_id, source_id, categories, prerelease)
    WHERE listed = 1 AND important = 1;
CREATE INDEX ix_entries_listed_prereleases ON entries (categories, important)
    WHERE listed = 1 AND prerelease IS 1;
CREATE INDEX ix_entries_page ON entries (source_id, published_at, external_id, listed);
CREATE INDEX ix_entries_unlisted ON entries (source_id, important) WHERE listed = 0;
CREATE INDEX ix_entries_url ON entries (source_id, url_key);
CREATE INDEX ix_entries_versions
    ON entries (source_id, version, published_at, prerelease, package, categories);
CREATE INDEX ix_entry_changes_source ON entry_changes (source_id, number);
CREATE INDEX ix_entry_removals_slug ON entry_removals (slug, number);
CREATE INDEX ix_entry_deadlines_entry_id ON entry_deadlines (entry_id);
CREATE INDEX ix_entry_deadlines_last_day ON entry_deadlines (last_day, entry_id, place);
CREATE INDEX ix_entry_deadlines_set_by_id ON entry_deadlines (set_by_id);
CREATE INDEX ix_webhooks_account_id ON webhooks (account_id);
CREATE INDEX ix_webhooks_key_id ON webhooks (key_id);
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at);
CREATE INDEX ix_webhook_deliveries_ended_at ON webhook_deliveries (ended_at);
CREATE INDEX ix_webhook_deliveries_entry_id ON webhook_deliveries (entry_id);
CREATE INDEX ix_webhook_deliveries_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX ix_webhook_attempts_delivery_id ON webhook_attempts (delivery_id);
CREATE INDEX ix_digests_next_at ON digests (next_at)
;
CREATE TRIGGER entries_learned AFTER INSERT ON entries FOR EACH ROW 
BEGIN
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    SELECT MAX(
               COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'entry_changes'), 0) + 1,
               COALESCE((SELECT MAX(number) FROM entry_changes), 0) + 1,
               CAST(unixepoch(NEW.changed_at, 'subsec') * 1000000 AS INTEGER)
           ),
           NEW.source_id, NEW.id, NEW.revision;
END;
CREATE TRIGGER entries_edited AFTER UPDATE OF revision ON entries FOR EACH ROW WHEN (OLD.revision <> NEW.revision)
BEGIN
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    SELECT MAX(
               COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'entry_changes'), 0) + 1,
               COALESCE((SELECT MAX(number) FROM entry_changes), 0) + 1,
               CAST(unixepoch(NEW.changed_at, 'subsec') * 1000000 AS INTEGER)
           ),
           NEW.source_id, NEW.id, NEW.revision;
END;
CREATE TRIGGER entry_words_removed AFTER DELETE ON entries
BEGIN DELETE FROM entry_words WHERE rowid = OLD.id; END;
PRAGMA writable_schema=OFF;
COMMIT;
