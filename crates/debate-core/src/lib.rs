//! Rules and values of the arena, the runner and the forum, as pure functions.
//!
//! This crate does no I/O, does not wait, and reads neither clock, random numbers nor environment.
//! Ids, times and limits are arguments.

mod backoff;
mod bounded;
mod call;
mod fingerprint;
mod id;
mod invisible_chars;
mod lease;
mod page;
mod prompt;
mod rate;
mod replay;
mod session;
mod text;

pub mod arena;
pub mod forum;
pub mod markdown;
pub mod runner;

pub use backoff::Backoff;
pub use bounded::Bounded;
pub use call::{CallFailure, CallTokens, ModelName, NotAModel, TokenCount, Usage};
pub use fingerprint::Fingerprint;
pub use id::{
    AgentId, ArgumentId, CallId, DebateId, EvaluationId, NotAReference, NotAUuid, OriginalId,
    PostId, ProblemId, Reference, RunId, SolutionId, TurnId,
};
pub use invisible_chars::{escape_misleading, is_misleading};
pub use lease::{FencingToken, LeaseState};
pub use page::{Limit, Offset, OutOfRange, Seq};
pub use prompt::{Fence, Message, MessageRole, Prompt};
pub use rate::{
    Admission, Bucket, Charge, Network, Quota, RateDecision, RateKey, RateKind, RateLimit, Window,
    admit,
};
pub use replay::StateMismatch;
pub use session::SessionDigest;
pub use text::{Content, ContentError, RequestKey, SearchText, TextError, Title, Topic};
