//! Revoked sessions, for both engines.

use debate_core::SessionDigest;
use jiff::Timestamp;

use crate::sql::{Columns, Query, Read, Step, Value, Writes};

const REVOKE: &str = "insert into revoked_sessions (digest, expires_at) values ($1, $2)
     on conflict (digest) do nothing";

const REMOVE_EXPIRED: &str = "delete from revoked_sessions where expires_at <= $1";

const FIND: &str = "select digest from revoked_sessions where digest = $1";

pub(crate) fn revoke<'s, R: Columns + 's>(
    session: SessionDigest,
    expires: Timestamp,
    now: Timestamp,
) -> Step<'s, R, ()> {
    let mut writes = Writes::default();
    writes.push(REMOVE_EXPIRED, vec![now.into()]);
    writes.push(REVOKE, vec![digest(session), expires.into()]);
    Step::Done((), writes)
}

pub(crate) fn is_revoked<'s, R: Columns + 's>(session: SessionDigest) -> Read<'s, R, bool> {
    Read::new(vec![Query::new(FIND, vec![digest(session)])], |found| Ok(found.any(0)))
}

fn digest(session: SessionDigest) -> Value<'static> {
    session.as_bytes().to_vec().into()
}
