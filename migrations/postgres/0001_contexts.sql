-- Contexts: what was saved, why, how warm it is and how likely it is needed next.
-- Times are UTC text like 2026-01-31T15:04:05.000000Z, so that text order is
-- time order; COLLATE "C" makes it the order of bytes, as in SQLite.

-- Facts about the database itself; key schema is the version of the tables.
CREATE TABLE meta (
    key   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- A project name and the folder it was first used from ('' when from none).
CREATE TABLE projects (
    name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    path       TEXT COLLATE "C" NOT NULL,
    claimed_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX projects_path ON projects (path) WHERE path <> '';

-- One row per context. n is the order of insertion and what indexes point at; it
-- is never given twice. content comes last, because jobs rewrite the columns before it.
CREATE TABLE context_snapshots (
    n                     BIGINT PRIMARY KEY,
    id                    TEXT COLLATE "C" NOT NULL UNIQUE,
    project               TEXT COLLATE "C" NOT NULL,
    summary               TEXT COLLATE "C" NOT NULL,
    tags                  TEXT COLLATE "C" NOT NULL, -- comma list; context_tags remembers
    source                TEXT COLLATE "C" NOT NULL DEFAULT 'unknown',
    timestamp             TEXT COLLATE "C" NOT NULL, -- when it happened
    action_type           TEXT COLLATE "C", -- NULL: nothing is known of why
    caused_by             TEXT COLLATE "C", -- NULL: a root
    rationale             TEXT COLLATE "C",
    dependencies          TEXT COLLATE "C", -- JSON list of ids
    memory_tier           TEXT COLLATE "C" NOT NULL,
    last_accessed         TEXT COLLATE "C",
    access_count          BIGINT NOT NULL DEFAULT 0,
    prediction_score      DOUBLE PRECISION, -- NULL: never predicted
    last_predicted        TEXT COLLATE "C",
    predicted_next_access TEXT COLLATE "C",
    propagation_reason    TEXT COLLATE "C", -- JSON list of tags
    metadata              TEXT COLLATE "C", -- JSON object
    session_id            TEXT COLLATE "C",
    seq                   BIGINT NOT NULL DEFAULT 0,
    kind                  TEXT COLLATE "C" NOT NULL,
    origin                TEXT COLLATE "C" NOT NULL,
    pinned                BOOLEAN NOT NULL DEFAULT false,
    content_hash          TEXT COLLATE "C" NOT NULL,
    summary_by            TEXT COLLATE "C" NOT NULL,
    superseded_by         TEXT COLLATE "C",
    superseded_at         TEXT COLLATE "C",
    saved_at              TEXT COLLATE "C" NOT NULL, -- when the store learnt of it
    deleted_at            TEXT COLLATE "C", -- when it was forgotten
    content               TEXT COLLATE "C" NOT NULL
);

-- Counting and listing read these alone, so they end in n (the order of ties) and deleted_at.
CREATE INDEX context_snapshots_timestamp ON context_snapshots (timestamp, n);
CREATE INDEX context_snapshots_project_timestamp ON context_snapshots (project, timestamp, n, deleted_at);
CREATE INDEX context_snapshots_project_touched ON context_snapshots (project, coalesce(last_accessed, timestamp), n, deleted_at);
-- These two find contexts of the wrong tier. An access makes ACTIVE and moves
-- last_accessed; while a context is ACTIVE that leaves both alone.
CREATE INDEX context_snapshots_active ON context_snapshots (n) WHERE memory_tier = 'ACTIVE';
CREATE INDEX context_snapshots_cooler ON context_snapshots (memory_tier, coalesce(last_accessed, timestamp)) WHERE memory_tier <> 'ACTIVE';
CREATE INDEX context_snapshots_hash ON context_snapshots (content_hash);
CREATE INDEX context_snapshots_session ON context_snapshots (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX context_snapshots_score ON context_snapshots (project, coalesce(prediction_score, -1), n);
CREATE INDEX context_snapshots_pinned ON context_snapshots (project) WHERE pinned;
CREATE INDEX context_snapshots_deleted ON context_snapshots (deleted_at) WHERE deleted_at IS NOT NULL;

-- The index over caused_by, dependencies and superseded_by, with its past: from
-- the later context to the earlier. A link is never rewritten, only removed.
CREATE TABLE context_links (
    n          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    from_id    TEXT COLLATE "C" NOT NULL,
    to_id      TEXT COLLATE "C" NOT NULL, -- may name a context that is not here
    kind       TEXT COLLATE "C" NOT NULL,
    origin     TEXT COLLATE "C" NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL DEFAULT '',
    added_at   TEXT COLLATE "C" NOT NULL,
    removed_at TEXT COLLATE "C"
);

CREATE INDEX context_links_from ON context_links (from_id, kind);
CREATE INDEX context_links_to ON context_links (to_id, kind);

-- Tags with their past.
CREATE TABLE context_tags (
    context_n  BIGINT NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    tag        TEXT COLLATE "C" NOT NULL,
    added_at   TEXT COLLATE "C" NOT NULL,
    removed_at TEXT COLLATE "C",
    PRIMARY KEY (context_n, tag, added_at)
);

CREATE INDEX context_tags_tag ON context_tags (tag, context_n);

-- Every time a context was brought out. Readers remember the last n they saw, so a
-- number must not come back when the newest rows are erased.
CREATE TABLE context_accesses (
    n          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    context_n  BIGINT NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    project    TEXT COLLATE "C" NOT NULL,
    at         TEXT COLLATE "C" NOT NULL,
    how        TEXT COLLATE "C" NOT NULL, -- used, handed or shown
    via        TEXT COLLATE "C" NOT NULL,
    actor      TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL
);

CREATE INDEX context_accesses_context ON context_accesses (context_n, how, at);
CREATE INDEX context_accesses_project ON context_accesses (project, n, how);

-- Predictions that were shown and what became of them.
CREATE TABLE prediction_outcomes (
    n            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    context_n    BIGINT NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    project      TEXT COLLATE "C" NOT NULL,
    predicted_at TEXT COLLATE "C" NOT NULL,
    due_at       TEXT COLLATE "C" NOT NULL, -- predicted_at and the horizon
    horizon_us   BIGINT NOT NULL,
    rank         BIGINT NOT NULL,
    score        DOUBLE PRECISION NOT NULL,
    probability  DOUBLE PRECISION NOT NULL,
    accessed     BOOLEAN NOT NULL DEFAULT false,
    settled_at   TEXT COLLATE "C"
);

CREATE INDEX prediction_outcomes_due ON prediction_outcomes (due_at) WHERE settled_at IS NULL;
CREATE INDEX prediction_outcomes_context ON prediction_outcomes (context_n);

-- Vectors that models made, little-endian float32.
CREATE TABLE embeddings (
    context_n BIGINT NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    model     TEXT COLLATE "C" NOT NULL,
    dimension BIGINT NOT NULL,
    vector    BYTEA NOT NULL,
    PRIMARY KEY (context_n, model)
);

-- Contexts that wait for the model to write their summary.
CREATE TABLE summary_queue (
    context_n  BIGINT PRIMARY KEY REFERENCES context_snapshots (n) ON DELETE CASCADE,
    attempts   BIGINT NOT NULL DEFAULT 0,
    not_before TEXT COLLATE "C" NOT NULL,
    last_error TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX summary_queue_due ON summary_queue (not_before);

-- Who does a piece of periodic work.
CREATE TABLE leases (
    name    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    holder  TEXT COLLATE "C" NOT NULL,
    fence   BIGINT NOT NULL,
    expires TEXT COLLATE "C" NOT NULL
);

-- What was erased for good: that it was there, not what it said.
CREATE TABLE tombstones (
    n            BIGINT PRIMARY KEY, -- the context's, so that it is not given again
    id           TEXT COLLATE "C" NOT NULL UNIQUE,
    project      TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    erased_at    TEXT COLLATE "C" NOT NULL
);
