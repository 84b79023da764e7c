//! How the forum's answers are understood: an envelope of their own, pages, and the events of a
//! solution that is debated.

use debate_wire::forum::{Debate, Notice, Reason, Success};
use serde::de::DeserializeOwned;

use super::{Answer, Broken, Client, REQUEST_TIME, Request, Streamed, Tried};
use crate::fault::Fault;

/// What was asked for.
pub(crate) fn told<T: DeserializeOwned>(answer: &Answer) -> Option<T> {
    serde_json::from_slice::<Success<T>>(&answer.body).ok().map(|success| success.data)
}

/// A page of a list, and where it goes on.
pub(crate) struct Leaf<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_cursor: Option<String>,
}

/// The same for a list.
pub(crate) fn leaf<T: DeserializeOwned>(answer: &Answer) -> Option<Leaf<T>> {
    let success = serde_json::from_slice::<Success<Vec<T>>>(&answer.body).ok()?;
    let next_cursor = success.meta.and_then(|meta| meta.next_cursor);
    Some(Leaf { items: success.data, next_cursor })
}

impl Client {
    /// Asks for a write that the server knows by no name. If its answer is lost, it may have been
    /// done: so it is looked for among the newest of the caller's own before it is asked for again.
    pub(crate) async fn make<T: DeserializeOwned>(
        &self,
        wish: &Request,
        own: &Request,
        is_it: impl Fn(&T) -> bool,
    ) -> Result<T, Fault> {
        let mut patience = self.patience(self.retry_deadline);
        let mut may_be_done = false;
        loop {
            if may_be_done {
                let asked = self.ask_for(own, leaf::<T>).await.outcome?;
                if let Some(found) = asked.items.into_iter().find(&is_it) {
                    return Ok(found);
                }
            }
            let sent = self.line.send(wish, REQUEST_TIME).await;
            let arrived = !matches!(sent, Err(Broken::NoConnection(_)));
            let tried = match sent {
                Ok(answer) => self.judge(&answer, told::<T>),
                Err(broken) => self.broken(&broken),
            };
            let (fault, after) = match tried {
                Tried::Done(made) => return Ok(made),
                Tried::Refused(fault) => return Err(fault),
                Tried::Again(fault, after) => (fault, after),
            };
            // What the server itself declines it has not done.
            may_be_done = arrived && matches!(fault, Fault::Unreachable { .. });
            patience.pause(fault, after, self.notes).await?;
        }
    }
}

/// What comes off the stream of a solution.
#[derive(Debug)]
pub(crate) enum ForumEvent {
    /// Something became visible, or its status changed; and its place in the feed.
    Debate(Box<Debate>, Option<String>),
    /// The position was none of this feed; all of it follows.
    Reset,
    /// The solution is gone.
    Gone,
    /// The connection is gone; come back.
    Lost(String),
}

impl Streamed for ForumEvent {
    fn read(name: &str, id: Option<&str>, data: &str) -> Option<serde_json::Result<Self>> {
        match name {
            "debate" => {
                let place = id.map(str::to_owned);
                Some(serde_json::from_str(data).map(|debate| Self::Debate(debate, place)))
            }
            "reset" => Some(Ok(Self::Reset)),
            "end" => Some(serde_json::from_str::<Notice>(data).map(|notice| match notice.reason {
                Reason::SolutionDeleted => Self::Gone,
                Reason::UnknownPosition => Self::Reset,
                // Whoever comes back is told what to do about it.
                Reason::KeyNotValid => Self::Lost("the key is no longer valid".to_owned()),
            })),
            _ => None,
        }
    }

    fn over() -> Self {
        Self::Lost("the server ended the stream".to_owned())
    }

    fn lost(why: String) -> Self {
        Self::Lost(why)
    }
}
