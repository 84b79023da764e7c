//! Server-sent events of a solution.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use debate_app::StoreError;
use debate_app::forum::{Forum, ForumError, Heard, Subscriber, Subscription};
use debate_core::forum::{Post, Reader};
use debate_core::{PostId, Seq, SolutionId};
use debate_wire::forum::Failure;
use debate_wire::{LastEventIdHeader, forum as wire};

use super::door::{Anyone, ByKey};
use super::path::At;
use crate::client::ClientNetwork;
use crate::events::{self, Feed, Next, Place, Position, Sequence, Start, event};
use crate::problem::Problem;

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
    who: Anyone,
    ByKey(key): ByKey,
    ClientNetwork(network): ClientNetwork,
    At(solution): At<SolutionId>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let subscriber = Subscriber { reader: who.reader(), key, network };
    stream(forum, subscriber, solution, [None, Position::last_seen(&headers)]).await
}

/// What becomes visible of a solution to `subscriber`, after the later of the places asked for, for
/// as long as its key is valid, if it has one.
pub(crate) async fn stream(
    forum: Forum,
    subscriber: Subscriber,
    solution: SolutionId,
    asked: [Option<Position<PostId>>; 2],
) -> Result<Response, Problem> {
    let log = Log { forum, subscriber, solution };
    let start = match Start::find(&log, asked).await {
        Err(ForumError::Store(StoreError::Unavailable(_) | StoreError::Overloaded)) => Start::Later,
        found => found?,
    };
    let reset = wire::Notice { reason: wire::Reason::UnknownPosition };
    Ok(events::answer(start, &reset, |after| log.follow(after)))
}

/// A solution's feed, as one subscriber sees it.
struct Log {
    forum: Forum,
    subscriber: Subscriber,
    solution: SolutionId,
}

impl Log {
    fn follow(&self, after: Seq) -> Option<Follower> {
        let subscription = self.forum.subscribe(&self.subscriber, self.solution, after).ok()?;
        Some(Follower { subscription, reader: self.subscriber.reader })
    }
}

impl Sequence for Log {
    type Id = PostId;
    type Error = ForumError;

    async fn locate(&self, position: Position<PostId>) -> Result<Option<Place>, ForumError> {
        let at = match position {
            Position::Seq(seq) => seq,
            // A post may have several places in a feed, so its id is none.
            Position::Id(_) | Position::Unknown => return Ok(None),
        };
        let is_there = self.forum.has_place(self.subscriber.reader, self.solution, at).await?;
        Ok(is_there.then_some(Place { at, is_the_end: false }))
    }
}

/// Someone who follows.
struct Follower {
    subscription: Subscription,
    reader: Reader,
}

impl Feed for Follower {
    type Error = ForumError;

    async fn next(&mut self) -> Next<ForumError> {
        match self.subscription.next().await {
            Ok(Heard::News(news)) => {
                Next::More(news.into_iter().map(|(seq, post)| self.tell(seq, post)).collect())
            }
            Ok(Heard::Closing) => Next::Closing,
            Err(ForumError::NoSuchSolution(_)) => end(wire::Reason::SolutionDeleted),
            Err(ForumError::BadKey) => end(wire::Reason::KeyNotValid),
            Err(err) => Next::Broken(err),
        }
    }
}

impl Follower {
    fn tell(&self, seq: Seq, post: Post) -> String {
        let id = seq.number().to_string();
        event("debate", Some(&id), &wire::Debate::of(post, self.reader))
    }
}

fn end(reason: wire::Reason) -> Next<ForumError> {
    Next::Last(event("end", None, &wire::Notice { reason }))
}
