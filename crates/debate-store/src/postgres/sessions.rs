//! Revoked sessions in PostgreSQL.

use async_trait::async_trait;
use debate_app::{SessionStore, StoreError};
use debate_core::SessionDigest;
use jiff::Timestamp;

use super::Postgres;
use super::steps::{read, transact};
use crate::sessions;

#[async_trait]
impl SessionStore for Postgres {
    async fn revoke_session(
        &self,
        session: SessionDigest,
        expires: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let revoke = || sessions::revoke(session, expires, now);
        self.writers.run(|| transact(&self.writers, revoke())).await
    }

    async fn is_session_revoked(&self, session: SessionDigest) -> Result<bool, StoreError> {
        Ok(read(&self.readers, sessions::is_revoked(session)).await?)
    }
}
