//! The auxiliary tables, copied row by row.

use debate_app::auxiliary::AuxiliaryTable;

use crate::sql::{Moved, moved};

static ORIGINAL_IDS: Moved = moved!(
    "original_ids",
    "kind, original",
    "$1, $2",
    2,
    "$1, $2, $3",
    ["kind" Text, "original" Text, "id" Id]
);

static DELETED_DEBATES: Moved = moved!(
    "deleted_debates",
    "id",
    "$1",
    1,
    "$1, $2",
    ["id" Id, "deleted_at" Number]
);

static REVOKED_SESSIONS: Moved = moved!(
    "revoked_sessions",
    "digest",
    "$1",
    1,
    "$1, $2",
    ["digest" Bytes, "expires_at" Number]
);

/// The statements and columns of a table.
pub(crate) const fn auxiliary_table(table: AuxiliaryTable) -> &'static Moved {
    match table {
        AuxiliaryTable::OriginalIds => &ORIGINAL_IDS,
        AuxiliaryTable::DeletedDebates => &DELETED_DEBATES,
        AuxiliaryTable::RevokedSessions => &REVOKED_SESSIONS,
    }
}
