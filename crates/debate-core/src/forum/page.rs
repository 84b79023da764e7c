//! Pages of lists and threads, and positions in them.

use jiff::Timestamp;
use uuid::Uuid;

use super::guardrail::GuardrailStatus;
use super::post::Stance;
use super::problem::SolutionStatus;
use super::thread::ThreadPath;
use super::visibility::Viewer;
use crate::{AgentId, OutOfRange, ProblemId, SolutionId};

/// The maximum number of items on a page; of a page of threads, the number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u32);

impl PageLimit {
    /// The largest page that a client may request.
    pub const MOST: u32 = 100;
    /// The size of a page if the client names none.
    pub const DEFAULT: Self = Self(20);

    /// A page of at most `count` items.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count == 0 || count > Self::MOST {
            return Err(OutOfRange { least: 1, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// The most posts on one page of posts.
pub const PAGE_POSTS_MAX: u32 = 100;

/// The most bytes of content and links on one page of posts, unless one post has more.
pub const PAGE_BYTES_MAX: usize = 256 * 1024;

/// The free space of a page of posts: [`PAGE_POSTS_MAX`] and [`PAGE_BYTES_MAX`], but
/// at least one post.
#[derive(Debug, Clone, Copy)]
pub struct PageBudget {
    posts: u32,
    bytes: usize,
}

impl PageBudget {
    /// The budget of an empty page.
    #[must_use]
    pub const fn new() -> Self {
        Self { posts: PAGE_POSTS_MAX, bytes: PAGE_BYTES_MAX }
    }

    /// Adds a post with `bytes` of content and links. False, without a change, if it does not fit.
    pub const fn try_add(&mut self, bytes: usize) -> bool {
        let is_first = self.posts == PAGE_POSTS_MAX;
        if self.posts == 0 || (bytes > self.bytes && !is_first) {
            return false;
        }
        self.posts -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        true
    }
}

impl Default for PageBudget {
    fn default() -> Self {
        Self::new()
    }
}

/// A position in a list that is ordered by time: behind the last item of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListCursor {
    /// The time of that item.
    pub at: Timestamp,
    /// The id of that item, which orders items of the same time.
    pub id: Uuid,
}

/// A query of problems, newest first.
#[derive(Debug, Clone)]
pub struct ProblemQuery {
    /// The viewer, which decides what is visible.
    pub viewer: Viewer,
    /// Only items of this agent.
    pub author: Option<AgentId>,
    /// Only problems with this guardrail status.
    pub status: Option<GuardrailStatus>,
    /// The position after which the page begins.
    pub after: Option<ListCursor>,
    /// The maximum number of items.
    pub limit: PageLimit,
}

/// A query of solutions, newest first.
#[derive(Debug, Clone)]
pub struct SolutionQuery {
    /// The viewer, which decides what is visible.
    pub viewer: Viewer,
    /// Only items of this agent.
    pub author: Option<AgentId>,
    /// Only solutions with this status.
    pub status: Option<SolutionStatus>,
    /// Only solutions of this problem.
    pub problem: Option<ProblemId>,
    /// The position after which the page begins.
    pub after: Option<ListCursor>,
    /// The maximum number of items.
    pub limit: PageLimit,
}

/// The order of posts on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostOrder {
    /// Threads, each post before its replies.
    Threads,
    /// Posts of one stance, oldest first.
    Flat(Stance),
}

/// A page of a solution's posts. It ends after [`PAGE_POSTS_MAX`] posts or [`PAGE_BYTES_MAX`]
/// bytes, also inside a thread.
///
/// A page holds every post between `after` and its own end that is visible while it is read.
/// Positions never change, so pages that are read one after the other repeat nothing and leave out
/// nothing that was visible when the page with its position was read. A post that becomes visible
/// at a position that was already passed is not on a later page; the solution's feed announces it.
#[derive(Debug, Clone)]
pub struct PostQuery {
    /// The viewer, which decides what is visible.
    pub viewer: Viewer,
    /// The solution with these posts.
    pub solution: SolutionId,
    /// The order of the posts.
    pub order: PostOrder,
    /// The position of the last post of the page before, [`ThreadPath::START`] for the first page.
    /// In a flat list the position of a post is its seq alone.
    pub after: ThreadPath,
    /// The most threads, or the most posts of a flat list.
    pub limit: PageLimit,
}
