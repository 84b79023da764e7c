//! The arena's pages.

mod arbitration;
mod debate;
mod export;
mod new_debate;

pub(crate) use arbitration::{arbitrate, intervene, rule};
pub(crate) use debate::{
    confirm_deletion, debate, delete, entries, list, old_address, old_list_address,
};
pub(crate) use export::{export_html, export_json, export_markdown};
pub(crate) use new_debate::{create, show_form};
