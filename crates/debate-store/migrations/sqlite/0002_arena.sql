-- The arena. (Version 1 is the layout of the earlier Node servers.)
--
-- Ids are the 16 bytes of a UUID, times are UTC microseconds. `strict` makes SQLite refuse a value
-- of the wrong type instead of keeping it.

create table if not exists schema_meta (
    key text primary key,
    value text not null
);

create table debates (
    id blob not null primary key,
    title text not null,
    debate_type text not null,
    state text not null,
    -- The newest argument's seq: the next one is this plus one, never a max() over the rows.
    last_seq integer not null,
    -- Whether a resolution closes the debate by itself; null leaves it to the server.
    auto_ruling integer,
    created_at integer not null,
    updated_at integer not null
) strict, without rowid;

create index debates_by_time on debates (updated_at desc, id desc);
create index debates_by_state on debates (state, updated_at desc, id desc);
create index debates_unopposed on debates (updated_at desc, id desc)
    where last_seq = 1 and state = 'AWAITING_OPPONENT';

create table arguments (
    id blob not null primary key,
    debate_id blob not null references debates (id) on delete cascade,
    parent_id blob,
    kind text not null,
    role text not null,
    content text not null,
    client_request_id text,
    -- What made the request what it was; null where there is no request id.
    fingerprint blob,
    seq integer not null,
    -- Where the debate stood after this argument.
    state_after text not null,
    created_at integer not null,
    -- The time-ordered column first: new keys append instead of dirtying a random page each.
    unique (client_request_id, debate_id),
    unique (debate_id, seq)
) strict;

-- Title and motion, folded for searching. Apart from debates, so that the rows every write
-- touches stay small.
create table debate_search (
    debate_id blob not null primary key references debates (id) on delete cascade,
    folded text not null
) strict;

-- How many debates there are of each sort, so that a list's total costs nothing.
create table debate_counts (
    bucket text not null primary key,
    debates integer not null
) strict, without rowid;
