//! The runner's pages: a list, a debate as it runs, and the form that starts one.

mod chart;
mod commands;
mod confirmations;
mod export;
mod figures;
mod list;
mod new;
mod overview;
mod run;
mod run_view;
mod turn;
mod view;

pub(crate) use commands::{resume, retry, start, stop};
pub(crate) use confirmations::{cancel, cancellation, delete, deletion};
pub(crate) use export::{export_html, export_json, export_markdown};
pub(crate) use list::list;
pub(crate) use new::{begin, draft};
pub(crate) use run::{run, turns};

pub(in crate::pages) use new::Demo;
pub(in crate::pages) use overview::{Overview, overview};
