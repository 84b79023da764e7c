//! Tables beside the contexts' own: what moving a database asks of a storage engine for them, and
//! how they are copied. Rows are copied as they are, table by table.

use std::fmt;

use async_trait::async_trait;
use debate_core::{Cell, Digest, Seal};

use crate::StoreError;

/// A table that is copied row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuxiliaryTable {
    /// Ids that debates and arguments had in an earlier server, with the UUIDs that replace them.
    OriginalIds,
    /// Ids of deleted debates.
    DeletedDebates,
    /// Sessions that were ended before they expired.
    RevokedSessions,
}

impl AuxiliaryTable {
    /// Every table, in the order in which they are copied.
    pub const ALL: [Self; 3] = [Self::OriginalIds, Self::DeletedDebates, Self::RevokedSessions];

    /// The table's name; it is part of the digest.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OriginalIds => "original_ids",
            Self::DeletedDebates => "deleted_debates",
            Self::RevokedSessions => "revoked_sessions",
        }
    }
}

/// A row as it is stored.
pub type AuxiliaryRow = Vec<Cell>;

/// A database to copy from, in one snapshot.
#[async_trait]
pub trait AuxiliarySource: Send {
    /// The next page of a table in the order of its key; empty after the last row.
    async fn auxiliary_rows_after(
        &mut self,
        table: AuxiliaryTable,
        after: Option<&AuxiliaryRow>,
    ) -> Result<Vec<AuxiliaryRow>, StoreError>;
}

/// A database to copy into, in one transaction.
#[async_trait]
pub trait AuxiliaryDestination: AuxiliarySource {
    /// Inserts rows as they are.
    async fn add_auxiliary_rows(
        &mut self,
        table: AuxiliaryTable,
        rows: &[AuxiliaryRow],
    ) -> Result<(), StoreError>;
}

/// Number of rows in all auxiliary tables, and their digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuxiliaryAccount {
    /// Number of rows.
    pub rows: u64,
    /// Digest of every row.
    pub digest: Digest,
}

impl fmt::Display for AuxiliaryAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows {}, SHA-256 {}", self.rows, self.digest)
    }
}

/// Why the auxiliary tables were not copied.
#[derive(Debug, thiserror::Error)]
pub enum AuxiliaryError {
    /// The destination has rows already.
    #[error("the table {0} of the destination is not empty; use an empty database")]
    NotEmpty(&'static str),
    /// The rows read back from the destination differ from the rows of the source.
    #[error("the copy differs from its source: {written} instead of {read}")]
    Different {
        /// Rows of the source.
        read: Box<AuxiliaryAccount>,
        /// Rows read back from the destination.
        written: Box<AuxiliaryAccount>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads every row of `source`.
pub async fn account(source: &mut dyn AuxiliarySource) -> Result<AuxiliaryAccount, AuxiliaryError> {
    walk(source, None).await
}

/// Copies every row of `source` to `destination`, whose tables must be empty, and reads them back.
pub async fn copy(
    source: &mut dyn AuxiliarySource,
    destination: &mut dyn AuxiliaryDestination,
) -> Result<AuxiliaryAccount, AuxiliaryError> {
    for table in AuxiliaryTable::ALL {
        if !destination.auxiliary_rows_after(table, None).await?.is_empty() {
            return Err(AuxiliaryError::NotEmpty(table.name()));
        }
    }
    let read = walk(source, Some(destination)).await?;
    let written = walk(destination, None).await?;
    if written != read {
        let (read, written) = (Box::new(read), Box::new(written));
        return Err(AuxiliaryError::Different { read, written });
    }
    Ok(written)
}

async fn walk(
    source: &mut dyn AuxiliarySource,
    mut into: Option<&mut dyn AuxiliaryDestination>,
) -> Result<AuxiliaryAccount, AuxiliaryError> {
    let (mut seal, mut rows) = (Seal::default(), 0);
    for table in AuxiliaryTable::ALL {
        let mut last: Option<AuxiliaryRow> = None;
        loop {
            let page = source.auxiliary_rows_after(table, last.as_ref()).await?;
            if page.is_empty() {
                break;
            }
            for row in &page {
                seal.cells(table.name(), row);
            }
            if let Some(into) = &mut into {
                into.add_auxiliary_rows(table, &page).await?;
            }
            rows += u64::try_from(page.len()).unwrap_or(u64::MAX);
            last = page.into_iter().next_back();
        }
    }
    Ok(AuxiliaryAccount { rows, digest: seal.digest() })
}
