SET check_function_bodies = false;
CREATE FUNCTION number_entry_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    next_number bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(1668180839);
    next_number := GREATEST(
        nextval('entry_changes_number_seq'),
        CAST(extract(epoch FROM NEW.changed_at) * 1000000 AS bigint)
    );
    PERFORM setval('entry_changes_number_seq', next_number);
    INSERT INTO entry_changes (number, source_id, entry_id, revision)
    VALUES (next_number, NEW.source_id, NEW.id, NEW.revision);
    RETURN NULL;
END
$$;
CREATE TABLE account_events (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    kind character varying(20) NOT NULL,
    actor character varying(20) NOT NULL,
    subject character varying(200) NOT NULL,
    browser character varying(80) NOT NULL,
    client character varying(45) NOT NULL
);
CREATE SEQUENCE account_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE account_events_id_seq OWNED BY account_events.id;
CREATE TABLE accounts (
    id bigint NOT NULL,
    email character varying(320) NOT NULL COLLATE pg_catalog."C",
    plan character varying(20) NOT NULL,
    diffs_addon boolean NOT NULL,
    operator boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    visited_at timestamp with time zone
);
CREATE SEQUENCE accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE accounts_id_seq OWNED BY accounts.id;
CREATE TABLE alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE api_days (
    day date NOT NULL,
    first_minute integer NOT NULL,
    last_minute integer NOT NULL,
    minutes integer NOT NULL,
    requests bigint NOT NULL,
    failures bigint NOT NULL
);
CREATE TABLE api_keys (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    public_id character varying(12) NOT NULL,
    digest character varying(64) NOT NULL,
    name character varying(200) NOT NULL,
    scopes bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone
);
CREATE SEQUENCE api_keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE api_keys_id_seq OWNED BY api_keys.id;
CREATE TABLE diffs (
    id bigint NOT NULL,
    source_id bigint NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    document bytea NOT NULL
);
CREATE SEQUENCE diffs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE diffs_id_seq OWNED BY diffs.id;
CREATE TABLE digests (
    account_id bigint NOT NULL,
    filter_id bigint,
    frequency character varying(20) NOT NULL,
    hour integer NOT NULL,
    only_important boolean NOT NULL,
    token character varying(60) NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    next_at timestamp with time zone NOT NULL,
    failures integer NOT NULL,
    last_sent_at timestamp with time zone
);
CREATE TABLE entries (
    id bigint NOT NULL,
    source_id bigint NOT NULL,
    external_id character varying(500) NOT NULL COLLATE pg_catalog."C",
    published_at timestamp with time zone NOT NULL,
    title text NOT NULL,
    url text,
    url_key bigint,
    content_hash character varying(64) NOT NULL,
    revision integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    important boolean NOT NULL,
    listed boolean DEFAULT true NOT NULL,
    announced boolean DEFAULT true NOT NULL,
    categories integer DEFAULT 0 NOT NULL,
    importance bytea,
    importance_version integer NOT NULL,
    document bytea NOT NULL,
    public_document bytea NOT NULL,
    version character varying(100),
    prerelease boolean,
    package character varying(200)
);
CREATE SEQUENCE entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE entries_id_seq OWNED BY entries.id;
CREATE TABLE entry_changes (
    number bigint NOT NULL,
    source_id bigint NOT NULL,
    entry_id bigint NOT NULL,
    revision integer NOT NULL
);
CREATE SEQUENCE entry_changes_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE entry_changes_number_seq OWNED BY entry_changes.number;
CREATE TABLE entry_deadlines (
    id bigint NOT NULL,
    entry_id bigint NOT NULL,
    place integer NOT NULL,
    kind character varying(20) NOT NULL,
    first_day date NOT NULL,
    last_day date NOT NULL,
    evidence text NOT NULL,
    replaced_at timestamp with time zone,
    set_by_id bigint,
    held_from timestamp with time zone,
    held_until timestamp with time zone,
    repeated_at timestamp with time zone
);
CREATE SEQUENCE entry_deadlines_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE entry_deadlines_id_seq OWNED BY entry_deadlines.id;
CREATE TABLE entry_removals (
    number bigint NOT NULL,
    slug character varying(120) NOT NULL COLLATE pg_catalog."C",
    document bytea NOT NULL
);
CREATE SEQUENCE entry_removals_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE entry_removals_number_seq OWNED BY entry_removals.number;
CREATE TABLE entry_revisions (
    entry_id bigint NOT NULL,
    revision integer NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    document bytea NOT NULL
);
CREATE TABLE entry_words (
    entry_id bigint NOT NULL,
    words tsvector NOT NULL
);
CREATE TABLE fetch_facts (
    source_id bigint NOT NULL,
    feed_url character varying(4096) NOT NULL,
    host character varying(255) NOT NULL,
    address_status character varying(20) DEFAULT 'unconfirmed'::character varying NOT NULL,
    address_checked_at timestamp with time zone,
    moved_from character varying(4096),
    moved_to character varying(4096),
    redirect_url character varying(4096),
    redirect_seen_at timestamp with time zone,
    etag text,
    last_modified text,
    validators_url character varying(4096),
    body_hash character varying(64),
    parser_version character varying(20),
    fail_score double precision NOT NULL,
    failures integer NOT NULL,
    first_failed_at timestamp with time zone,
    first_attempt_at timestamp with time zone,
    last_attempt_at timestamp with time zone,
    last_success_at timestamp with time zone,
    last_failure character varying(40),
    last_status integer,
    last_message text,
    empty_streak integer NOT NULL,
    "interval" integer,
    median_gap integer,
    newest_published_at timestamp with time zone,
    entries_180d integer NOT NULL,
    pull double precision,
    rhythm character varying(26) DEFAULT ''::character varying NOT NULL,
    floor integer,
    ttl integer,
    open_gap boolean NOT NULL,
    retry_after_at timestamp with time zone,
    next_check_at timestamp with time zone,
    leased_until timestamp with time zone,
    recipe text,
    recipe_made_at timestamp with time zone,
    lookups text,
    health_days character varying(90) DEFAULT ''::character varying NOT NULL,
    health_days_until date,
    checks integer DEFAULT 0 NOT NULL
);
CREATE TABLE gaps (
    id bigint NOT NULL,
    source_id bigint NOT NULL,
    after_id character varying(500) NOT NULL COLLATE pg_catalog."C",
    after_at timestamp with time zone NOT NULL,
    before_id character varying(500) NOT NULL COLLATE pg_catalog."C",
    before_at timestamp with time zone NOT NULL,
    known bytea,
    declared_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    tries integer
);
CREATE SEQUENCE gaps_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE gaps_id_seq OWNED BY gaps.id;
CREATE TABLE idempotent_answers (
    account_id bigint NOT NULL,
    name character varying(64) NOT NULL COLLATE pg_catalog."C",
    status integer NOT NULL,
    body bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE plan_requests (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    plan character varying(20) NOT NULL,
    diffs_addon boolean NOT NULL,
    note text,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    granted boolean,
    reason text
);
CREATE SEQUENCE plan_requests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE plan_requests_id_seq OWNED BY plan_requests.id;
CREATE TABLE private_feeds (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    filter_id bigint,
    digest character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE private_feeds_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE private_feeds_id_seq OWNED BY private_feeds.id;
CREATE TABLE rate_windows (
    name character varying(200) NOT NULL,
    hits integer NOT NULL,
    closes_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_rate_windows_hits CHECK ((hits >= 0))
);
CREATE TABLE removed_selections (
    key_id bigint NOT NULL,
    slug character varying(120) NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE request_steps (
    id bigint NOT NULL,
    request_id character varying(40) NOT NULL,
    before character varying(20) NOT NULL,
    after character varying(20) NOT NULL,
    at timestamp with time zone NOT NULL,
    reason text
);
CREATE SEQUENCE request_steps_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE request_steps_id_seq OWNED BY request_steps.id;
CREATE TABLE saved_filters (
    id bigint NOT NULL,
    public_id character varying(20) NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    name character varying(200) NOT NULL,
    query text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE saved_filters_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE saved_filters_id_seq OWNED BY saved_filters.id;
CREATE TABLE selections (
    key_id bigint NOT NULL,
    source_id bigint NOT NULL
);
CREATE TABLE sign_in_links (
    digest character varying(64) NOT NULL,
    email character varying(320) NOT NULL,
    next_path character varying(2048) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    browser character varying(64),
    code character varying(64)
);
CREATE TABLE snapshot_bodies (
    digest character varying(64) NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE snapshots (
    id bigint NOT NULL,
    source_id bigint NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    content_hash character varying(64) NOT NULL,
    parser_version character varying(40) NOT NULL,
    entry_count integer NOT NULL
);
CREATE SEQUENCE snapshots_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE snapshots_id_seq OWNED BY snapshots.id;
CREATE TABLE source_packages (
    purl character varying(500) NOT NULL COLLATE pg_catalog."C",
    source_id bigint NOT NULL,
    seen_in character varying(200) NOT NULL
);
CREATE TABLE source_requests (
    id character varying(40) NOT NULL COLLATE pg_catalog."C",
    url character varying(4096) NOT NULL,
    url_key character varying(64) NOT NULL,
    note text,
    status character varying(20) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone,
    reason text,
    findings bytea,
    slug character varying(120)
);
CREATE TABLE sources (
    id bigint NOT NULL,
    slug character varying(120) NOT NULL COLLATE pg_catalog."C",
    vendor character varying(80) NOT NULL COLLATE pg_catalog."C",
    name character varying(200) NOT NULL,
    kind character varying(20) NOT NULL,
    homepage character varying(4096),
    changelog_url character varying(4096) NOT NULL,
    adapter_type character varying(20) NOT NULL,
    tags bytea,
    tier character varying(20) DEFAULT 'product'::character varying NOT NULL,
    aliases bytea,
    basis character varying(20),
    prominence integer NOT NULL,
    health character varying(20) NOT NULL,
    entry_count integer NOT NULL,
    important_count integer NOT NULL
);
CREATE SEQUENCE sources_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE sources_id_seq OWNED BY sources.id;
CREATE TABLE stack_parts (
    account_id bigint NOT NULL,
    purl character varying(500) NOT NULL COLLATE pg_catalog."C",
    version character varying(100) NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE web_sessions (
    digest character varying(64) NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    browser character varying(80) DEFAULT ''::character varying NOT NULL,
    client character varying(45) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE webhook_attempts (
    id bigint NOT NULL,
    delivery_id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    duration_ms integer NOT NULL,
    status integer,
    fault character varying(300),
    answer bytea NOT NULL
);
CREATE SEQUENCE webhook_attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE webhook_attempts_id_seq OWNED BY webhook_attempts.id;
CREATE TABLE webhook_deliveries (
    id bigint NOT NULL,
    webhook_id bigint NOT NULL,
    entry_id bigint,
    revision integer,
    event_type character varying(20) NOT NULL,
    message_id character varying(80) NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    began_at timestamp with time zone NOT NULL,
    state character varying(20) NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at timestamp with time zone,
    ended_at timestamp with time zone
);
CREATE SEQUENCE webhook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE webhook_deliveries_id_seq OWNED BY webhook_deliveries.id;
CREATE TABLE webhooks (
    id bigint NOT NULL,
    public_id character varying(20) NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    key_id bigint,
    filter_id bigint,
    name character varying(200) NOT NULL,
    url character varying(4096) NOT NULL,
    format character varying(20) DEFAULT 'plain'::character varying NOT NULL,
    only_important boolean NOT NULL,
    secret character varying(100) NOT NULL,
    old_secret character varying(100),
    old_secret_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    "position" bigint NOT NULL,
    disabled_at timestamp with time zone,
    disabled_reason character varying(20),
    owner_told_at timestamp with time zone,
    failures integer NOT NULL,
    failing_since timestamp with time zone,
    last_attempt_at timestamp with time zone,
    last_success_at timestamp with time zone,
    paused_until timestamp with time zone,
    leased_until timestamp with time zone
);
CREATE SEQUENCE webhooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE webhooks_id_seq OWNED BY webhooks.id;
ALTER TABLE ONLY account_events ALTER COLUMN id SET DEFAULT nextval('account_events_id_seq'::regclass);
ALTER TABLE ONLY accounts ALTER COLUMN id SET DEFAULT nextval('accounts_id_seq'::regclass);
ALTER TABLE ONLY api_keys ALTER COLUMN id SET DEFAULT nextval('api_keys_id_seq'::regclass);
ALTER TABLE ONLY diffs ALTER COLUMN id SET DEFAULT nextval('diffs_id_seq'::regclass);
ALTER TABLE ONLY entries ALTER COLUMN id SET DEFAULT nextval('entries_id_seq'::regclass);
ALTER TABLE ONLY entry_changes ALTER COLUMN number SET DEFAULT nextval('entry_changes_number_seq'::regclass);
ALTER TABLE ONLY entry_deadlines ALTER COLUMN id SET DEFAULT nextval('entry_deadlines_id_seq'::regclass);
ALTER TABLE ONLY entry_removals ALTER COLUMN number SET DEFAULT nextval('entry_removals_number_seq'::regclass);
ALTER TABLE ONLY gaps ALTER COLUMN id SET DEFAULT nextval('gaps_id_seq'::regclass);
ALTER TABLE ONLY plan_requests ALTER COLUMN id SET DEFAULT nextval('plan_requests_id_seq'::regclass);
ALTER TABLE ONLY private_feeds ALTER COLUMN id SET DEFAULT nextval('private_feeds_id_seq'::regclass);
ALTER TABLE ONLY request_steps ALTER COLUMN id SET DEFAULT nextval('request_steps_id_seq'::regclass);
ALTER TABLE ONLY saved_filters ALTER COLUMN id SET DEFAULT nextval('saved_filters_id_seq'::regclass);
ALTER TABLE ONLY snapshots ALTER COLUMN id SET DEFAULT nextval('snapshots_id_seq'::regclass);
ALTER TABLE ONLY sources ALTER COLUMN id SET DEFAULT nextval('sources_id_seq'::regclass);
ALTER TABLE ONLY webhook_attempts ALTER COLUMN id SET DEFAULT nextval('webhook_attempts_id_seq'::regclass);
ALTER TABLE ONLY webhook_deliveries ALTER COLUMN id SET DEFAULT nextval('webhook_deliveries_id_seq'::regclass);
ALTER TABLE ONLY webhooks ALTER COLUMN id SET DEFAULT nextval('webhooks_id_seq'::regclass);
INSERT INTO accounts VALUES (1, 'ada@acme.example', 'all', true, false, '2026-11-01 00:00:00+00', NULL);
INSERT INTO alembic_version VALUES ('1001');
INSERT INTO entries VALUES (9, 7, 'one', '2026-11-01 00:00:00+00', 'Two', NULL, NULL, 'x', 2, '2026-11-01 00:00:00+00', '2026-11-02 00:00:00+00', false, true, true, 0, NULL, 1, '\x7b7d', '\x7b7d', NULL, NULL, NULL);
INSERT INTO entry_changes VALUES (1793491200000000, 7, 9, 1);
INSERT INTO entry_changes VALUES (1793577600000000, 7, 9, 2);
INSERT INTO sources VALUES (7, 'acme.mail', 'acme', 'Mail', 'changelog', NULL, 'https://acme.example/', 'rss', '\x7b7d', 'product', NULL, NULL, 0, 'unknown', 1, 0);
SELECT pg_catalog.setval('account_events_id_seq', 1, false);
SELECT pg_catalog.setval('accounts_id_seq', 1, false);
SELECT pg_catalog.setval('api_keys_id_seq', 1, false);
SELECT pg_catalog.setval('diffs_id_seq', 1, false);
SELECT pg_catalog.setval('entries_id_seq', 1, false);
SELECT pg_catalog.setval('entry_changes_number_seq', 1793577600000000, true);
SELECT pg_catalog.setval('entry_deadlines_id_seq', 1, false);
SELECT pg_catalog.setval('entry_removals_number_seq', 1, false);
SELECT pg_catalog.setval('gaps_id_seq', 1, false);
SELECT pg_catalog.setval('plan_requests_id_seq', 1, false);
SELECT pg_catalog.setval('private_feeds_id_seq', 1, false);
SELECT pg_catalog.setval('request_steps_id_seq', 1, false);
SELECT pg_catalog.setval('saved_filters_id_seq', 1, false);
SELECT pg_catalog.setval('snapshots_id_seq', 1, false);
SELECT pg_catalog.setval('sources_id_seq', 1, false);
SELECT pg_catalog.setval('webhook_attempts_id_seq', 1, false);
SELECT pg_catalog.setval('webhook_deliveries_id_seq', 1, false);
SELECT pg_catalog.setval('webhooks_id_seq', 1, false);
ALTER TABLE ONLY alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY account_events
    ADD CONSTRAINT pk_account_events PRIMARY KEY (id);
ALTER TABLE ONLY accounts
    ADD CONSTRAINT pk_accounts PRIMARY KEY (id);
ALTER TABLE ONLY api_days
    ADD CONSTRAINT pk_api_days PRIMARY KEY (day);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (id);
ALTER TABLE ONLY diffs
    ADD CONSTRAINT pk_diffs PRIMARY KEY (id);
ALTER TABLE ONLY digests
    ADD CONSTRAINT pk_digests PRIMARY KEY (account_id);
ALTER TABLE ONLY entries
    ADD CONSTRAINT pk_entries PRIMARY KEY (id);
ALTER TABLE ONLY entry_changes
    ADD CONSTRAINT pk_entry_changes PRIMARY KEY (number);
ALTER TABLE ONLY entry_deadlines
    ADD CONSTRAINT pk_entry_deadlines PRIMARY KEY (id);
ALTER TABLE ONLY entry_removals
    ADD CONSTRAINT pk_entry_removals PRIMARY KEY (number);
ALTER TABLE ONLY entry_revisions
    ADD CONSTRAINT pk_entry_revisions PRIMARY KEY (entry_id, revision);
ALTER TABLE ONLY entry_words
    ADD CONSTRAINT pk_entry_words PRIMARY KEY (entry_id);
ALTER TABLE ONLY fetch_facts
    ADD CONSTRAINT pk_fetch_facts PRIMARY KEY (source_id);
ALTER TABLE ONLY gaps
    ADD CONSTRAINT pk_gaps PRIMARY KEY (id);
ALTER TABLE ONLY idempotent_answers
    ADD CONSTRAINT pk_idempotent_answers PRIMARY KEY (account_id, name);
ALTER TABLE ONLY plan_requests
    ADD CONSTRAINT pk_plan_requests PRIMARY KEY (id);
ALTER TABLE ONLY private_feeds
    ADD CONSTRAINT pk_private_feeds PRIMARY KEY (id);
ALTER TABLE ONLY rate_windows
    ADD CONSTRAINT pk_rate_windows PRIMARY KEY (name);
ALTER TABLE ONLY removed_selections
    ADD CONSTRAINT pk_removed_selections PRIMARY KEY (key_id, slug);
ALTER TABLE ONLY request_steps
    ADD CONSTRAINT pk_request_steps PRIMARY KEY (id);
ALTER TABLE ONLY saved_filters
    ADD CONSTRAINT pk_saved_filters PRIMARY KEY (id);
ALTER TABLE ONLY selections
    ADD CONSTRAINT pk_selections PRIMARY KEY (key_id, source_id);
ALTER TABLE ONLY sign_in_links
    ADD CONSTRAINT pk_sign_in_links PRIMARY KEY (digest);
ALTER TABLE ONLY snapshot_bodies
    ADD CONSTRAINT pk_snapshot_bodies PRIMARY KEY (digest);
ALTER TABLE ONLY snapshots
    ADD CONSTRAINT pk_snapshots PRIMARY KEY (id);
ALTER TABLE ONLY source_packages
    ADD CONSTRAINT pk_source_packages PRIMARY KEY (purl, source_id);
ALTER TABLE ONLY source_requests
    ADD CONSTRAINT pk_source_requests PRIMARY KEY (id);
ALTER TABLE ONLY sources
    ADD CONSTRAINT pk_sources PRIMARY KEY (id);
ALTER TABLE ONLY stack_parts
    ADD CONSTRAINT pk_stack_parts PRIMARY KEY (account_id, purl, version);
ALTER TABLE ONLY web_sessions
    ADD CONSTRAINT pk_web_sessions PRIMARY KEY (digest);
ALTER TABLE ONLY webhook_attempts
    ADD CONSTRAINT pk_webhook_attempts PRIMARY KEY (id);
ALTER TABLE ONLY webhook_deliveries
    ADD CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id);
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT pk_webhooks PRIMARY KEY (id);
ALTER TABLE ONLY accounts
    ADD CONSTRAINT uq_accounts_email UNIQUE (email);
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT uq_api_keys_public_id UNIQUE (public_id);
ALTER TABLE ONLY digests
    ADD CONSTRAINT uq_digests_token UNIQUE (token);
ALTER TABLE ONLY entries
    ADD CONSTRAINT uq_entries_source_id_external_id UNIQUE (source_id, external_id);
ALTER TABLE ONLY entry_changes
    ADD CONSTRAINT uq_entry_changes_entry_id_revision UNIQUE (entry_id, revision);
ALTER TABLE ONLY private_feeds
    ADD CONSTRAINT uq_private_feeds_digest UNIQUE (digest);
ALTER TABLE ONLY saved_filters
    ADD CONSTRAINT uq_saved_filters_public_id UNIQUE (public_id);
ALTER TABLE ONLY sources
    ADD CONSTRAINT uq_sources_slug UNIQUE (slug);
ALTER TABLE ONLY webhook_deliveries
    ADD CONSTRAINT uq_webhook_deliveries_webhook_id_entry_id_revision UNIQUE (webhook_id, entry_id, revision);
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT uq_webhooks_public_id UNIQUE (public_id);
CREATE INDEX ix_account_events_kind ON account_events USING btree (account_id, kind, id);
CREATE INDEX ix_api_keys_account_id ON api_keys USING btree (account_id);
CREATE INDEX ix_diffs_source ON diffs USING btree (source_id, id);
CREATE INDEX ix_digests_next_at ON digests USING btree (next_at);
CREATE INDEX ix_entries_importance_version ON entries USING btree (importance_version);
CREATE INDEX ix_entries_important_of_source ON entries USING btree (source_id, published_at, external_id, listed, categories) INCLUDE (id) WHERE important;
CREATE INDEX ix_entries_listed ON entries USING btree (published_at, external_id, source_id, prerelease) WHERE listed;
CREATE INDEX ix_entries_listed_important ON entries USING btree (published_at, external_id, source_id, categories, prerelease) WHERE (listed AND important);
CREATE INDEX ix_entries_listed_prereleases ON entries USING btree (categories, important) WHERE (listed AND (prerelease IS TRUE));
CREATE INDEX ix_entries_page ON entries USING btree (source_id, published_at, external_id, listed) INCLUDE (id);
CREATE INDEX ix_entries_unlisted ON entries USING btree (source_id, important) WHERE (NOT listed);
CREATE INDEX ix_entries_url ON entries USING btree (source_id, url_key);
CREATE INDEX ix_entries_versions ON entries USING btree (source_id, version, published_at, prerelease, package, categories);
CREATE INDEX ix_entry_changes_source ON entry_changes USING btree (source_id, number);
CREATE INDEX ix_entry_deadlines_entry_id ON entry_deadlines USING btree (entry_id);
CREATE INDEX ix_entry_deadlines_last_day ON entry_deadlines USING btree (last_day, entry_id, place);
CREATE INDEX ix_entry_deadlines_set_by_id ON entry_deadlines USING btree (set_by_id);
CREATE INDEX ix_entry_removals_slug ON entry_removals USING btree (slug, number);
CREATE INDEX ix_entry_words ON entry_words USING gin (words) WITH (gin_pending_list_limit='256');
CREATE INDEX ix_fetch_facts_host ON fetch_facts USING btree (host);
CREATE INDEX ix_fetch_facts_next_check_at ON fetch_facts USING btree (next_check_at);
CREATE INDEX ix_gaps_source ON gaps USING btree (source_id, closed_at);
CREATE INDEX ix_plan_requests_account_id ON plan_requests USING btree (account_id);
CREATE INDEX ix_private_feeds_account_id ON private_feeds USING btree (account_id);
CREATE INDEX ix_private_feeds_filter_id ON private_feeds USING btree (filter_id);
CREATE INDEX ix_rate_windows_closes_at ON rate_windows USING btree (closes_at);
CREATE INDEX ix_request_steps_request_id ON request_steps USING btree (request_id);
CREATE INDEX ix_saved_filters_account_id ON saved_filters USING btree (account_id);
CREATE INDEX ix_sign_in_links_browser ON sign_in_links USING btree (browser);
CREATE INDEX ix_sign_in_links_code ON sign_in_links USING btree (code);
CREATE INDEX ix_sign_in_links_expires_at ON sign_in_links USING btree (expires_at);
CREATE INDEX ix_snapshots_content_hash ON snapshots USING btree (content_hash);
CREATE INDEX ix_snapshots_source ON snapshots USING btree (source_id, id);
CREATE INDEX ix_source_packages_source_id ON source_packages USING btree (source_id);
CREATE INDEX ix_sources_sample ON sources USING btree (tier, health, prominence, slug, vendor);
CREATE INDEX ix_sources_vendor ON sources USING btree (vendor);
CREATE INDEX ix_web_sessions_account_id ON web_sessions USING btree (account_id);
CREATE INDEX ix_web_sessions_expires_at ON web_sessions USING btree (expires_at);
CREATE INDEX ix_webhook_attempts_delivery_id ON webhook_attempts USING btree (delivery_id);
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries USING btree (webhook_id, next_attempt_at);
CREATE INDEX ix_webhook_deliveries_ended_at ON webhook_deliveries USING btree (ended_at);
CREATE INDEX ix_webhook_deliveries_entry_id ON webhook_deliveries USING btree (entry_id);
CREATE INDEX ix_webhook_deliveries_state ON webhook_deliveries USING btree (webhook_id, state, id);
CREATE INDEX ix_webhooks_account_id ON webhooks USING btree (account_id);
CREATE INDEX ix_webhooks_key_id ON webhooks USING btree (key_id);
CREATE UNIQUE INDEX uq_plan_requests_waiting ON plan_requests USING btree (account_id) WHERE (decided_at IS NULL);
CREATE UNIQUE INDEX uq_source_requests_pending ON source_requests USING btree (url_key) WHERE ((status)::text = 'pending'::text);
CREATE TRIGGER entries_edited AFTER UPDATE OF revision ON entries FOR EACH ROW WHEN ((old.revision <> new.revision)) EXECUTE FUNCTION number_entry_change();
CREATE TRIGGER entries_learned AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION number_entry_change();
ALTER TABLE ONLY account_events
    ADD CONSTRAINT fk_account_events_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY api_keys
    ADD CONSTRAINT fk_api_keys_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY diffs
    ADD CONSTRAINT fk_diffs_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY digests
    ADD CONSTRAINT fk_digests_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY entries
    ADD CONSTRAINT fk_entries_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY entry_changes
    ADD CONSTRAINT fk_entry_changes_entry_id_entries FOREIGN KEY (entry_id) REFERENCES entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY entry_deadlines
    ADD CONSTRAINT fk_entry_deadlines_entry_id_entries FOREIGN KEY (entry_id) REFERENCES entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY entry_revisions
    ADD CONSTRAINT fk_entry_revisions_entry_id_entries FOREIGN KEY (entry_id) REFERENCES entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY entry_words
    ADD CONSTRAINT fk_entry_words_entry_id_entries FOREIGN KEY (entry_id) REFERENCES entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY fetch_facts
    ADD CONSTRAINT fk_fetch_facts_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY gaps
    ADD CONSTRAINT fk_gaps_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY idempotent_answers
    ADD CONSTRAINT fk_idempotent_answers_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY plan_requests
    ADD CONSTRAINT fk_plan_requests_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY private_feeds
    ADD CONSTRAINT fk_private_feeds_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY private_feeds
    ADD CONSTRAINT fk_private_feeds_filter_id_saved_filters FOREIGN KEY (filter_id) REFERENCES saved_filters(id) ON DELETE CASCADE;
ALTER TABLE ONLY removed_selections
    ADD CONSTRAINT fk_removed_selections_key_id_api_keys FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY request_steps
    ADD CONSTRAINT fk_request_steps_request_id_source_requests FOREIGN KEY (request_id) REFERENCES source_requests(id) ON DELETE CASCADE;
ALTER TABLE ONLY saved_filters
    ADD CONSTRAINT fk_saved_filters_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY selections
    ADD CONSTRAINT fk_selections_key_id_api_keys FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY selections
    ADD CONSTRAINT fk_selections_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY snapshots
    ADD CONSTRAINT fk_snapshots_content_hash_snapshot_bodies FOREIGN KEY (content_hash) REFERENCES snapshot_bodies(digest);
ALTER TABLE ONLY snapshots
    ADD CONSTRAINT fk_snapshots_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY source_packages
    ADD CONSTRAINT fk_source_packages_source_id_sources FOREIGN KEY (source_id) REFERENCES sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY stack_parts
    ADD CONSTRAINT fk_stack_parts_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY web_sessions
    ADD CONSTRAINT fk_web_sessions_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_attempts
    ADD CONSTRAINT fk_webhook_attempts_delivery_id_webhook_deliveries FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_deliveries
    ADD CONSTRAINT fk_webhook_deliveries_entry_id_entries FOREIGN KEY (entry_id) REFERENCES entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_deliveries
    ADD CONSTRAINT fk_webhook_deliveries_webhook_id_webhooks FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT fk_webhooks_account_id_accounts FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhooks
    ADD CONSTRAINT fk_webhooks_key_id_api_keys FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE;
