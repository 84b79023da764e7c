//! Events of a debate.

use debate_wire::arena::{Notice, Reason, WriteResult};

use super::{Attempted, Client, EventStream, ServerEvent};

/// An event of a debate.
#[derive(Debug)]
pub(crate) enum DebateEvent {
    /// An argument, and the debate after it.
    Argument(Box<WriteResult>),
    /// The position is not of this debate; all arguments follow.
    Reset,
    /// The last event, with the reason for the end.
    End(Reason),
    /// The connection was lost; the caller reconnects.
    Lost(String),
}

impl ServerEvent for DebateEvent {
    fn decode(name: &str, _: Option<&str>, data: &str) -> Option<serde_json::Result<Self>> {
        match name {
            "argument" => Some(serde_json::from_str(data).map(Self::Argument)),
            "reset" => Some(Ok(Self::Reset)),
            "end" => {
                let notice = serde_json::from_str::<Notice>(data);
                Some(notice.map(|notice| Self::End(notice.reason)))
            }
            _ => None,
        }
    }

    fn end() -> Self {
        Self::End(Reason::DebateClosed)
    }

    fn lost(cause: String) -> Self {
        Self::Lost(cause)
    }
}

impl Client {
    /// Opens the stream of a debate at `path`, after the argument or the position `seen`.
    pub(crate) async fn follow(
        &self,
        path: &str,
        seen: Option<&str>,
    ) -> Attempted<EventStream<DebateEvent>> {
        self.stream(path.to_owned(), seen).await
    }
}
