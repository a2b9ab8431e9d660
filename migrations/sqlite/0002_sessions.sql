-- oldest writer: 1
-- Sessions: append-only logs of events, and what is projected from them.

-- One row per session. doc is the whole of it as JSON; the other columns are what
-- lists select and sort by.
CREATE TABLE sessions (
    id                TEXT    NOT NULL PRIMARY KEY,
    project           TEXT    NOT NULL,
    client            TEXT    NOT NULL,
    client_session_id TEXT, -- NULL: the client has no id of its own
    agent_id          TEXT    NOT NULL,
    parent_id         TEXT    NOT NULL,
    origin_id         TEXT    NOT NULL,
    status            TEXT    NOT NULL, -- active, ended or forgotten
    started_at        TEXT    NOT NULL,
    updated_at        TEXT    NOT NULL,
    deleted_at        TEXT,
    last_seq          INTEGER NOT NULL,
    doc               TEXT    NOT NULL
);

CREATE UNIQUE INDEX sessions_client ON sessions (client, client_session_id) WHERE client_session_id IS NOT NULL;
CREATE INDEX sessions_updated ON sessions (updated_at, id);
CREATE INDEX sessions_project ON sessions (project, updated_at, id);
CREATE INDEX sessions_parent ON sessions (parent_id) WHERE parent_id <> '';
CREATE INDEX sessions_agent ON sessions (agent_id, updated_at) WHERE agent_id <> '';
CREATE INDEX sessions_deleted ON sessions (deleted_at) WHERE deleted_at IS NOT NULL;

