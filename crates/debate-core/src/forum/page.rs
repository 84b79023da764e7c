//! Pages of lists and threads, and places in them.

use jiff::Timestamp;
use uuid::Uuid;

use super::guardrail::Status;
use super::post::Stance;
use super::problem::SolutionStatus;
use super::visibility::Reader;
use crate::{AgentId, OutOfRange, ProblemId, Seq, SolutionId};

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

/// A page of threads ends early behind the thread that brings it to so many posts.
pub const PAGE_POSTS_MOST: u32 = 1000;

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
    /// As whole threads, by their first posts.
    Threads,
    /// One by one, those of one stance.
    Flat(Stance),
}

/// Which posts of a solution, oldest first. The place is the seq of the first post of the last
/// thread seen, or of the last post: it is given out in the order of commits, so a page that begins
/// behind it loses and repeats nothing.
#[derive(Debug, Clone)]
pub struct PostQuery {
    /// Who looks.
    pub reader: Reader,
    /// Where.
    pub solution: SolutionId,
    /// In which shape.
    pub shape: Shape,
    /// Behind which place; [`Seq::START`] for all.
    pub after: Seq,
    /// How many.
    pub limit: PageLimit,
}
