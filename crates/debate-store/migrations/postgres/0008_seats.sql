-- Layout 8.
--
-- Section: slugs. Every debate has one; the server fills the column in the transaction of this
-- migration, and then declares it not null. The tombstone of a deleted debate keeps the slug, which
-- is never used again. Debates that were deleted before this layout have none.
alter table debates add column slug text collate "C";
create unique index debates_by_slug on debates (slug);
alter table deleted_debates add column slug text collate "C";
create unique index deleted_debates_by_slug on deleted_debates (slug) where slug is not null;

-- Section: seats. The number of changes of the debate's seats; null in a debate without seats.
alter table debates add column seat_changes bigint;
-- SHA-256 of the invite, if only invited participants may take a seat.
alter table debates add column invite bytea;
-- Fingerprint of the fields about seats in the request that opened the debate; null without such
-- fields.
alter table debates add column seat_fields bytea;

-- A seat without a row was never taken. A row without a holder is a released seat. The rows of a
-- debate are read and written under the lock of the debate's row.
create table seats (
    debate_id uuid not null references debates (id) on delete cascade,
    side text collate "C" not null check (side in ('opponent', 'proposer')),
    holder text,
    -- SHA-256 of the seat token.
    token bytea,
    -- UTC microseconds.
    since bigint,
    primary key (debate_id, side),
    check ((holder is null) = (token is null) and (holder is null) = (since is null))
);

-- Section: authors. The name of an argument's author; null where it is not known.
alter table arguments add column author text;

update arguments set author = 'server'
from arguments before
where arguments.kind = 'RULING' and arguments.client_request_id is null
  and before.debate_id = arguments.debate_id and before.seq = arguments.seq - 1
  and before.kind = 'RESOLUTION';

-- Section: login codes. A code is deleted when it is used.
create table login_codes (
    -- SHA-256 of the code.
    digest bytea not null primary key,
    -- UTC microseconds.
    expires_at bigint not null
);

create index login_codes_by_expiry on login_codes (expires_at);

-- Section: views, with slugs, seats and authors.
drop view debates_view;
create view debates_view as
select
    id::text as id, slug, title, debate_type, original_type, state, last_seq, auto_ruling,
    seat_changes is not null as seats,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(timestamp 'epoch' + updated_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
from debates cross join (select) as read_only;

drop view arguments_view;
create view arguments_view as
select
    id::text as id, debate_id::text as debate_id, parent_id::text as parent_id, seq, kind, role,
    author, content, state_after, client_request_id,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from arguments cross join (select) as read_only;
