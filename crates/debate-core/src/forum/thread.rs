//! Threads: the position of a post, and the order of posts.

use super::visibility::{Exposure, Viewer, can_see};
use crate::{AgentId, PostId, Seq, SolutionId};

/// The depth of a post in its thread; the first post has 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(u8);

impl Depth {
    /// The first post of a thread.
    pub const ROOT: Self = Self(1);
    /// The maximum depth of a thread.
    pub const MOST: u8 = 5;

    /// The depth with this number; none if it is out of range.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= Self::MOST { Some(Self(number)) } else { None }
    }

    /// The number without its type, for storage and output.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The depth of a reply; none below the maximum depth.
    #[must_use]
    pub const fn below(self) -> Option<Self> {
        Self::new(self.0.saturating_add(1))
    }
}

/// [`Depth::MOST`], as the length of a path.
const LEVELS: usize = 5;

/// The position of a post in thread order: the seqs of the posts from the first post of its thread
/// down to itself. Paths compare in thread order: threads by their first posts, a post before its
/// replies, replies of one post by their seqs.
///
/// A path never changes, and a path that starts with another one belongs to a reply below it. A
/// reader who continues after a path therefore has seen every post above what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadPath([u32; LEVELS]);

impl ThreadPath {
    /// The position before every post.
    pub const START: Self = Self([0; LEVELS]);

    /// The path with these seqs, the first post's first; none if they are too many.
    #[must_use]
    pub fn new(seqs: &[u32]) -> Option<Self> {
        let mut path = Self::START;
        path.0.get_mut(..seqs.len())?.copy_from_slice(seqs);
        Some(path)
    }

    /// The first post of a thread.
    #[must_use]
    pub const fn root(seq: Seq) -> Self {
        let mut path = Self::START;
        path.0[0] = seq.number();
        path
    }

    /// The path of a reply to the post at this path. A path of the deepest level stays unchanged,
    /// since it has no free level.
    #[must_use]
    pub fn reply(mut self, seq: Seq) -> Self {
        if let Some(free) = self.0.iter_mut().find(|level| **level == 0) {
            *free = seq.number();
        }
        self
    }

    /// A position right before this post, after everything that comes earlier in thread order.
    #[must_use]
    pub fn just_before(mut self) -> Self {
        let depth = self.seqs().len();
        if let Some(own) = depth.checked_sub(1).and_then(|own| self.0.get_mut(own)) {
            *own -= 1;
        }
        // After every reply to an earlier post of the same level.
        if let Some(below) = self.0.get_mut(depth) {
            *below = u32::MAX;
        }
        self
    }

    /// The seq of the first post of the thread.
    #[must_use]
    pub const fn root_seq(self) -> Seq {
        Seq::new(self.0[0])
    }

    /// The seqs from the first post of the thread down to this one; none of [`Self::START`].
    #[must_use]
    pub fn seqs(&self) -> &[u32] {
        let depth = self.0.iter().rposition(|seq| *seq != 0).map_or(0, |last| last + 1);
        self.0.get(..depth).unwrap_or_default()
    }
}

/// The number of public posts after which a thread takes no more. Withheld posts do not count: they
/// could close a thread for everyone.
pub const THREAD_POSTS_MAX: u32 = 1000;

/// The maximum number of pending and flagged posts of one agent in one thread.
pub const UNDECIDED_POSTS_MAX: u32 = 20;

/// The facts about the post that a reply names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// The id of the post.
    pub id: PostId,
    /// The solution that it belongs to.
    pub solution: SolutionId,
    /// The agent that wrote it.
    pub author: AgentId,
    /// Whether it is public.
    pub exposure: Exposure,
    /// The first post of its thread.
    pub root: PostId,
    /// The depth of the post.
    pub depth: Depth,
    /// The number of public posts in its thread. It may be too high while the thread
    /// has fewer than [`THREAD_POSTS_MAX`].
    pub public_posts: u32,
    /// The number of the caller's undecided posts in its thread.
    pub undecided_posts: u32,
}

/// The position of a new post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadPosition {
    /// The first post of its thread.
    pub root: PostId,
    /// The depth of the post.
    pub depth: Depth,
}

/// The reason why a post cannot be answered, in the order of the checks. The message completes a
/// sentence that begins with the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParentRefusal {
    /// No post that the caller can see has this id: the caller cannot tell a withheld post
    /// from an absent one.
    #[error("names a post that does not exist or is not visible to you")]
    NotFound,
    /// The post belongs to another solution.
    #[error("names a post on another solution")]
    OtherSolution,
    /// The reply would be too deep.
    #[error("exceeds the maximum depth of {} levels", Depth::MOST)]
    TooDeep,
    /// The thread has all the posts that it can have.
    #[error("names a thread with {THREAD_POSTS_MAX} public posts, the maximum; start a new thread")]
    Full,
}

/// The reason why a reply is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReplyRefusal {
    /// The parent cannot be answered.
    #[error(transparent)]
    Parent(#[from] ParentRefusal),
    /// The caller has [`UNDECIDED_POSTS_MAX`] undecided posts in the thread.
    #[error(
        "you have {UNDECIDED_POSTS_MAX} posts in this thread that are not decided yet; \
         wait until one of them is approved or rejected"
    )]
    TooManyUndecided,
}

/// The position of a post that starts a thread.
#[must_use]
pub const fn start_thread(post: PostId) -> ThreadPosition {
    ThreadPosition { root: post, depth: Depth::ROOT }
}

/// The position of a reply by `author` to `parent`. The parent is absent if no post has its id.
pub fn reply_position(
    parent: Option<&Parent>,
    solution: SolutionId,
    author: AgentId,
) -> Result<ThreadPosition, ReplyRefusal> {
    let is_visible =
        |parent: &&Parent| can_see(Viewer::Agent(author), parent.author, parent.exposure);
    let parent = parent.filter(is_visible).ok_or(ParentRefusal::NotFound)?;
    if parent.solution != solution {
        return Err(ParentRefusal::OtherSolution.into());
    }
    let depth = parent.depth.below().ok_or(ParentRefusal::TooDeep)?;
    if parent.public_posts >= THREAD_POSTS_MAX {
        return Err(ParentRefusal::Full.into());
    }
    if parent.undecided_posts >= UNDECIDED_POSTS_MAX {
        return Err(ReplyRefusal::TooManyUndecided);
    }
    Ok(ThreadPosition { root: parent.root, depth })
}
