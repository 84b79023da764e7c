//! The arena's pages.

mod arbitration;
mod arbitrator_form;
mod debate;
mod delete;
mod entries;
mod export;
mod list;
mod new;
mod overview;
mod view;
mod window;

pub(crate) use arbitration::{intervene, intervention, rule, ruling};
pub(crate) use debate::{debate, old_address, old_list_address};
pub(crate) use delete::{delete, deletion};
pub(crate) use entries::entries;
pub(crate) use export::{export_html, export_json, export_markdown};
pub(crate) use list::list;
pub(crate) use new::{draft, open};
pub(super) use overview::{Overview, overview};
pub(super) use view::Row;
