//! The parts of the arena's storage that both engines share.

mod counters;
mod ledger;
mod listing;
mod rows;
mod seat_changes;
mod seats;

pub(crate) use counters::{CounterChanges, counts_towards};
pub(crate) use ledger::{Ledger, append, delete, open};
pub(crate) use listing::{FilterColumns, ListedRow, PageBounds, build_page, reads_many_debates};
pub(crate) use rows::{head, stored_argument};
pub(crate) use seat_changes::{release_seat, take_seat};
pub(crate) use seats::{SeatRow, open_seats, seat_row, side_name};

/// A page of arguments ends after this number of bytes of content, or of rows. It bounds the memory
/// that a slow client occupies.
pub(crate) const PAGE_BYTES_MAX: usize = 64 * 1024;
pub(crate) const PAGE_ROWS_MAX: usize = 256;

/// Maximum number of searches that wait for a connection; the next one is refused.
pub(crate) const SEARCH_QUEUE_MAX: usize = 8;

/// Maximum size in bytes of the newest arguments of one answer; older ones count as omitted.
pub(crate) const NEWEST_BYTES_MAX: usize = 256 * 1024;
