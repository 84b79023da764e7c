//! How the runner's answers are understood: bare bodies, a `Link` to the next page, and the events
//! of a debate that runs.

use debate_wire::arena::Deleted;
use debate_wire::runner::{Delta, ListedDebate, Notice, Reason, StatusEvent, Turn};
use serde::de::DeserializeOwned;

use super::{Answer, Streamed};

/// A bare body.
pub(crate) fn bare<T: DeserializeOwned>(answer: &Answer) -> Option<T> {
    serde_json::from_slice(&answer.body).ok()
}

/// An answer that is nothing but its status.
pub(crate) fn nothing(answer: &Answer) -> Option<()> {
    (answer.status == 204).then_some(())
}

/// The same for a deletion.
pub(crate) fn deletion(answer: &Answer) -> Option<Deleted> {
    nothing(answer).map(|()| Deleted { deleted: true })
}

/// A page of debates.
pub(crate) struct Page {
    pub(crate) debates: Vec<ListedDebate>,
    pub(crate) next_cursor: Option<String>,
}

/// A list, and where it goes on.
pub(crate) fn page(answer: &Answer) -> Option<Page> {
    let next_cursor = answer.link.as_deref().and_then(next_cursor);
    bare(answer).map(|debates| Page { debates, next_cursor })
}

/// The cursor in the address that a `Link` header calls `next`.
fn next_cursor(link: &str) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let address = next.split_once('<')?.1.split_once('>')?.0;
    let query = address.split_once('?')?.1;
    let fields: Vec<(String, String)> = serde_urlencoded::from_str(query).ok()?;
    fields.into_iter().find(|(name, _)| name == "cursor").map(|(_, value)| value)
}

/// What comes off the stream of a debate that runs.
#[derive(Debug, Clone)]
pub(crate) enum RunEvent {
    /// A turn.
    Turn(Box<Turn>),
    /// Where the debate stands.
    Status(StatusEvent),
    /// More of an answer that is being given.
    Delta(Delta),
    /// The position was none of this debate's; all of it follows.
    Reset,
    /// No more will come; None if all had been seen before.
    End(Option<Reason>),
    /// The connection is gone; come back.
    Lost(String),
}

impl Streamed for RunEvent {
    fn read(name: &str, _: Option<&str>, data: &str) -> Option<serde_json::Result<Self>> {
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

    fn over() -> Self {
        Self::End(None)
    }

    fn lost(why: String) -> Self {
        Self::Lost(why)
    }
}

#[cfg(test)]
mod tests {
    use super::next_cursor;

    #[test]
    fn the_next_page_is_found_in_the_link() {
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
