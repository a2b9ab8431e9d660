-- What prediction has learnt: a fold of each project's access log, with the place in
-- the log that it has reached.
CREATE TABLE prediction_models (
    project    TEXT    NOT NULL PRIMARY KEY,
    watermark  INTEGER NOT NULL, -- context_accesses.n
    state      BLOB    NOT NULL,
    updated_at TEXT    NOT NULL
) WITHOUT ROWID;

-- What the model keeps of one context; its size does not grow with use.
CREATE TABLE prediction_items (
    context_n INTEGER PRIMARY KEY REFERENCES context_snapshots (n) ON DELETE CASCADE,
    project   TEXT    NOT NULL,
    state     BLOB    NOT NULL
);

CREATE INDEX prediction_items_project ON prediction_items (project);
