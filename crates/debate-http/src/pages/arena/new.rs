//! The form for a new debate.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::arena::Arena;
use debate_core::arena::{DebateType, NewDebate};
use debate_wire::arena as wire;

use super::view::type_label;
use crate::app_state::Settings;
use crate::extract::Parse;
use crate::pages::error_page::explain;
use crate::pages::form::{Form, new_key};
use crate::pages::page::{Frame, Section, Visitor};
use crate::problem::{Invalid, Problem};

/// The labels of the fields in error messages.
const NAMES: [(&str, &str); 3] =
    [("title", "The title"), ("motion_content", "The motion"), ("debate_type", "The type")];

#[derive(Template)]
#[template(path = "pages/arena/new.html")]
struct NewPage {
    frame: Frame,
    form_values: NewDebateForm,
    kinds: [(&'static str, &'static str); 2],
    error: Option<String>,
    /// The field that the error is about.
    field: String,
    motion_bytes_max: usize,
}

/// The values of the form.
#[derive(Clone)]
struct NewDebateForm {
    debate_id: String,
    request_key: String,
    title: String,
    kind: String,
    motion: String,
    auto_ruling: String,
}

impl NewDebateForm {
    fn nothing() -> Self {
        Self {
            debate_id: new_key(),
            request_key: new_key(),
            title: String::new(),
            kind: DebateType::General.name().to_owned(),
            motion: String::new(),
            auto_ruling: String::new(),
        }
    }

    fn of(form: &Form) -> Self {
        Self {
            debate_id: form.text("debate_id"),
            request_key: form.request_key(),
            title: form.text("title"),
            kind: form.text("debate_type"),
            motion: form.text("motion_content"),
            auto_ruling: form.text("auto_ruling"),
        }
    }

    /// By way of the contract, so that a page takes exactly what the API takes.
    fn opening(&self, settings: &Settings) -> Result<NewDebate, Problem> {
        let kind = DebateType::from_name(&self.kind)
            .ok_or_else(|| Invalid::new("debate_type", "must be one of the listed types"))?;
        let body = wire::CreateDebate {
            debate_id: Some(self.debate_id.clone()),
            title: self.title.clone(),
            debate_type: kind.into(),
            motion_content: self.motion.clone(),
            client_request_id: Some(self.request_key.clone()),
            auto_ruling: self.auto_ruling.parse().ok(),
        };
        Ok(body.parse(settings)?)
    }
}

fn page(
    visitor: &Visitor,
    settings: &Settings,
    form_values: NewDebateForm,
    wrong: Option<Problem>,
) -> Response {
    let status = wrong.as_ref().map_or(StatusCode::OK, Problem::status);
    let field = wrong.as_ref().and_then(Problem::field).unwrap_or_default().to_owned();
    let new = NewPage {
        frame: visitor.frame(Section::Arena, "New debate"),
        form_values,
        kinds: DebateType::ALL.map(|kind| (kind.name(), type_label(kind))),
        error: wrong.map(|problem| explain(&problem, &NAMES)),
        field,
        motion_bytes_max: settings.content_bytes_max,
    };
    visitor.page_with(status, &new)
}

/// `GET /arena/new`
pub(crate) async fn draft(State(settings): State<Arc<Settings>>, visitor: Visitor) -> Response {
    page(&visitor, &settings, NewDebateForm::nothing(), None)
}

/// `POST /arena/new`
pub(crate) async fn open(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    form: Form,
) -> Response {
    let mut form_values = NewDebateForm::of(&form);
    match create(&arena, &settings, &form_values).await {
        Ok(place) => Redirect::to(&place).into_response(),
        Err(problem) => {
            // With the used key the form would be refused again.
            if problem.is_key_reused() {
                (form_values.debate_id, form_values.request_key) = (new_key(), new_key());
            }
            page(&form.visitor, &settings, form_values, Some(problem))
        }
    }
}

async fn create(
    arena: &Arena,
    settings: &Settings,
    form_values: &NewDebateForm,
) -> Result<String, Problem> {
    let written = arena.open(form_values.opening(settings)?).await?;
    Ok(format!("/arena/{}", written.debate.id))
}
