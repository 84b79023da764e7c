-- Layout 6.
--
-- One section for each subject, each independent of the others and in the order of the other
-- engine's file. Add a section at the end; a new table also belongs into `TABLES` in migrate.rs,
-- and into `aw db copy` if it holds durable data (see CONTRIBUTING.md). A database of layout 5
-- keeps every row.

-- Section: deleted debates. The id of a deleted debate is never used again.
create table deleted_debates (
    id uuid not null primary key,
    -- UTC microseconds.
    deleted_at bigint not null
);

-- Section: revoked sessions. A session that ended before its time. The row can be removed once
-- the session would have expired anyway.
create table revoked_sessions (
    -- SHA-256 of the session's cookie.
    digest bytea not null primary key,
    -- UTC microseconds.
    expires_at bigint not null
);

create index revoked_sessions_by_expiry on revoked_sessions (expires_at);

-- Section: debates of the earlier Node servers, which come here by `aw db copy`. Their ids were any
-- text and their types too. An id that is not a UUID is replaced by one that is derived from it;
-- the original id stays valid in requests.
create table original_ids (
    kind text collate "C" not null check (kind in ('debate', 'argument')),
    original text collate "C" not null,
    id uuid not null,
    primary key (kind, original),
    unique (kind, id)
);

-- The type that the debate had; null where `debate_type` is that type.
alter table debates add column original_type text;
