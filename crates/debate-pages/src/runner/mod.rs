//! The runner's pages: the list of runs, a run with its live updates, and the form for a new one.

mod commands;
mod figures;
mod list;
mod new_run;
mod run;
mod view;

pub use commands::{cancellation, command_outcome, deletion};
pub use list::{RunFilter, RunOverview, list, overview};
pub use new_run::{NotANumber, RunForm, new_run};
pub use run::{RunUsage, new_turns, run};

pub(crate) use new_run::DemoForm;
