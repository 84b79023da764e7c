//! Revoked sessions and one-time login codes.

use async_trait::async_trait;
use debate_app::{SessionStore, StoreError};
use debate_core::SessionDigest;
use jiff::Timestamp;

use crate::engine::{Engine, ReadClass, Store};
use crate::sql::{Commit, Group, Operation, Statement, Value, Writes};

const REVOKE: &str = "insert into revoked_sessions (digest, expires_at) values ($1, $2)
     on conflict (digest) do nothing";

const REMOVE_EXPIRED: &str = "delete from revoked_sessions where expires_at <= $1";

const FIND: &str = "select digest from revoked_sessions where digest = $1";

const ADD_CODE: &str = "insert into login_codes (digest, expires_at) values ($1, $2)
     on conflict (digest) do nothing";

const REMOVE_EXPIRED_CODES: &str = "delete from login_codes where expires_at <= $1";

/// Deletes a code and returns the time at which it expires. Of two transactions that delete the
/// same row, one gets the row.
const USE_CODE: &str = "delete from login_codes where digest = $1 returning expires_at";

#[async_trait]
impl<E: Engine> SessionStore for Store<E> {
    async fn revoke_session(
        &self,
        session: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.write((session, expires, now), revoke).await
    }

    async fn is_session_revoked(&self, session: SessionDigest) -> Result<bool, StoreError> {
        self.0.read(ReadClass::Short, session, is_revoked).await
    }

    async fn add_login_code(
        &self,
        code: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.0.write((code, expires, now), add_code).await
    }

    async fn use_login_code(
        &self,
        code: SessionDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.0.write((code, now), use_code).await
    }
}

/// The digest, the time at which it expires, and the current time.
type Expiring = (SessionDigest, Timestamp, Timestamp);

fn revoke(&(session, expires, now): &Expiring) -> Operation<'_, Commit<()>> {
    let mut writes = Writes::default();
    writes.push(REMOVE_EXPIRED, vec![now.into()]);
    writes.push(REVOKE, vec![digest_value(session), expires.into()]);
    Operation::Done(Commit::new((), writes))
}

fn is_revoked(&session: &SessionDigest) -> Operation<'_, bool> {
    let mut group = Group::default();
    let found = group.push_exists(Statement::new(FIND, vec![digest_value(session)]));
    group.finish(move |rows| Ok(rows.has_any(&found)))
}

fn add_code(&(code, expires, now): &Expiring) -> Operation<'_, Commit<()>> {
    let mut writes = Writes::default();
    writes.push(REMOVE_EXPIRED_CODES, vec![now.into()]);
    writes.push(ADD_CODE, vec![digest_value(code), expires.into()]);
    Operation::Done(Commit::new((), writes))
}

fn use_code(&(code, now): &(SessionDigest, Timestamp)) -> Operation<'_, Commit<bool>> {
    let mut group = Group::default();
    let statement = Statement::new(USE_CODE, vec![digest_value(code)]);
    let expires = group.push(statement, |row| row.time("expires_at"));
    group.finish(move |rows| {
        let is_valid = rows.first(&expires)?.is_some_and(|expires| expires > now);
        Ok(Commit::unchanged(is_valid))
    })
}

fn digest_value(session: SessionDigest) -> Value<'static> {
    session.as_bytes().to_vec().into()
}
