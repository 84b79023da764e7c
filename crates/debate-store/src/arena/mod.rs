//! What both engines share of the arena: how a write goes, and what it owes at its end.

mod effects;
mod ledger;
mod listing;
mod rows;

pub(crate) use effects::{Effects, counts_towards};
pub(crate) use ledger::{Ledger, append, delete, open};
pub(crate) use listing::{ListedRow, Narrowed, page_of};
pub(crate) use rows::{head, stored_argument};

/// A page ends after so many bytes of content, or so many rows: what a client that takes its time
/// holds on to while it does.
pub(crate) const PAGE_BYTES_MAX: usize = 64 * 1024;
pub(crate) const PAGE_ROWS_MAX: usize = 256;

/// How many searches wait for a connection at most; the next one is refused.
pub(crate) const SEARCH_QUEUE_MAX: usize = 8;

/// What is newest is cut at so many bytes as well; the rest counts as left out.
pub(crate) const NEWEST_BYTES_MAX: usize = 256 * 1024;
