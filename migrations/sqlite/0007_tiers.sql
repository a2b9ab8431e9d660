-- oldest writer: 5
-- The tier goes with the time of the last touch, in one index: an access moves a context there anyway, and
-- moved it through the two indexes of tiers too.
DROP INDEX context_snapshots_active;

DROP INDEX context_snapshots_cooler;

DROP INDEX context_snapshots_project_touched;

CREATE INDEX context_snapshots_project_touched ON context_snapshots (project, coalesce(last_accessed, timestamp), n, deleted_at, memory_tier);
