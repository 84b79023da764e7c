//! Rows of debates and arguments, decoded by the names of their columns.

use debate_app::StoreError;
use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Head, Role, State, StoredArgument,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};

use super::seats::open_seats;
use crate::sql::Row;

/// Decodes a row of debates, with the state that its newest argument led to. Its seats count as
/// open until their rows are added.
pub(crate) fn head(row: &Row) -> Result<Head, StoreError> {
    let seat_changes = row.maybe_count("seat_changes")?;
    Ok(Head {
        debate: Debate {
            id: DebateId::new(row.id("id")?),
            title: row.text("title")?,
            debate_type: row.parsed("debate_type", |name| DebateType::from_name(&name))?,
            state: row.parsed("state", |name| State::from_name(&name))?,
            created_at: row.time("created_at")?,
            updated_at: row.time("updated_at")?,
            slug: row.text("slug")?,
            seat_changes,
        },
        last_seq: Seq::new(row.count("last_seq")?),
        auto_ruling: row.maybe_flag("auto_ruling")?,
        seats: open_seats(seat_changes, row.maybe_digest("invite")?),
        seat_fields: row.maybe_digest("seat_fields")?.map(Fingerprint::from_bytes),
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
        by: row.maybe_text("author")?,
    };
    Ok(StoredArgument { argument, fingerprint: fingerprint.map(Fingerprint::from_bytes) })
}
