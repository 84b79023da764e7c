-- The arena. Versions are those of the other engine, so that a database can be moved between them.
--
-- Times are UTC microseconds. Text that is only ever compared for being equal has the collation
-- "C", which is the quickest and the same everywhere.

create table if not exists schema_meta (
    key text primary key,
    value text not null
);

create table debates (
    id uuid not null primary key,
    title text not null,
    debate_type text collate "C" not null,
    state text collate "C" not null,
    -- The newest argument's seq: the next one is this plus one, never a max() over the rows.
    last_seq bigint not null,
    -- Whether a resolution closes the debate by itself; null leaves it to the server.
    auto_ruling boolean,
    created_at bigint not null,
    updated_at bigint not null
);

create index debates_by_time on debates (updated_at desc, id desc);
create index debates_by_state on debates (state, updated_at desc, id desc);
create index debates_unopposed on debates (updated_at desc, id desc)
    where last_seq = 1 and state = 'AWAITING_OPPONENT';

create table arguments (
    id uuid not null primary key,
    debate_id uuid not null references debates (id) on delete cascade,
    parent_id uuid,
    kind text collate "C" not null,
    role text collate "C" not null,
    content text not null,
    client_request_id text collate "C",
    -- What made the request what it was; null where there is no request id.
    fingerprint bytea,
    seq bigint not null,
    -- Where the debate stood after this argument.
    state_after text collate "C" not null,
    created_at bigint not null,
    -- The time-ordered column first: new keys append instead of dirtying a random page each.
    unique (client_request_id, debate_id),
    unique (debate_id, seq)
);

-- Title and motion, folded for searching. Apart from debates, so that the rows every write
-- touches stay small.
create table debate_search (
    debate_id uuid not null primary key references debates (id) on delete cascade,
    folded text collate "C" not null
);

-- How many debates there are of each sort, so that a list's total costs nothing. Each writer has
-- rows of its own, which are added up when read: one row for all would make every commit wait for
-- every other.
create table debate_counts (
    bucket text collate "C" not null,
    slot smallint not null,
    debates bigint not null,
    primary key (bucket, slot)
) with (fillfactor = 50);
