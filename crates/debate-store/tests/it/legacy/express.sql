-- The first server's schema.sql, word for word (seed 000).

PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = ON;

-- Schema versioning (giống aw docs pattern)
CREATE TABLE IF NOT EXISTS schema_meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

INSERT OR IGNORE INTO schema_meta (key, value) VALUES ('version', '1');

CREATE TABLE IF NOT EXISTS debates (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  debate_type TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'AWAITING_OPPONENT',
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);

CREATE TABLE IF NOT EXISTS arguments (
  id TEXT PRIMARY KEY,
  debate_id TEXT NOT NULL REFERENCES debates(id),
  parent_id TEXT REFERENCES arguments(id),
  type TEXT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  client_request_id TEXT,
  seq INTEGER NOT NULL,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  UNIQUE(debate_id, client_request_id),
  UNIQUE(debate_id, seq)
);

CREATE INDEX IF NOT EXISTS idx_arguments_debate_id ON arguments(debate_id);
CREATE INDEX IF NOT EXISTS idx_arguments_parent_id ON arguments(parent_id);
CREATE INDEX IF NOT EXISTS idx_arguments_seq ON arguments(debate_id, seq);
