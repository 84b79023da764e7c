//! The arena's pages: lists of debates, a debate, the form for a new one, and arbitration.

mod arbitration;
mod debate;
mod list;
mod new_debate;
mod overview;
mod rights;
mod seats;
mod view;
mod window;

pub use arbitration::{
    ArbitrationInput, ArbitratorAction, arbitration_form, arbitration_preview, deletion,
};
pub use debate::{debate, new_arguments, permalink};
pub use list::{DebateFilter, list};
pub use new_debate::{DebateForm, new_debate};
pub use overview::{DebateOverview, overview};
pub use window::Window;

pub(crate) use view::DebateRow;
