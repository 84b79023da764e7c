//! The form for a new debate.

use askama::Template;
use debate_core::arena::DebateType;
use debate_render::arena::type_label;

use crate::frame::{ArbitratorAccess, Frame, PageRequest, Section};
use crate::new_request_key;
use crate::outcome::{ErrorReport, PageOutcome};

/// The labels of the fields in error messages.
const LABELS: [(&str, &str); 3] =
    [("title", "The title"), ("motion_content", "The motion"), ("debate_type", "The type")];

#[derive(Template)]
#[template(path = "arena/new.html")]
struct NewDebatePage {
    frame: Frame,
    form: DebateForm,
    /// Name and label of each type.
    types: [(&'static str, &'static str); 2],
    error: Option<String>,
    /// The field that the error is about.
    field: String,
    motion_bytes_max: usize,
    /// Whether the debate gets seats.
    has_seats: bool,
}

/// The values of the form, as the browser sends them.
#[derive(Debug, Clone)]
pub struct DebateForm {
    /// The id that the debate gets.
    pub debate_id: String,
    /// The idempotency key of the form.
    pub request_key: String,
    /// The title of the debate.
    pub title: String,
    /// The name of the debate's type.
    pub debate_type: String,
    /// The text of the motion.
    pub motion: String,
    /// Whether the server rules after a resolution: `true`, `false`, or empty for its default.
    pub auto_ruling: String,
}

impl Default for DebateForm {
    fn default() -> Self {
        Self {
            debate_id: new_request_key(),
            request_key: new_request_key(),
            title: String::new(),
            debate_type: DebateType::General.name().to_owned(),
            motion: String::new(),
            auto_ruling: String::new(),
        }
    }
}

impl DebateForm {
    /// Replaces the id and the idempotency key. With keys of another request the server would
    /// refuse the form again.
    pub fn renew_keys(&mut self) {
        (self.debate_id, self.request_key) = (new_request_key(), new_request_key());
    }
}

/// The form with its values, and with the error of its last submission.
#[must_use]
pub fn new_debate(
    request: &PageRequest,
    form: DebateForm,
    motion_bytes_max: usize,
    error: Option<&ErrorReport>,
) -> PageOutcome {
    let page = NewDebatePage {
        frame: request.frame(Section::Arena, "New debate"),
        form,
        types: DebateType::ALL
            .map(|debate_type| (debate_type.name(), type_label(debate_type.into()))),
        error: error.map(|error| error.explain(&LABELS)),
        field: ErrorReport::field_name(error),
        motion_bytes_max,
        has_seats: request.arbitrator != ArbitratorAccess::NotConfigured,
    };
    PageOutcome::of_form(request.render(&page), error)
}
