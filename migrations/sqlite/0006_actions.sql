-- oldest writer: 5
-- Contexts of one action in their order: the list of a few decisions among many others would walk over all.
CREATE INDEX context_snapshots_action ON context_snapshots (project, action_type, timestamp, n) WHERE action_type IS NOT NULL;
