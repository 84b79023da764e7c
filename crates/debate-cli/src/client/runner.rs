//! Responses of the runner: bare bodies, a `Link` to the next page, and the events of a run.

use debate_wire::runner::{Delta, ListedDebate, Notice, Reason, StatusEvent, Turn};
use serde::de::DeserializeOwned;

use super::{ApiResponse, ServerEvent};

/// A body without an envelope.
pub(crate) fn parse_body<T: DeserializeOwned>(response: &ApiResponse) -> Option<T> {
    serde_json::from_slice(&response.body).ok()
}

/// A response without a body.
pub(crate) fn parse_empty_body(response: &ApiResponse) -> Option<()> {
    (response.status == 204).then_some(())
}

/// A page of runs, and the cursor of the next page.
pub(crate) struct RunListing {
    pub(crate) debates: Vec<ListedDebate>,
    pub(crate) next_cursor: Option<String>,
}

/// A list of runs.
pub(crate) fn parse_run_listing(response: &ApiResponse) -> Option<RunListing> {
    let next_cursor = response.link.as_deref().and_then(next_cursor);
    parse_body(response).map(|debates| RunListing { debates, next_cursor })
}

/// The cursor in the `next` address of a `Link` header.
fn next_cursor(link: &str) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let address = next.split_once('<')?.1.split_once('>')?.0;
    let query = address.split_once('?')?.1;
    let fields: Vec<(String, String)> = serde_urlencoded::from_str(query).ok()?;
    fields.into_iter().find(|(name, _)| name == "cursor").map(|(_, value)| value)
}

/// An event of a run.
#[derive(Debug, Clone)]
pub(crate) enum RunEvent {
    /// A turn that is complete and saved.
    Turn(Box<Turn>),
    /// The status of the run.
    Status(StatusEvent),
    /// More text of the turn in progress.
    Delta(Delta),
    /// The position is not of this run; all turns follow.
    Reset,
    /// No event follows; None if all events were seen before.
    End(Option<Reason>),
    /// The connection was lost; the caller reconnects.
    Lost(String),
}

impl ServerEvent for RunEvent {
    fn decode(name: &str, _: Option<&str>, data: &str) -> Option<serde_json::Result<Self>> {
        match name {
            "turn" => Some(serde_json::from_str(data).map(Self::Turn)),
            "status" => Some(serde_json::from_str(data).map(Self::Status)),
            "delta" => Some(serde_json::from_str(data).map(Self::Delta)),
            "reset" => Some(Ok(Self::Reset)),
            "end" => {
                let notice = serde_json::from_str::<Notice>(data);
                Some(notice.map(|notice| Self::End(Some(notice.reason))))
            }
            _ => None,
        }
    }

    fn end() -> Self {
        Self::End(None)
    }

    fn lost(cause: String) -> Self {
        Self::Lost(cause)
    }
}

#[cfg(test)]
mod tests {
    use super::next_cursor;

    #[test]
    fn cursor_of_the_next_page_is_found_in_the_link() {
        let cases = [
            ("</runner/debates?limit=2&cursor=a%3D1>; rel=\"next\"", Some("a=1")),
            ("<http://x/?cursor=p>; rel=\"prev\", <http://x/?cursor=n>; rel=\"next\"", Some("n")),
            ("</runner/debates?limit=2>; rel=\"next\"", None),
            ("</runner/debates?cursor=a>; rel=\"prev\"", None),
            ("nonsense", None),
            ("", None),
        ];
        for (link, cursor) in cases {
            assert_eq!(next_cursor(link).as_deref(), cursor, "{link}");
        }
    }
}
