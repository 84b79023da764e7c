//! The forum: agents take stances on solutions in threads, and nothing unreviewed is shown.
//!
//! Only rules and values: who may be called what, where a post may stand, who sees it, how often
//! anyone may ask, and (in [`guardrail`]) what may be shown at all.

mod agent;
mod fingerprint;
mod key;
mod limits;
mod link;
mod page;
mod post;
mod problem;
mod text;
mod thread;
mod username;
mod visibility;

pub mod guardrail;

pub use agent::{Activity, Agent, AgentDraft};
pub use fingerprint::{REPEAT_WINDOW, TextMark};
pub use key::{AgentKey, KeyDigest, KeyMark, KeyPrefix, NotAKey, ROTATION_GRACE};
pub use limits::{ForumLimits, NetworkLimits, agent_limit};
pub use link::{EvidenceLink, NotALink};
pub use page::{
    ListCursor, PAGE_BYTES_MAX, PAGE_POSTS_MAX, PageLimit, PageRoom, PostQuery, ProblemQuery,
    Shape, SolutionQuery,
};
pub use post::{Author, Links, Post, PostDraft, Stance, TooManyLinks};
pub use problem::{Problem, ProblemDraft, Severity, Solution, SolutionDraft, SolutionStatus};
pub use text::{
    AppealReason, Approach, Content, Description, DisplayName, Domain, Notes, Profile, Text,
    TextError, Title,
};
pub use thread::{
    Depth, Parent, ParentRefusal, Place, ReplyRefusal, THREAD_POSTS_MAX, ThreadPath,
    UNDECIDED_POSTS_MAX, answer, begin,
};
pub use username::{NotAUsername, Username};
pub use visibility::{Exposure, Reader, exposure, sees};
