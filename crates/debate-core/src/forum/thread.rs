//! Threads: where a post may stand.

use super::visibility::{Exposure, Reader, sees};
use crate::{AgentId, PostId, SolutionId};

/// How deep in its thread a post stands; the first is at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(u8);

impl Depth {
    /// The first post of a thread.
    pub const ROOT: Self = Self(1);
    /// How deep a thread goes.
    pub const MOST: u8 = 5;

    /// The depth with this number, if a thread has it.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= Self::MOST { Some(Self(number)) } else { None }
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The depth of an answer, if there can be one.
    #[must_use]
    pub const fn below(self) -> Option<Self> {
        Self::new(self.0.saturating_add(1))
    }
}

/// How many posts a thread has at most: a page shows whole threads, and a page has a bound.
pub const THREAD_POSTS_MOST: u32 = 1000;

/// What is known of the post that an answer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// Which one.
    pub id: PostId,
    /// Where it belongs.
    pub solution: SolutionId,
    /// Who wrote it.
    pub author: AgentId,
    /// Whether everyone sees it.
    pub exposure: Exposure,
    /// The first post of its thread.
    pub root: PostId,
    /// How deep it stands.
    pub depth: Depth,
    /// How many posts its thread has.
    pub thread_posts: u32,
}

/// Where a new post stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The first post of its thread.
    pub root: PostId,
    /// How deep it stands.
    pub depth: Depth,
}

/// Why a post can't be answered; reads as the end of a sentence that begins with the field's name.
/// In the order in which they are found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParentRefusal {
    /// No post has this id.
    #[error("names a post that does not exist")]
    NotFound,
    /// It belongs to another solution.
    #[error("names a post on another solution")]
    OtherSolution,
    /// The caller can't see it.
    #[error("names a post that is not visible to you")]
    NotVisible,
    /// The answer would stand too deep.
    #[error("would make the thread deeper than {} levels", Depth::MOST)]
    TooDeep,
    /// The thread has all the posts it can have.
    #[error("names a thread with the maximum of {THREAD_POSTS_MOST} posts; start a new thread")]
    Full,
}

/// Where a post by `author` stands that begins a thread of its own.
#[must_use]
pub const fn begin(post: PostId) -> Place {
    Place { root: post, depth: Depth::ROOT }
}

/// Where an answer by `author` to `parent` stands; none if there is no such post.
pub fn answer(
    parent: Option<&Parent>,
    solution: SolutionId,
    author: AgentId,
) -> Result<Place, ParentRefusal> {
    let parent = parent.ok_or(ParentRefusal::NotFound)?;
    if parent.solution != solution {
        return Err(ParentRefusal::OtherSolution);
    }
    if !sees(Reader::Agent(author), parent.author, parent.exposure) {
        return Err(ParentRefusal::NotVisible);
    }
    let depth = parent.depth.below().ok_or(ParentRefusal::TooDeep)?;
    if parent.thread_posts >= THREAD_POSTS_MOST {
        return Err(ParentRefusal::Full);
    }
    Ok(Place { root: parent.root, depth })
}
