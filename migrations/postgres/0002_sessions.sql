-- oldest writer: 1
-- Sessions: append-only logs of events, and what is projected from them.

-- One row per session. doc is the whole of it as JSON; the other columns are what
-- lists select and sort by.
CREATE TABLE sessions (
    id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    project           TEXT COLLATE "C" NOT NULL,
    client            TEXT COLLATE "C" NOT NULL,
    client_session_id TEXT COLLATE "C", -- NULL: the client has no id of its own
    agent_id          TEXT COLLATE "C" NOT NULL,
    parent_id         TEXT COLLATE "C" NOT NULL,
    origin_id         TEXT COLLATE "C" NOT NULL,
    status            TEXT COLLATE "C" NOT NULL, -- active, ended or forgotten
    started_at        TEXT COLLATE "C" NOT NULL,
    updated_at        TEXT COLLATE "C" NOT NULL,
    deleted_at        TEXT COLLATE "C",
    last_seq          BIGINT NOT NULL,
    doc               TEXT COLLATE "C" NOT NULL
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
    session_id  TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    seq         BIGINT NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    key         TEXT COLLATE "C", -- the source's own name of it
    type        TEXT COLLATE "C" NOT NULL,
    at          TEXT COLLATE "C" NOT NULL, -- by the source's clock
    recorded_at TEXT COLLATE "C" NOT NULL, -- when the store learnt of it
    turn        BIGINT NOT NULL,
    role        TEXT COLLATE "C" NOT NULL,
    human       BOOLEAN NOT NULL, -- a message that a person wrote
    tokens      BIGINT NOT NULL,
    hash        TEXT COLLATE "C" NOT NULL,
    size        BIGINT NOT NULL,
    spent       TEXT COLLATE "C", -- JSON: what it added to the totals
    erased      BOOLEAN NOT NULL DEFAULT false,
    source      TEXT COLLATE "C", -- where it came from, and its place there
    source_pos  BIGINT,
    source_id   TEXT COLLATE "C",
    source_up   TEXT COLLATE "C", -- the row that it answers there
    crc         BIGINT NOT NULL, -- of what a fold reads
    blob        TEXT COLLATE "C", -- hash of the whole payload, where it is long
    payload     BYTEA NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE UNIQUE INDEX events_id ON events (id);
CREATE UNIQUE INDEX events_key ON events (session_id, key) WHERE key IS NOT NULL;
CREATE INDEX events_human ON events (session_id, seq) WHERE human;
CREATE INDEX events_type ON events (session_id, type, seq);
CREATE INDEX events_blob ON events (blob) WHERE blob IS NOT NULL;

-- Long payloads by the sha256 of their bytes, each once, compressed (zstd).
CREATE TABLE blobs (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    data BYTEA NOT NULL
);

-- The folded state at the latest snapshot of each session.
CREATE TABLE state_snapshots (
    session_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES sessions (id),
    seq        BIGINT NOT NULL,
    version    BIGINT NOT NULL, -- of the rules that folded it
    checksum   TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    taken      BIGINT NOT NULL, -- so many so far
    state      BYTEA NOT NULL,
    UNIQUE (session_id, seq)
);

CREATE TABLE checkpoints (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    seq        BIGINT NOT NULL,
    class      TEXT COLLATE "C" NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL, -- the trigger
    created_at TEXT COLLATE "C" NOT NULL,
    tokens     BIGINT NOT NULL,
    pinned     BOOLEAN NOT NULL,
    deleted_at TEXT COLLATE "C",
    doc        TEXT COLLATE "C" NOT NULL
);

CREATE INDEX checkpoints_session ON checkpoints (session_id, seq, created_at, id);

CREATE TABLE handoffs (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    seq        BIGINT NOT NULL,
    to_mode    TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL,
    doc        TEXT COLLATE "C" NOT NULL
);

CREATE INDEX handoffs_session ON handoffs (session_id, created_at, id);
CREATE INDEX handoffs_expires ON handoffs (expires_at);

-- The working context as it was at seq: a cache.
CREATE TABLE working_contexts (
    session_id  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES sessions (id),
    agent_id    TEXT COLLATE "C" NOT NULL,
    seq         BIGINT NOT NULL,
    epoch       BIGINT NOT NULL,
    prompt_hash TEXT COLLATE "C" NOT NULL,
    saved_at    TEXT COLLATE "C" NOT NULL,
    payload     BYTEA NOT NULL
);

CREATE TABLE turns (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    turn       BIGINT NOT NULL,
    first_seq  BIGINT NOT NULL,
    last_seq   BIGINT NOT NULL,
    label      TEXT COLLATE "C" NOT NULL,
    started_at TEXT COLLATE "C" NOT NULL,
    ended_at   TEXT COLLATE "C",
    PRIMARY KEY (session_id, turn)
);

-- Operations as their reports left them.
CREATE TABLE ops (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    op_id      TEXT COLLATE "C" NOT NULL,
    first_seq  BIGINT NOT NULL,
    status     TEXT COLLATE "C" NOT NULL,
    doc        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (session_id, op_id)
);

CREATE INDEX ops_seq ON ops (session_id, first_seq);

-- Which events hold log lines of which operation.
CREATE TABLE op_logs (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    op_id      TEXT COLLATE "C" NOT NULL,
    seq        BIGINT NOT NULL,
    PRIMARY KEY (session_id, op_id, seq)
);

-- What each operation cost: the ledger. cost is in billionths of a dollar.
CREATE TABLE accounting (
    session_id     TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    op_id          TEXT COLLATE "C" NOT NULL,
    origin_id      TEXT COLLATE "C" NOT NULL,
    seq            BIGINT NOT NULL,
    at             TEXT COLLATE "C" NOT NULL,
    type           TEXT COLLATE "C" NOT NULL,
    status         TEXT COLLATE "C" NOT NULL,
    latency_ms     BIGINT NOT NULL,
    provider       TEXT COLLATE "C" NOT NULL,
    model          TEXT COLLATE "C" NOT NULL,
    input          BIGINT NOT NULL,
    output         BIGINT NOT NULL,
    cache_read     BIGINT NOT NULL,
    cache_write    BIGINT NOT NULL,
    cost           BIGINT NOT NULL,
    mcp_server     TEXT COLLATE "C" NOT NULL,
    command        TEXT COLLATE "C" NOT NULL,
    characters_in  BIGINT NOT NULL,
    characters_out BIGINT NOT NULL,
    error          TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (session_id, op_id)
);

CREATE INDEX accounting_seq ON accounting (session_id, seq);

-- The client's window over time.
CREATE TABLE usage_samples (
    session_id   TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    seq          BIGINT NOT NULL,
    at           TEXT COLLATE "C" NOT NULL,
    epoch        BIGINT NOT NULL,
    tokens       BIGINT NOT NULL,
    limit_tokens BIGINT NOT NULL,
    PRIMARY KEY (session_id, seq)
);

-- Steps of a workflow that were completed: never to be handed out again.
CREATE TABLE completed_steps (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    seq        BIGINT NOT NULL,
    step_id    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE INDEX completed_steps_id ON completed_steps (session_id, step_id);

-- Thresholds that fired: each once in an epoch.
CREATE TABLE threshold_firings (
    session_id    TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    epoch         BIGINT NOT NULL,
    threshold     BIGINT NOT NULL, -- in ten thousandths of the limit
    at            TEXT COLLATE "C" NOT NULL,
    seq           BIGINT NOT NULL,
    checkpoint_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (session_id, epoch, threshold)
);

-- How far each source was read.
CREATE TABLE ingest_cursors (
    source       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id   TEXT COLLATE "C" NOT NULL,
    read_to      BIGINT NOT NULL,
    fingerprint  TEXT COLLATE "C" NOT NULL,
    state        BYTEA NOT NULL,
    updated_at   TEXT COLLATE "C" NOT NULL
);

-- What went wrong and was got round, for a person to look at.
CREATE TABLE alerts (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    detail     TEXT COLLATE "C" NOT NULL,
    at         TEXT COLLATE "C" NOT NULL,
    UNIQUE (session_id, kind, subject)
);
