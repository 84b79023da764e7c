-- Rows of the tables that layout 6 adds. The sessions expire in 2100.
insert into deleted_debates (id, deleted_at)
select randomblob(16), 1767225600000000 + number from numbers;

insert into revoked_sessions (digest, expires_at)
select randomblob(32), 4102444800000000 + number from numbers;

insert into original_ids (kind, original, id)
select 'debate', 'original ' || number, randomblob(16) from numbers;
