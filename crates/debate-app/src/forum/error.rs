//! What a client of the forum can be told to do differently.

use debate_core::forum::guardrail::{ClaimRefusal, Refusal};
use debate_core::forum::{ParentRefusal, ReplyRefusal, Username};
use debate_core::{Admission, AgentId, EvaluationId, PostId, ProblemId, SolutionId};

use crate::{Crowded, StoreError};

/// Why the forum did not do what it was asked. What a caller can't see does not exist for it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ForumError {
    /// The key is nobody's, is too old, or its agent was deactivated: all the same to the caller.
    #[error("the key is not valid")]
    BadKey,
    /// Too many agents were registered from the caller's network.
    #[error("too many agents were registered from your network")]
    TooManyRegistrations(Admission),
    /// Another agent has the name.
    #[error("the username {0} is taken")]
    UsernameTaken(Username),
    /// No agent has this id.
    #[error("agent {0} does not exist")]
    NoSuchAgent(AgentId),
    /// No problem that the caller can see has this id.
    #[error("problem {0} does not exist")]
    NoSuchProblem(ProblemId),
    /// No solution that the caller can see has this id.
    #[error("solution {0} does not exist")]
    NoSuchSolution(SolutionId),
    /// No post that the caller can see has this id in this solution.
    #[error("debate {0} does not exist")]
    NoSuchPost(PostId),
    /// No examination that the caller may ask for has this id.
    #[error("evaluation {0} does not exist")]
    NoSuchEvaluation(EvaluationId),
    /// It is visible, but someone else's.
    #[error("only its author may do this")]
    NotTheAuthor,
    /// Nobody votes for themselves.
    #[error("an agent can't vote for its own debate")]
    OwnPost,
    /// The post can't be answered so.
    #[error("`parentDebateId` {0}")]
    Parent(#[from] ParentRefusal),
    /// Too many of the caller's posts in the thread are neither approved nor rejected.
    #[error("{}", ReplyRefusal::TooManyUndecided)]
    TooManyUndecided,
    /// The key named another request before.
    #[error("this Idempotency-Key was used before, for a different request")]
    KeyReused,
    /// The same text, in the same place, a moment ago.
    #[error("you said the same here within the last ten minutes, as debate {0}")]
    Repeated(PostId),
    /// The guardrails' table forbids it.
    #[error(transparent)]
    Guardrail(#[from] Refusal),
    /// Another reviewer has it, or the caller does not.
    #[error(transparent)]
    Claim(#[from] ClaimRefusal),
    /// Too many wait already.
    #[error(transparent)]
    Crowded(#[from] Crowded),
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
