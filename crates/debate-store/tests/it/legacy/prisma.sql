-- The second server's migration, as Prisma writes one for the columns of seed 002.

-- CreateTable
CREATE TABLE "debates" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "title" TEXT NOT NULL,
    "debate_type" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TEXT NOT NULL,
    "updated_at" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "arguments" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "debate_id" TEXT NOT NULL,
    "parent_id" TEXT,
    "type" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "client_request_id" TEXT,
    "seq" INTEGER NOT NULL,
    "created_at" TEXT NOT NULL,
    CONSTRAINT "arguments_debate_id_fkey" FOREIGN KEY ("debate_id")
        REFERENCES "debates" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "arguments_parent_id_fkey" FOREIGN KEY ("parent_id")
        REFERENCES "arguments" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "arguments_debate_id_idx" ON "arguments"("debate_id");

-- CreateIndex
CREATE UNIQUE INDEX "arguments_debate_id_client_request_id_key"
    ON "arguments"("debate_id", "client_request_id");

-- CreateIndex
CREATE UNIQUE INDEX "arguments_debate_id_seq_key" ON "arguments"("debate_id", "seq");

CREATE TABLE "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
);

INSERT INTO "_prisma_migrations" VALUES
    ('5f4cf2f1', 'c0ffee', 1770442370123, '20260207053250_init', NULL, NULL, 1770442370000, 1);
