//! Rows of debates and arguments, decoded by the names of their columns.

use debate_app::StoreError;
use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};

use crate::sql::Row;

/// Decodes a row of debates, with the state that its newest argument led to.
pub(crate) fn head(row: &Row) -> Result<Head, StoreError> {
    Ok(Head {
        debate: Debate {
            id: DebateId::new(row.id("id")?),
            title: row.text("title")?,
            debate_type: row.parsed("debate_type", |name| DebateType::from_name(&name))?,
            state: row.parsed("state", |name| State::from_name(&name))?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
        },
        last_seq: Seq::new(row.count("last_seq")?),
        auto_ruling: row.maybe_flag("auto_ruling")?,
    })
}

/// Decodes a row of arguments.
pub(crate) fn stored_argument(row: &Row) -> Result<StoredArgument, StoreError> {
    let fingerprint = row.maybe_digest("fingerprint")?;
    let argument = Argument {
        id: ArgumentId::new(row.id("id")?),
        debate: DebateId::new(row.id("debate_id")?),
        parent: row.maybe_id("parent_id")?.map(ArgumentId::new),
        kind: row.parsed("kind", |name| ArgumentType::from_name(&name))?,
        role: row.parsed("role", |name| Role::from_name(&name))?,
        content: row.text("content")?,
        request_key: row.maybe_text("client_request_id")?,
        seq: Seq::new(row.count("seq")?),
        created_at: row.time("created_at")?,
        state_after: row.parsed("state_after", |name| State::from_name(&name))?,
    };
    Ok(StoredArgument { argument, fingerprint: fingerprint.map(Fingerprint::from_bytes) })
}
