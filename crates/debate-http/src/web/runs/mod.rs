//! The runner's pages: a list, a debate as it runs, and the form that starts one.

mod act;
mod chart;
mod dismiss;
mod export;
mod figures;
mod list;
mod new;
mod overview;
mod run;
mod sight;
mod turn;
mod view;

pub(crate) use act::{resume, retry, start, stop};
pub(crate) use dismiss::{cancel, cancellation, delete, deletion};
pub(crate) use export::{export_json, export_markdown};
pub(crate) use list::list;
pub(crate) use new::{begin, draft};
pub(crate) use run::{run, turns};

pub(in crate::web) use new::Demo;
pub(in crate::web) use overview::{Overview, overview};
