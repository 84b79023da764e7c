//! Pages that ask for a confirmation: before a deletion or a cancellation, and of a previewed text.

use askama::Template;

use crate::frame::Frame;

/// The question before an action that cannot be undone.
#[derive(Template)]
#[template(path = "confirmation.html")]
pub(crate) struct Confirmation {
    pub(crate) frame: Frame,
    /// `debate` or `run`.
    pub(crate) noun: &'static str,
    /// The page of the item.
    pub(crate) path: String,
    pub(crate) heading: String,
    pub(crate) status: Option<ItemStatus>,
    pub(crate) effect: String,
    /// The path of an export, for an action that deletes.
    pub(crate) export: Option<String>,
    /// The path that receives the form.
    pub(crate) action: String,
    pub(crate) button: &'static str,
}

/// The item below the heading: its title, and the CSS class and the label of its status.
pub(crate) struct ItemStatus {
    pub(crate) title: String,
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
}

/// The form below a preview (`submission.html`): it submits the text or leads back to editing.
pub(crate) struct Submission {
    /// The path that receives the form.
    pub(crate) path: String,
    pub(crate) effect: String,
    pub(crate) button: &'static str,
    /// Name and value of the hidden fields.
    pub(crate) fields: Vec<(&'static str, String)>,
}
