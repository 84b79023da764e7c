//! Revoked sessions in SQLite.

use async_trait::async_trait;
use debate_app::{SessionStore, StoreError};
use debate_core::SessionDigest;
use jiff::Timestamp;

use super::Sqlite;
use super::steps::{read, transact};
use crate::sessions;

#[async_trait]
impl SessionStore for Sqlite {
    async fn revoke_session(
        &self,
        session: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let revoke = move || sessions::revoke(session, expires, now);
        self.writer.run(move |tx| Ok(transact(tx, revoke())?)).await
    }

    async fn is_session_revoked(&self, session: SessionDigest) -> Result<bool, StoreError> {
        self.readers.short(|conn| Ok(read(conn, sessions::is_revoked(session))?)).await
    }
}
