-- The search index: wake's own, the same bytes on every engine (package recall/index).

-- One row for each text that can be found: what recall made of it. Contexts are one
-- space, messages of sessions another, each with segments of its own. n rises with the
-- commits and is never given twice; a text that changed gets a new one. Either
-- context_n or session_id and seq say what the text is.
CREATE TABLE search_documents (
    n          INTEGER PRIMARY KEY AUTOINCREMENT,
    space      INTEGER NOT NULL,
    scope      TEXT    NOT NULL, -- the project
    context_n  INTEGER,
    session_id TEXT,
    seq        INTEGER,
    stream     INTEGER NOT NULL, -- which texts follow one another
    prev       INTEGER NOT NULL, -- the one before it in its stream; 0 for none
    gone       BOOLEAN NOT NULL DEFAULT 0,
    document   BLOB    NOT NULL
);

CREATE INDEX search_documents_space ON search_documents (space, n);
CREATE INDEX search_documents_stream ON search_documents (stream, context_n, seq);
CREATE INDEX search_documents_prev ON search_documents (prev) WHERE prev > 0;
CREATE INDEX search_documents_context ON search_documents (context_n) WHERE context_n IS NOT NULL;
CREATE INDEX search_documents_event ON search_documents (session_id, seq) WHERE session_id IS NOT NULL;

-- What was taken out of the index, and brought back, in order; n is 0 where the
-- whole index was emptied.
CREATE TABLE search_removals (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    n     INTEGER NOT NULL,
    space INTEGER NOT NULL,
    scope TEXT    NOT NULL,
    gone  BOOLEAN NOT NULL
);

CREATE INDEX search_removals_space ON search_removals (space, id);

-- Immutable parts of the index. One without a head is being written, or was
-- replaced. It can only become active while the version of its space is the one at
-- which it was begun; a later one makes it a leftover, to be swept.
CREATE TABLE search_segments (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    space   INTEGER NOT NULL,
    version INTEGER NOT NULL,
    head    BLOB
);

CREATE INDEX search_segments_space ON search_segments (space, id);

CREATE TABLE search_chunks (
    segment INTEGER NOT NULL,
    key     INTEGER NOT NULL,
    blob    BLOB    NOT NULL,
    PRIMARY KEY (segment, key)
);

-- The version of a space rises whenever its list of segments changes.
CREATE TABLE search_versions (
    space   INTEGER NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL
);

INSERT INTO search_versions (space, version) VALUES (0, 0), (1, 0);
