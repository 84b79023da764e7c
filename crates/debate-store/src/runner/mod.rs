//! What both engines share of the runner: how each operation goes, its statements, and what a row
//! means. An engine loads, asks here, and keeps the answer in the same transaction.

mod archive;
mod change;
mod decide;
mod listing;
mod rows;
pub(crate) mod statements;

pub(crate) use crate::sql::{Columns, Value};
pub(crate) use archive::{all_of, unreadable};
pub(crate) use change::{Change, DayChange, Writes};
pub(crate) use decide::{
    Beginning, Earlier, Settling, begin, command, create, day_of, delete, nothing_due, put_off,
    renew, said, settle, take,
};
pub(crate) use listing::{Bounds, page_of};
pub(crate) use rows::{booked, call, cost, counted, cursor, day, keyed, record, seq, turn};

/// A page of what is new ends after so many turns, or so many bytes of what was said.
pub(crate) const PAGE_TURNS_MAX: i64 = 50;
pub(crate) const PAGE_BYTES_MAX: i64 = 1024 * 1024;
