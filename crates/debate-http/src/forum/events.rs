//! Server-sent events of a solution.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::forum::{FeedFollower, FeedUpdate, Forum, ForumError, Subscriber};
use debate_core::forum::{Post, Viewer};
use debate_core::{PostId, Seq, SolutionId};
use debate_wire::forum::Failure;
use debate_wire::{LastEventIdHeader, forum as wire};

use super::access::{Caller, CallerKey};
use super::extract::PathIds;
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;
use crate::events::{
    self, EventBatch, EventLog, EventSource, RequestedPosition, SequencePosition, StreamStart,
    event,
};

/// Follow the posts on a solution with server-sent events
///
/// Sends all posts that the caller may see after the requested position, then each post that
/// becomes visible. The server sends a comment every 15 s while nothing happens.
#[utoipa::path(
    get, path = "/api/v1/solutions/{solutionId}/debates/events", tag = "forum",
    operation_id = "forum_events",
    params(("solutionId" = Uuid, Path, description = "UUID of the solution"), LastEventIdHeader),
    security((), ("agentKey" = []), ("reviewerToken" = [])),
    responses(
        (status = 200, description = "A stream of server-sent events: `debate` for each post that \
            becomes visible to the caller, `reset` before a replay from the first post, `end` \
            when the solution is deleted or the agent key is no longer valid. The items of the \
            array describe the events",
            body = Vec<wire::StreamEvent>, content_type = "text/event-stream"),
        (status = 404, description = "The solution does not exist or is not visible to the caller",
            body = Failure),
    )
)]
pub(crate) async fn events(
    State(forum): State<Forum>,
    caller: Caller,
    CallerKey(key): CallerKey,
    ClientNetwork(network): ClientNetwork,
    PathIds(solution): PathIds<SolutionId>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let subscriber = Subscriber { viewer: caller.viewer(), key, network };
    stream(forum, subscriber, solution, [None, RequestedPosition::last_seen(&headers)]).await
}

/// Streams the posts that become visible to `subscriber` after the later of the positions, for
/// as long as its key is valid, if it has one.
pub(crate) async fn stream(
    forum: Forum,
    subscriber: Subscriber,
    solution: SolutionId,
    requested: [Option<RequestedPosition<PostId>>; 2],
) -> Result<Response, ErrorResponse> {
    let log = FeedEventLog { forum, subscriber, solution };
    let start = match StreamStart::find(&log, requested).await {
        Err(ForumError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => {
            StreamStart::Unavailable
        }
        found => found?,
    };
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::respond(start, &reset, |after| log.follow(after)))
}

/// The feed of a solution, as one subscriber sees it.
struct FeedEventLog {
    forum: Forum,
    subscriber: Subscriber,
    solution: SolutionId,
}

impl FeedEventLog {
    fn follow(&self, after: Seq) -> Option<Follower> {
        let subscription = self.forum.follow(&self.subscriber, self.solution, after).ok()?;
        Some(Follower { subscription, viewer: self.subscriber.viewer })
    }
}

impl EventLog for FeedEventLog {
    type Id = PostId;
    type Error = ForumError;

    async fn locate(
        &self,
        position: RequestedPosition<PostId>,
    ) -> Result<Option<SequencePosition>, ForumError> {
        let at = match position {
            RequestedPosition::Seq(seq) => seq,
            // A post may have several positions in a feed, so its id is not a position.
            RequestedPosition::Id(_) | RequestedPosition::Unknown => return Ok(None),
        };
        let is_there = self.forum.has_position(self.subscriber.viewer, self.solution, at).await?;
        Ok(is_there.then_some(SequencePosition { at, is_end: false }))
    }
}

/// The follower of one stream.
struct Follower {
    subscription: FeedFollower,
    viewer: Viewer,
}

impl EventSource for Follower {
    type Error = ForumError;

    async fn next(&mut self) -> EventBatch<ForumError> {
        match self.subscription.next().await {
            Ok(FeedUpdate::Posts(posts)) => EventBatch::More(
                posts.into_iter().map(|(seq, post)| self.encode(seq, post)).collect(),
            ),
            Ok(FeedUpdate::Closing) => EventBatch::Closing,
            Err(ForumError::UnknownSolution(_)) => end(wire::Reason::SolutionDeleted),
            Err(ForumError::BadKey) => end(wire::Reason::KeyNotValid),
            Err(err) => EventBatch::Failed(err),
        }
    }
}

impl Follower {
    fn encode(&self, seq: Seq, post: Post) -> String {
        let id = seq.number().to_string();
        event("debate", Some(&id), &wire::Debate::new(post, self.viewer))
    }
}

fn end(reason: wire::Reason) -> EventBatch<ForumError> {
    EventBatch::Last(event("end", None, &wire::Notice { reason }))
}
