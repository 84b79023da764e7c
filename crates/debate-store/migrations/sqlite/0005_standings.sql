-- Where debates stand, apart from what they are.
--
-- A debate stands where its newest argument left it, so a write need not touch the debate's own
-- row: that would be a page of its own to log for nearly every request, since ids are random. What
-- lists go by is kept in a table of its own, in the order of time: new standings append, and the
-- old ones that they replace lie together.

create table standings (
    updated_at integer not null,
    debate_id blob not null,
    state text not null,
    last_seq integer not null,
    primary key (updated_at, debate_id)
) strict, without rowid;

insert into standings (updated_at, debate_id, state, last_seq)
select updated_at, id, state, last_seq from debates order by updated_at, id;

create index standings_by_state on standings (state, updated_at, debate_id);
create index standings_unopposed on standings (updated_at, debate_id)
    where last_seq = 1 and state = 'AWAITING_OPPONENT';

-- The short columns come first: whoever asks where a debate stands need not read through all that
-- was said last.
alter table arguments rename to old_arguments;

create table arguments (
    id blob not null primary key,
    debate_id blob not null references debates (id) on delete cascade,
    parent_id blob,
    kind text not null,
    role text not null,
    seq integer not null,
    -- Where the debate stood after this argument.
    state_after text not null,
    created_at integer not null,
    -- When the debate counts as changed by it, where that is not its own time. Only debates that
    -- were carried over from elsewhere have it.
    updated_after integer,
    client_request_id text,
    -- What made the request what it was; null where there is no request id.
    fingerprint blob,
    content text not null,
    -- The time-ordered column first: new keys append instead of dirtying a random page each.
    unique (client_request_id, debate_id),
    unique (debate_id, seq)
) strict;

insert into arguments
    (id, debate_id, parent_id, kind, role, seq, state_after, created_at, updated_after,
     client_request_id, fingerprint, content)
select a.id, debate_id, parent_id, kind, role, seq, state_after, a.created_at,
       iif(seq = last_seq and a.created_at <> updated_at, updated_at, null),
       client_request_id, fingerprint, content
from old_arguments a left join debates d on d.id = debate_id order by a.rowid;

drop table old_arguments;

drop index debates_by_time;
drop index debates_by_state;
drop index debates_unopposed;
alter table debates drop column state;
alter table debates drop column last_seq;
alter table debates drop column updated_at;
