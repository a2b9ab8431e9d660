-- Pinned contexts in their order: among many others the list of a few would walk over all.
DROP INDEX context_snapshots_pinned;

CREATE INDEX context_snapshots_pinned ON context_snapshots (project, timestamp, n) WHERE pinned;
