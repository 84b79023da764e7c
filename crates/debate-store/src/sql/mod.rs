//! What every context's statements are made of, whatever the engine: values on their way in, rows
//! on their way out, and operations told as what they ask and what follows.

mod columns;
mod moved;
mod step;
mod value;

pub(crate) use columns::{Columns, Misfit};
pub(crate) use moved::{Kind, Moved, moved, value};
pub(crate) use step::{Query, Read, Rows, Step, Words, Writes};
pub(crate) use value::Value;
