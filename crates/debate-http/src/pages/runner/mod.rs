//! The runner's pages.

mod commands;
mod export;
mod new_run;
mod run;

pub(crate) use commands::{
    cancel, confirm_cancellation, confirm_deletion, delete, resume, retry, start, stop,
};
pub(crate) use export::{export_html, export_json, export_markdown};
pub(crate) use new_run::{create, show_form};
pub(crate) use run::{list, run, turns};
