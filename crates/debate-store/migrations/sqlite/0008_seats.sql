-- Layout 8.
--
-- Section: slugs. Every debate has one; the server fills the column in the transaction of this
-- migration. The tombstone of a deleted debate keeps the slug, which is never used again. Debates
-- that were deleted before this layout have none.
alter table debates add column slug text;
create unique index debates_by_slug on debates (slug);
alter table deleted_debates add column slug text;
create unique index deleted_debates_by_slug on deleted_debates (slug) where slug is not null;

-- Section: seats. The number of changes of the debate's seats; null in a debate without seats.
alter table debates add column seat_changes integer;
-- SHA-256 of the invite, if only invited participants may take a seat.
alter table debates add column invite blob;
-- Fingerprint of the fields about seats in the request that opened the debate; null without such
-- fields.
alter table debates add column seat_fields blob;

-- A seat without a row was never taken. A row without a holder is a released seat.
create table seats (
    debate_id blob not null references debates (id) on delete cascade,
    side text not null check (side in ('opponent', 'proposer')),
    holder text,
    -- SHA-256 of the seat token.
    token blob,
    -- UTC microseconds.
    since integer,
    primary key (debate_id, side),
    check ((holder is null) = (token is null) and (holder is null) = (since is null))
) strict, without rowid;

-- Section: authors. The name of an argument's author; null where it is not known.
alter table arguments add column author text;

update arguments set author = 'server'
where kind = 'RULING' and client_request_id is null and exists (
    select 1 from arguments before
    where before.debate_id = arguments.debate_id and before.seq = arguments.seq - 1
      and before.kind = 'RESOLUTION');

-- Section: login codes. A code is deleted when it is used.
create table login_codes (
    -- SHA-256 of the code.
    digest blob not null primary key,
    -- UTC microseconds.
    expires_at integer not null
) strict, without rowid;

create index login_codes_by_expiry on login_codes (expires_at);

-- Section: views, with slugs, seats and authors.
drop view debates_view;
create view debates_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    slug, title, debate_type, original_type, state, last_seq, auto_ruling,
    seat_changes is not null as seats,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at,
    strftime('%Y-%m-%dT%H:%M:%S', updated_at / 1000000, 'unixepoch')
        || printf('.%06dZ', updated_at % 1000000) as updated_at
from standings cross join debates on id = debate_id;

drop view arguments_view;
create view arguments_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(debate_id), 1, 8) || '-' || substr(hex(debate_id), 9, 4)
        || '-' || substr(hex(debate_id), 13, 4) || '-' || substr(hex(debate_id), 17, 4)
        || '-' || substr(hex(debate_id), 21)) as debate_id,
    nullif(lower(substr(hex(parent_id), 1, 8) || '-' || substr(hex(parent_id), 9, 4)
        || '-' || substr(hex(parent_id), 13, 4) || '-' || substr(hex(parent_id), 17, 4)
        || '-' || substr(hex(parent_id), 21)), '----') as parent_id,
    seq, kind, role, author, content, state_after, client_request_id,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at
from arguments;
