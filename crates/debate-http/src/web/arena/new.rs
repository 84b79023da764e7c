//! Opening a debate.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::arena::Arena;
use debate_core::arena::{DebateType, Opening};
use debate_wire::arena as wire;

use super::view::type_words;
use crate::edge::Settings;
use crate::parsed::Parse;
use crate::problem::{Invalid, Problem};
use crate::web::face::explained;
use crate::web::form::{Form, new_key};
use crate::web::page::{Frame, Part, Visitor};

/// What the form's fields are called where something is wrong with them.
const NAMES: [(&str, &str); 3] =
    [("title", "The title"), ("motion_content", "The motion"), ("debate_type", "The type")];

#[derive(Template)]
#[template(path = "web/arena/new.html")]
struct NewPage {
    frame: Frame,
    filled: Filled,
    kinds: [(&'static str, &'static str); 2],
    error: Option<String>,
    /// The field that the error is about.
    field: String,
    motion_bytes_max: usize,
}

/// What stands in the form.
#[derive(Clone)]
struct Filled {
    debate_id: String,
    request_key: String,
    title: String,
    kind: String,
    motion: String,
    auto_ruling: String,
}

impl Filled {
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
    fn opening(&self, settings: &Settings) -> Result<Opening, Problem> {
        let kind = DebateType::named(&self.kind)
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
    filled: Filled,
    wrong: Option<Problem>,
) -> Response {
    let status = wrong.as_ref().map_or(StatusCode::OK, Problem::status);
    let field = wrong.as_ref().and_then(Problem::field).unwrap_or_default().to_owned();
    let new = NewPage {
        frame: visitor.frame(Part::Arena, "New debate"),
        filled,
        kinds: DebateType::ALL.map(|kind| (kind.name(), type_words(kind))),
        error: wrong.map(|problem| explained(&problem, &NAMES)),
        field,
        motion_bytes_max: settings.content_bytes_max,
    };
    visitor.page_with(status, &new)
}

/// `GET /arena/new`
pub(crate) async fn draft(State(settings): State<Arc<Settings>>, visitor: Visitor) -> Response {
    page(&visitor, &settings, Filled::nothing(), None)
}

/// `POST /arena/new`
pub(crate) async fn open(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    form: Form,
) -> Response {
    let mut filled = Filled::of(&form);
    match opened(&arena, &settings, &filled).await {
        Ok(place) => Redirect::to(&place).into_response(),
        Err(problem) => {
            // Under a name that was used for other words it would be refused again.
            if problem.is_key_reused() {
                (filled.debate_id, filled.request_key) = (new_key(), new_key());
            }
            page(&form.visitor, &settings, filled, Some(problem))
        }
    }
}

async fn opened(arena: &Arena, settings: &Settings, filled: &Filled) -> Result<String, Problem> {
    let written = arena.open(filled.opening(settings)?).await?;
    Ok(format!("/arena/{}", written.debate.id))
}
