//! Confirmations by the operator before the server opens a database file in an unusual state.

use debate_store::Consent;

use super::values::{Asked, flag};
use crate::settings::BadValue;

/// The confirmation flags of `aw serve` and `aw db migrate`.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ConsentArgs {
    /// Open the SQLite file although its write-ahead log was removed or replaced after a crash;
    /// writes that were only in that log are lost [DEBATE_ACCEPT_DATABASE_AS_IS, false]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) accept_database_as_is: Option<String>,
    /// Confirm that the earlier server is stopped before its database is migrated; needed only on
    /// systems that do not list open files (Linux does) [DEBATE_CONFIRM_CARRY_OVER, false]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) confirm_carry_over: Option<String>,
}

impl ConsentArgs {
    pub(super) fn load(&self, asked: &Asked<'_>) -> Result<Consent, BadValue> {
        let as_is = self.accept_database_as_is.as_ref();
        let carry_over = self.confirm_carry_over.as_ref();
        Ok(Consent {
            database_as_is: flag(asked.find(as_is, "DEBATE_ACCEPT_DATABASE_AS_IS"), false)?,
            carry_over: flag(asked.find(carry_over, "DEBATE_CONFIRM_CARRY_OVER"), false)?,
        })
    }
}
