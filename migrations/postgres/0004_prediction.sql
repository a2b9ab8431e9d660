-- What prediction has learnt: a fold of each project's access log, with the place in
-- the log that it has reached.
CREATE TABLE prediction_models (
    project    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    watermark  BIGINT NOT NULL, -- context_accesses.n
    state      BYTEA    NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL
);

-- What the model keeps of one context; its size does not grow with use.
CREATE TABLE prediction_items (
    context_n BIGINT PRIMARY KEY REFERENCES context_snapshots (n) ON DELETE CASCADE,
    project   TEXT COLLATE "C" NOT NULL,
    state     BYTEA    NOT NULL
);

CREATE INDEX prediction_items_project ON prediction_items (project);
