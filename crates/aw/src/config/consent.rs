//! What an operator has to agree to before a database file is opened in an unusual state.

use debate_store::Consent;

use super::values::{Asked, flag};
use crate::settings::BadValue;

/// Agreements that `aw serve` and `aw db migrate` take.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ConsentArgs {
    /// Open the SQLite file although its write-ahead log was removed or replaced after a server was
    /// killed; what was only in that log is lost [DEBATE_ACCEPT_DATABASE_AS_IS, false]
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true")]
    pub(crate) accept_database_as_is: Option<String>,
    /// Confirm that the earlier server is stopped whose database is to be carried over; needed only
    /// where the system does not show open files, as Linux does [DEBATE_CONFIRM_CARRY_OVER, false]
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
