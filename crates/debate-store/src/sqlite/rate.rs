//! Rate windows of a server on SQLite. One process has the file, so they need no storage: counting
//! costs no write, and reads go on where the disk takes no more.

use async_trait::async_trait;
use debate_app::{RateWindows, StoreError};
use debate_core::{Charge, RateDecision};
use jiff::Timestamp;

use super::Sqlite;

#[async_trait]
impl RateWindows for Sqlite {
    async fn admit(
        &self,
        charges: &[Charge],
        at: Timestamp,
    ) -> Result<Option<RateDecision>, StoreError> {
        self.0.windows.admit(charges, at).await
    }
}
