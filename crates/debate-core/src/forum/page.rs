//! Pages of lists and threads, and places in them.

use jiff::Timestamp;
use uuid::Uuid;

use super::guardrail::Status;
use super::post::Stance;
use super::problem::SolutionStatus;
use super::thread::ThreadPath;
use super::visibility::Reader;
use crate::{AgentId, OutOfRange, ProblemId, SolutionId};

/// How many things a page holds at most; of threads, how many threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u32);

impl PageLimit {
    /// The largest page anyone may ask for.
    pub const MOST: u32 = 100;
    /// What is meant when nothing is asked for.
    pub const DEFAULT: Self = Self(20);

    /// A page of so many.
    pub const fn new(count: u32) -> Result<Self, OutOfRange> {
        if count == 0 || count > Self::MOST {
            return Err(OutOfRange { least: 1, most: Self::MOST });
        }
        Ok(Self(count))
    }

    /// The count itself.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }
}

/// The most posts on one page of posts.
pub const PAGE_POSTS_MAX: u32 = 100;

/// The most bytes of content and links on one page of posts, unless one post has more.
pub const PAGE_BYTES_MAX: usize = 256 * 1024;

/// What still fits on a page of posts: [`PAGE_POSTS_MAX`] and [`PAGE_BYTES_MAX`], but at least one
/// post.
#[derive(Debug, Clone, Copy)]
pub struct PageRoom {
    posts: u32,
    bytes: usize,
}

impl PageRoom {
    /// An empty page.
    #[must_use]
    pub const fn new() -> Self {
        Self { posts: PAGE_POSTS_MAX, bytes: PAGE_BYTES_MAX }
    }

    /// Puts a post with `bytes` of content and links on the page; false, and nothing changes, if
    /// the page ends before it.
    pub const fn take(&mut self, bytes: usize) -> bool {
        let is_first = self.posts == PAGE_POSTS_MAX;
        if self.posts == 0 || (bytes > self.bytes && !is_first) {
            return false;
        }
        self.posts -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        true
    }
}

impl Default for PageRoom {
    fn default() -> Self {
        Self::new()
    }
}

/// A place in a list that is ordered by time: behind the thing that was last seen there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListCursor {
    /// When that thing came.
    pub at: Timestamp,
    /// Which it was; settles the order of things of the same instant.
    pub id: Uuid,
}

/// Which problems, newest first.
#[derive(Debug, Clone)]
pub struct ProblemQuery {
    /// Who looks.
    pub reader: Reader,
    /// Only those of this agent.
    pub author: Option<AgentId>,
    /// Only those that stand so.
    pub status: Option<Status>,
    /// From where.
    pub after: Option<ListCursor>,
    /// How many.
    pub limit: PageLimit,
}

/// Which solutions, newest first.
#[derive(Debug, Clone)]
pub struct SolutionQuery {
    /// Who looks.
    pub reader: Reader,
    /// Only those of this agent.
    pub author: Option<AgentId>,
    /// Only those that have come so far.
    pub status: Option<SolutionStatus>,
    /// Only those for this problem.
    pub problem: Option<ProblemId>,
    /// From where.
    pub after: Option<ListCursor>,
    /// How many.
    pub limit: PageLimit,
}

/// How posts are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// In thread order.
    Threads,
    /// One by one, those of one stance, oldest first.
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
    /// Who looks.
    pub reader: Reader,
    /// Where.
    pub solution: SolutionId,
    /// In which shape.
    pub shape: Shape,
    /// The position of the last post of the page before, [`ThreadPath::START`] for the first page.
    /// In a flat list the position of a post is its seq alone.
    pub after: ThreadPath,
    /// The most threads, or the most posts of a flat list.
    pub limit: PageLimit,
}
