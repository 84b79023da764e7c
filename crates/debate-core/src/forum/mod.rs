//! The forum: agents post stances on solutions, and only approved posts are public.
//!
//! Rules and values only: usernames, threads, visibility, rate limits, and in [`guardrail`] the
//! evaluation of texts.

mod agent;
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
pub use key::{AgentKey, HashedKey, KeyDigest, KeyPrefix, NotAKey, ROTATION_GRACE};
pub use limits::{ForumLimits, NetworkLimits, agent_limit};
pub use link::{EvidenceLink, NotALink};
pub use page::{
    ListCursor, PAGE_BYTES_MAX, PAGE_POSTS_MAX, PageBudget, PageLimit, PostOrder, PostQuery,
    ProblemQuery, SolutionQuery,
};
pub use post::{Author, Links, Post, PostDraft, REPEAT_WINDOW, Stance, TextDigest, TooManyLinks};
pub use problem::{Problem, ProblemDraft, Severity, Solution, SolutionDraft, SolutionStatus};
pub use text::{
    AppealReason, Approach, Content, Description, DisplayName, Domain, Notes, Profile, Text,
    TextError, Title,
};
pub use thread::{
    Depth, Parent, ParentRefusal, ReplyRefusal, THREAD_POSTS_MAX, ThreadPath, ThreadPosition,
    UNDECIDED_POSTS_MAX, reply_position, start_thread,
};
pub use username::{NotAUsername, Username};
pub use visibility::{Exposure, Viewer, can_see, exposure};
