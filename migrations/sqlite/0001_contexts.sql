-- Contexts: what was saved, why, how warm it is and how likely it is needed next.
-- Times are UTC text like 2026-01-31T15:04:05.000000Z, so that text order is time order.

-- Facts about the database itself. schema lives in PRAGMA user_version.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- A project name and the folder it was first used from ('' when from none).
CREATE TABLE projects (
    name       TEXT NOT NULL PRIMARY KEY,
    path       TEXT NOT NULL,
    claimed_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX projects_path ON projects (path) WHERE path <> '';

-- One row per context. n is the order of insertion and what indexes point at; it
-- is never given twice. content comes last, because jobs rewrite the columns before it.
CREATE TABLE context_snapshots (
    n                     INTEGER PRIMARY KEY,
    id                    TEXT    NOT NULL UNIQUE,
    project               TEXT    NOT NULL,
    summary               TEXT    NOT NULL,
    tags                  TEXT    NOT NULL, -- comma list; context_tags remembers
    source                TEXT    NOT NULL DEFAULT 'unknown',
    timestamp             TEXT    NOT NULL, -- when it happened
    action_type           TEXT, -- NULL: nothing is known of why
    caused_by             TEXT, -- NULL: a root
    rationale             TEXT,
    dependencies          TEXT, -- JSON list of ids
    memory_tier           TEXT    NOT NULL,
    last_accessed         TEXT,
    access_count          INTEGER NOT NULL DEFAULT 0,
    prediction_score      REAL, -- NULL: never predicted
    last_predicted        TEXT,
    predicted_next_access TEXT,
    propagation_reason    TEXT, -- JSON list of tags
    metadata              TEXT, -- JSON object
    session_id            TEXT,
    seq                   INTEGER NOT NULL DEFAULT 0,
    kind                  TEXT    NOT NULL,
    origin                TEXT    NOT NULL,
    pinned                BOOLEAN NOT NULL DEFAULT 0,
    content_hash          TEXT    NOT NULL,
    summary_by            TEXT    NOT NULL,
    superseded_by         TEXT,
    superseded_at         TEXT,
    saved_at              TEXT    NOT NULL, -- when the store learnt of it
    deleted_at            TEXT, -- when it was forgotten
    content               TEXT    NOT NULL
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
    n          INTEGER PRIMARY KEY,
    from_id    TEXT NOT NULL,
    to_id      TEXT NOT NULL, -- may name a context that is not here
    kind       TEXT NOT NULL,
    origin     TEXT NOT NULL,
    confidence REAL NOT NULL,
    reason     TEXT NOT NULL DEFAULT '',
    added_at   TEXT NOT NULL,
    removed_at TEXT
);

CREATE INDEX context_links_from ON context_links (from_id, kind);
CREATE INDEX context_links_to ON context_links (to_id, kind);

-- Tags with their past.
CREATE TABLE context_tags (
    context_n  INTEGER NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    tag        TEXT    NOT NULL,
    added_at   TEXT    NOT NULL,
    removed_at TEXT,
    PRIMARY KEY (context_n, tag, added_at)
) WITHOUT ROWID;

CREATE INDEX context_tags_tag ON context_tags (tag, context_n);

-- Every time a context was brought out. Readers remember the last n they saw, so a
-- number must not come back when the newest rows are erased.
CREATE TABLE context_accesses (
    n          INTEGER PRIMARY KEY AUTOINCREMENT,
    context_n  INTEGER NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    project    TEXT    NOT NULL,
    at         TEXT    NOT NULL,
    how        TEXT    NOT NULL, -- used, handed or shown
    via        TEXT    NOT NULL,
    actor      TEXT    NOT NULL,
    session_id TEXT    NOT NULL
);

CREATE INDEX context_accesses_context ON context_accesses (context_n, how, at);
CREATE INDEX context_accesses_project ON context_accesses (project, n, how);

-- Predictions that were shown and what became of them.
CREATE TABLE prediction_outcomes (
    n            INTEGER PRIMARY KEY,
    context_n    INTEGER NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    project      TEXT    NOT NULL,
    predicted_at TEXT    NOT NULL,
    due_at       TEXT    NOT NULL, -- predicted_at and the horizon
    horizon_us   INTEGER NOT NULL,
    rank         INTEGER NOT NULL,
    score        REAL    NOT NULL,
    probability  REAL    NOT NULL,
    accessed     BOOLEAN NOT NULL DEFAULT 0,
    settled_at   TEXT
);

CREATE INDEX prediction_outcomes_due ON prediction_outcomes (due_at) WHERE settled_at IS NULL;
CREATE INDEX prediction_outcomes_context ON prediction_outcomes (context_n);

-- Vectors that models made, little-endian float32.
CREATE TABLE embeddings (
    context_n INTEGER NOT NULL REFERENCES context_snapshots (n) ON DELETE CASCADE,
    model     TEXT    NOT NULL,
    dimension INTEGER NOT NULL,
    vector    BLOB    NOT NULL,
    PRIMARY KEY (context_n, model)
);

-- Contexts that wait for the model to write their summary.
CREATE TABLE summary_queue (
    context_n  INTEGER PRIMARY KEY REFERENCES context_snapshots (n) ON DELETE CASCADE,
    attempts   INTEGER NOT NULL DEFAULT 0,
    not_before TEXT    NOT NULL,
    last_error TEXT    NOT NULL DEFAULT ''
);

CREATE INDEX summary_queue_due ON summary_queue (not_before);

-- Who does a piece of periodic work.
CREATE TABLE leases (
    name    TEXT    NOT NULL PRIMARY KEY,
    holder  TEXT    NOT NULL,
    fence   INTEGER NOT NULL,
    expires TEXT    NOT NULL
) WITHOUT ROWID;

-- What was erased for good: that it was there, not what it said.
CREATE TABLE tombstones (
    n            INTEGER PRIMARY KEY, -- the context's, so that it is not given again
    id           TEXT NOT NULL UNIQUE,
    project      TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    erased_at    TEXT NOT NULL
);
