-- Where debates stand, apart from what they are.
--
-- A debate stands where its newest argument left it, so a write need not touch the debate's own
-- row: that would be a page of its own to log for nearly every request, since ids are random. What
-- lists go by is kept here, in the order of time: new standings append, and the old ones that they
-- replace lie together.

-- When the debate counts as changed by its newest argument, where that is not the argument's own
-- time. Only debates that were carried over from elsewhere have it.
alter table arguments add column updated_after integer;

create table standings (
    updated_at integer not null,
    debate_id blob not null,
    state text not null,
    last_seq integer not null,
    primary key (updated_at, debate_id)
) strict, without rowid;

insert into standings (updated_at, debate_id, state, last_seq)
select updated_at, id, state, last_seq from debates order by updated_at, id;

update arguments set updated_after = standings.updated_at
from standings
where arguments.debate_id = standings.debate_id and arguments.seq = standings.last_seq
  and arguments.created_at <> standings.updated_at;

drop index debates_by_time;
drop index debates_by_state;
drop index debates_unopposed;
alter table debates drop column state;
alter table debates drop column last_seq;
alter table debates drop column updated_at;

create index standings_by_state on standings (state, updated_at, debate_id);
create index standings_unopposed on standings (updated_at, debate_id)
    where last_seq = 1 and state = 'AWAITING_OPPONENT';