-- One row per event. seq runs 1, 2, 3 … in each session. payload is the whole of
-- a short payload, or the light form of a long one, whose whole is in blobs.
CREATE TABLE events (
    session_id  TEXT    NOT NULL REFERENCES sessions (id),
    seq         INTEGER NOT NULL,
    id          TEXT    NOT NULL,
    key         TEXT, -- the source's own name of it
    type        TEXT    NOT NULL,
    at          TEXT    NOT NULL, -- by the source's clock
    recorded_at TEXT    NOT NULL, -- when the store learnt of it
    turn        INTEGER NOT NULL,
    role        TEXT    NOT NULL,
    human       BOOLEAN NOT NULL, -- a message that a person wrote
    tokens      INTEGER NOT NULL,
    hash        TEXT    NOT NULL,
    size        INTEGER NOT NULL,
    spent       TEXT, -- JSON: what it added to the totals
    erased      BOOLEAN NOT NULL DEFAULT 0,
    source      TEXT, -- where it came from, and its place there
    source_pos  INTEGER,
    source_id   TEXT,
    source_up   TEXT, -- the row that it answers there
    crc         INTEGER NOT NULL, -- of what a fold reads
    blob        TEXT, -- hash of the whole payload, where it is long
    payload     BLOB    NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE UNIQUE INDEX events_id ON events (id);
CREATE UNIQUE INDEX events_key ON events (session_id, key) WHERE key IS NOT NULL;
CREATE INDEX events_human ON events (session_id, seq) WHERE human;
CREATE INDEX events_type ON events (session_id, type, seq);
CREATE INDEX events_blob ON events (blob) WHERE blob IS NOT NULL;

-- Long payloads by the sha256 of their bytes, each once, compressed (zstd).
CREATE TABLE blobs (
    hash TEXT    NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    data BLOB    NOT NULL
);

-- The folded state at the latest snapshot of each session.
CREATE TABLE state_snapshots (
    session_id TEXT    NOT NULL PRIMARY KEY REFERENCES sessions (id),
    seq        INTEGER NOT NULL,
    version    INTEGER NOT NULL, -- of the rules that folded it
    checksum   TEXT    NOT NULL,
    created_at TEXT    NOT NULL,
    taken      INTEGER NOT NULL, -- so many so far
    state      BLOB    NOT NULL,
    UNIQUE (session_id, seq)
);

CREATE TABLE checkpoints (
    id         TEXT    NOT NULL PRIMARY KEY,
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    seq        INTEGER NOT NULL,
    class      TEXT    NOT NULL,
    reason     TEXT    NOT NULL, -- the trigger
    created_at TEXT    NOT NULL,
    tokens     INTEGER NOT NULL,
    pinned     BOOLEAN NOT NULL,
    deleted_at TEXT,
    doc        TEXT    NOT NULL
);

CREATE INDEX checkpoints_session ON checkpoints (session_id, seq, created_at, id);

CREATE TABLE handoffs (
    id         TEXT    NOT NULL PRIMARY KEY,
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    seq        INTEGER NOT NULL,
    to_mode    TEXT    NOT NULL,
    created_at TEXT    NOT NULL,
    expires_at TEXT    NOT NULL,
    doc        TEXT    NOT NULL
);

CREATE INDEX handoffs_session ON handoffs (session_id, created_at, id);
CREATE INDEX handoffs_expires ON handoffs (expires_at);

-- The working context as it was at seq: a cache.
CREATE TABLE working_contexts (
    session_id  TEXT    NOT NULL PRIMARY KEY REFERENCES sessions (id),
    agent_id    TEXT    NOT NULL,
    seq         INTEGER NOT NULL,
    epoch       INTEGER NOT NULL,
    prompt_hash TEXT    NOT NULL,
    saved_at    TEXT    NOT NULL,
    payload     BLOB    NOT NULL
);

CREATE TABLE turns (
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    turn       INTEGER NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    label      TEXT    NOT NULL,
    started_at TEXT    NOT NULL,
    ended_at   TEXT,
    PRIMARY KEY (session_id, turn)
);

-- Operations as their reports left them.
CREATE TABLE ops (
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    op_id      TEXT    NOT NULL,
    first_seq  INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    doc        TEXT    NOT NULL,
    PRIMARY KEY (session_id, op_id)
);

CREATE INDEX ops_seq ON ops (session_id, first_seq);

-- Which events hold log lines of which operation.
CREATE TABLE op_logs (
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    op_id      TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    PRIMARY KEY (session_id, op_id, seq)
);

-- What each operation cost: the ledger. cost is in billionths of a dollar.
CREATE TABLE accounting (
    session_id     TEXT    NOT NULL REFERENCES sessions (id),
    op_id          TEXT    NOT NULL,
    origin_id      TEXT    NOT NULL,
    seq            INTEGER NOT NULL,
    at             TEXT    NOT NULL,
    type           TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    latency_ms     INTEGER NOT NULL,
    provider       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    input          INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    cache_read     INTEGER NOT NULL,
    cache_write    INTEGER NOT NULL,
    cost           INTEGER NOT NULL,
    mcp_server     TEXT    NOT NULL,
    command        TEXT    NOT NULL,
    characters_in  INTEGER NOT NULL,
    characters_out INTEGER NOT NULL,
    error          TEXT    NOT NULL,
    PRIMARY KEY (session_id, op_id)
);

CREATE INDEX accounting_seq ON accounting (session_id, seq);

-- The client's window over time.
CREATE TABLE usage_samples (
    session_id   TEXT    NOT NULL REFERENCES sessions (id),
    seq          INTEGER NOT NULL,
    at           TEXT    NOT NULL,
    epoch        INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    limit_tokens INTEGER NOT NULL,
    PRIMARY KEY (session_id, seq)
);

-- Steps of a workflow that were completed: never to be handed out again.
CREATE TABLE completed_steps (
    session_id TEXT    NOT NULL REFERENCES sessions (id),
    seq        INTEGER NOT NULL,
    step_id    TEXT    NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE INDEX completed_steps_id ON completed_steps (session_id, step_id);

-- Thresholds that fired: each once in an epoch.
CREATE TABLE threshold_firings (
    session_id    TEXT    NOT NULL REFERENCES sessions (id),
    epoch         INTEGER NOT NULL,
    threshold     INTEGER NOT NULL, -- in ten thousandths of the limit
    at            TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    checkpoint_id TEXT    NOT NULL,
    PRIMARY KEY (session_id, epoch, threshold)
);

-- How far each source was read.
CREATE TABLE ingest_cursors (
    source       TEXT    NOT NULL PRIMARY KEY,
    session_id   TEXT    NOT NULL,
    read_to      INTEGER NOT NULL,
    fingerprint  TEXT    NOT NULL,
    state        BLOB    NOT NULL,
    updated_at   TEXT    NOT NULL
);

-- What went wrong and was got round, for a person to look at.
CREATE TABLE alerts (
    id         TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL,
    at         TEXT NOT NULL,
    UNIQUE (session_id, kind, subject)
);
