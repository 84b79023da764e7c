//! Responses of the forum: their envelope, pages, and the events of a thread.

use debate_net::NetError;
use debate_wire::forum::{Debate, Notice, Reason, Success};
use serde::de::DeserializeOwned;

use super::{
    ApiRequest, ApiResponse, Attempted, Client, REQUEST_TIMEOUT, ServerEvent, TransportError,
};
use crate::failure::Failure;

/// The data in the forum's envelope.
pub(crate) fn forum_data<T: DeserializeOwned>(response: &ApiResponse) -> Option<T> {
    serde_json::from_slice::<Success<T>>(&response.body).ok().map(|success| success.data)
}

/// A page of a list, and the cursor of the next page.
pub(crate) struct ForumPage<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_cursor: Option<String>,
}

/// A page in the forum's envelope.
pub(crate) fn forum_page<T: DeserializeOwned>(response: &ApiResponse) -> Option<ForumPage<T>> {
    let success = serde_json::from_slice::<Success<Vec<T>>>(&response.body).ok()?;
    let next_cursor = success.meta.and_then(|meta| meta.next_cursor);
    Some(ForumPage { items: success.data, next_cursor })
}

impl Client {
    /// Sends a write that has no idempotency key. If the answer is lost, the write may have
    /// happened, so the newest of the caller's own items (`own`) are searched before a retry.
    pub(crate) async fn create<T: DeserializeOwned>(
        &self,
        write: &ApiRequest,
        own: &ApiRequest,
        is_created: impl Fn(&T) -> bool,
    ) -> Result<T, Failure> {
        let mut budget = self.retry_budget(self.retry_deadline);
        let mut may_exist = false;
        loop {
            if may_exist {
                let page = self.request_with(own, forum_page::<T>).await.outcome?;
                if let Some(found) = page.items.into_iter().find(&is_created) {
                    return Ok(found);
                }
            }
            let sent = self.http.send(write, REQUEST_TIMEOUT).await;
            let was_sent = !matches!(sent, Err(TransportError::Net(NetError::Connect(_))));
            let attempted = match sent {
                Ok(response) => self.classify(&response, forum_data::<T>),
                Err(error) => self.classify_error(&error),
            };
            let (failure, retry_after) = match attempted {
                Attempted::Success(created) => return Ok(created),
                Attempted::Rejected(failure) => return Err(failure),
                Attempted::Retryable(failure, retry_after) => (failure, retry_after),
            };
            // The server did not execute a request that it declined.
            may_exist = was_sent && matches!(failure, Failure::Unreachable { .. });
            budget.pause(failure, retry_after, self.notes).await?;
        }
    }
}

/// An event of the thread of a solution.
#[derive(Debug)]
pub(crate) enum ForumEvent {
    /// A post became visible or changed its status; and its position in the feed.
    Debate(Box<Debate>, Option<String>),
    /// The position is not of this feed; all posts follow.
    Reset,
    /// The solution was deleted.
    Gone,
    /// The connection was lost; the caller reconnects.
    Lost(String),
}

impl ServerEvent for ForumEvent {
    fn decode(name: &str, id: Option<&str>, data: &str) -> Option<serde_json::Result<Self>> {
        match name {
            "debate" => {
                let position = id.map(str::to_owned);
                Some(serde_json::from_str(data).map(|debate| Self::Debate(debate, position)))
            }
            "reset" => Some(Ok(Self::Reset)),
            "end" => Some(serde_json::from_str::<Notice>(data).map(|notice| match notice.reason {
                Reason::SolutionDeleted => Self::Gone,
                Reason::UnknownPosition => Self::Reset,
                // The reconnect fails with a message that says what to do.
                Reason::KeyNotValid => Self::Lost("the key is no longer valid".to_owned()),
            })),
            _ => None,
        }
    }

    fn end() -> Self {
        Self::Lost("the server ended the stream".to_owned())
    }

    fn lost(cause: String) -> Self {
        Self::Lost(cause)
    }
}
