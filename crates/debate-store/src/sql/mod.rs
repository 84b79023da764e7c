//! Statements, rows and operations, the same for every context and both engines.

mod operation;
mod row;

pub(crate) use operation::{
    Commit, Decoder, Group, Handle, Operation, Rows, Sql, Statement, Writes,
};
pub(crate) use row::{Row, Value, undecodable};
