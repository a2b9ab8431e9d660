PRAGMA defer_foreign_keys=TRUE;
-- a comment; with a semicolon
CREATE TABLE context_snapshots (
  id TEXT PRIMARY KEY, project TEXT NOT NULL, summary TEXT NOT NULL,
  source TEXT DEFAULT 'unknown', metadata TEXT, tags TEXT DEFAULT '', timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
  CHECK (length(id) > 0)
);
ALTER TABLE context_snapshots ADD COLUMN action_type TEXT;
ALTER TABLE context_snapshots ADD COLUMN rationale TEXT;
ALTER TABLE context_snapshots ADD dependencies TEXT;
ALTER TABLE context_snapshots ADD COLUMN caused_by TEXT;
ALTER TABLE context_snapshots ADD COLUMN memory_tier TEXT NOT NULL DEFAULT 'active';
ALTER TABLE context_snapshots ADD COLUMN last_accessed TEXT;
ALTER TABLE context_snapshots ADD COLUMN access_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE context_snapshots ADD COLUMN prediction_score REAL;
ALTER TABLE context_snapshots ADD COLUMN last_predicted TEXT;
ALTER TABLE context_snapshots ADD COLUMN predicted_next_access TEXT;
ALTER TABLE context_snapshots ADD COLUMN propagation_reason TEXT;
INSERT INTO "context_snapshots" VALUES('0B5E6A10-0000-4000-8000-00000000E001','auth',replace('It''s OAuth2;\nwith PKCE','\n',char(10)),'mcp','{"sessionId":"s-1","userId":"u"}','oauth, security',' 2025-10-17T10:00:00.000Z','research','why not',NULL,NULL,'recent',NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO context_snapshots (id,project,summary,timestamp,action_type,rationale,caused_by,dependencies,memory_tier,access_count,last_accessed,prediction_score,propagation_reason) VALUES
 ('0b5e6a10-0000-4000-8000-00000000e002','auth','Use OAuth2 with PKCE','2025-10-17 11:00:00','decision','PKCE prevents interception','0B5E6A10-0000-4000-8000-00000000E001','["0b5e6a10-0000-4000-8000-00000000e001"]','archived',5,'2025-10-18T00:00:00Z',0.851,'["recently_accessed","causal_chain_root"]'),
 ('not-a-uuid','auth','third','2025-10-17 12:00:00',NULL,NULL,NULL,NULL,'expired',0,NULL,-1.5e+0,NULL);
INSERT INTO other VALUES(1,X'00ff',unistr('a\u0041'));
INSERT INTO context_snapshots VALUES(broken;
INSERT INTO context_snapshots(id,project,summary) VALUES('0b5e6a10-0000-4000-8000-00000000e004','auth','after the broken one');
