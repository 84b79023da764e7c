//! Revoked sessions.

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
}

type Revocation = (SessionDigest, Timestamp, Timestamp);

fn revoke(&(session, expires, now): &Revocation) -> Operation<'_, Commit<()>> {
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

fn digest_value(session: SessionDigest) -> Value<'static> {
    session.as_bytes().to_vec().into()
}
