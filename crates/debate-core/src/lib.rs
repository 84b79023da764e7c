//! What a debate is and what may happen in it: pure rules and values.
//!
//! Nothing here waits, fails on IO, reads a clock, draws a random number or looks at the
//! environment; ids, times and limits come in as arguments.

mod bound;
mod call;
mod cell;
mod fence;
mod fingerprint;
mod id;
mod lease;
mod model;
mod original;
mod page;
mod prompt;
mod rate;
mod reference;
mod seal;
mod session;
mod sight;
mod text;

pub mod arena;
pub mod forum;
pub mod markdown;
pub mod runner;

pub use bound::Within;
pub use call::{CallTokens, Failure, TokenCount, Usage};
pub use cell::Cell;
pub use fence::Fence;
pub use fingerprint::Fingerprint;
pub use id::{
    AgentId, ArgumentId, CallId, DebateId, EvaluationId, NotAUuid, PostId, ProblemId, RunId,
    SolutionId, TurnId,
};
pub use lease::{Term, Work};
pub use model::{ModelName, NotAModel};
pub use original::OriginalId;
pub use page::{Limit, Offset, OutOfRange, Seq};
pub use prompt::{Message, Prompt, Speaker};
pub use rate::{
    Admission, Charge, Decision, Network, Quota, RateKey, RateKind, RateLimit, Run, Window, admit,
};
pub use reference::{NotAReference, Reference};
pub use seal::{Digest, Seal};
pub use session::SessionDigest;
pub use sight::{made_plain, misleads};
pub use text::{Content, ContentError, RequestKey, SearchText, TextError, Title, Topic};
