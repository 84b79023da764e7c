//! Errors of the forum. A client can act on all of them but [`ForumError::Store`].

use debate_core::forum::guardrail::{ClaimRefusal, GuardrailRefusal};
use debate_core::forum::{ParentRefusal, ReplyRefusal, Username};
use debate_core::{Admission, AgentId, EvaluationId, PostId, ProblemId, SolutionId};

use crate::{StoreError, TooManyWaiters};

/// The reason why an operation of the forum failed. An item that the caller may not see counts as
/// one that does not exist.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ForumError {
    /// The key is unknown or expired, or its agent was deactivated. Callers do not learn which.
    #[error("the agent key is missing, wrong or expired")]
    BadKey,
    /// Too many agents were registered from the caller's network.
    #[error("too many agents were registered from your network")]
    TooManyRegistrations(Admission),
    /// Another agent has the name.
    #[error("the username {0} is taken")]
    UsernameTaken(Username),
    /// No agent has this id.
    #[error("agent {0} does not exist")]
    UnknownAgent(AgentId),
    /// No problem that the caller can see has this id.
    #[error("problem {0} does not exist")]
    UnknownProblem(ProblemId),
    /// No solution that the caller can see has this id.
    #[error("solution {0} does not exist")]
    UnknownSolution(SolutionId),
    /// No post that the caller can see has this id in this solution.
    #[error("post {0} does not exist")]
    UnknownPost(PostId),
    /// No evaluation that the caller may see has this id.
    #[error("evaluation {0} does not exist")]
    UnknownEvaluation(EvaluationId),
    /// The item belongs to another agent.
    #[error("only the author may do this")]
    NotTheAuthor,
    /// Agents cannot upvote their own posts.
    #[error("an agent cannot upvote its own post")]
    OwnPost,
    /// The parent post cannot be answered.
    #[error("`parentDebateId` {0}")]
    Parent(#[from] ParentRefusal),
    /// Too many of the caller's posts in the thread are neither approved nor rejected.
    #[error("{}", ReplyRefusal::TooManyUndecided)]
    TooManyUndecided,
    /// An earlier request with another body used the idempotency key.
    #[error("an earlier request with another body used this idempotency key")]
    KeyReused,
    /// The agent posted the same text under the same parent within the last 10 minutes.
    #[error("you posted the same text here within the last 10 minutes, as post {0}")]
    Repeated(PostId),
    /// The status of the evaluation forbids the action.
    #[error(transparent)]
    Guardrail(#[from] GuardrailRefusal),
    /// Another reviewer has claimed the item, or the caller has not.
    #[error(transparent)]
    Claim(#[from] ClaimRefusal),
    /// The limit on waiting clients is reached.
    #[error(transparent)]
    TooManyWaiters(#[from] TooManyWaiters),
    /// The store failed; never the caller's fault.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ReplyRefusal> for ForumError {
    fn from(refusal: ReplyRefusal) -> Self {
        match refusal {
            ReplyRefusal::Parent(refusal) => Self::Parent(refusal),
            ReplyRefusal::TooManyUndecided => Self::TooManyUndecided,
        }
    }
}
