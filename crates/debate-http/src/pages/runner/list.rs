//! The list of debates that run themselves: filtered, a page at a time.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::runner::Runner;
use debate_core::runner::Status;
use debate_wire::runner as wire;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::new::Demo;
use super::view::Row;
use crate::app_state::Settings;
use crate::cursor;
use crate::extract::Parse;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "pages/runner/list.html")]
struct ListPage {
    frame: Frame,
    choices: Vec<FilterLink>,
    rows: Vec<Row>,
    next: Option<String>,
    is_first: bool,
    /// Whether there is nothing at all.
    is_empty: bool,
    was_deleted: bool,
    demo: Demo,
}

/// One of the filters above the list.
struct FilterLink {
    words: &'static str,
    link: String,
    is_chosen: bool,
}

/// The parameters of the address.
struct ListParams {
    status: String,
    cursor: Option<String>,
}

impl ListParams {
    fn query(&self) -> wire::ListQuery {
        wire::ListQuery {
            status: Some(self.status.clone()),
            limit: Some(PAGE_ROWS.to_owned()),
            cursor: self.cursor.clone(),
        }
    }

    fn choices(&self) -> Vec<FilterLink> {
        let filters = [
            ("All", ""),
            ("Running", Status::Running.name()),
            ("Stopping", Status::Stopping.name()),
            ("Failed", Status::Failed.name()),
            ("Stopped", Status::Stopped.name()),
            ("Created", Status::Created.name()),
            ("Completed", Status::Completed.name()),
            ("Cancelled", Status::Canceled.name()),
        ];
        let choice = |(words, status)| FilterLink {
            words,
            link: link(status, None),
            is_chosen: self.status == status,
        };
        filters.into_iter().map(choice).collect()
    }
}

fn link(status: &str, cursor: Option<&str>) -> String {
    let given = [("status", Some(status)), ("cursor", cursor)].into_iter();
    let given = given.filter_map(|(name, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some(format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)))
    });
    let query = given.collect::<Vec<_>>().join("&");
    if query.is_empty() { "/runs".to_owned() } else { format!("/runs?{query}") }
}

/// `GET /runs`
pub(crate) async fn list(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let params = ListParams {
        status: asked.text("status").unwrap_or_default(),
        cursor: asked.text("cursor"),
    };
    let page = runner.list(params.query().parse(&settings)?).await?;
    let rows: Vec<_> = page.runs.iter().map(Row::from).collect();
    let next = page.next.map(|next| cursor::render(next.updated_at, next.run));
    let was_deleted = asked.text("deleted").is_some();
    Ok(visitor.page(&list_page(&visitor, &params, rows, next.as_deref(), was_deleted)))
}

fn list_page(
    visitor: &Visitor,
    params: &ListParams,
    rows: Vec<Row>,
    next: Option<&str>,
    was_deleted: bool,
) -> ListPage {
    let is_first = params.cursor.is_none();
    ListPage {
        frame: visitor.frame(Section::Runner, "Runs"),
        choices: params.choices(),
        is_empty: rows.is_empty() && is_first && params.status.is_empty(),
        rows,
        next: next.map(|cursor| link(&params.status, Some(cursor))),
        is_first,
        was_deleted,
        demo: Demo::new(visitor.form_token()),
    }
}
