//! What is said of a solution, as pages show it.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use debate_app::forum::{Forum, ForumError};
use debate_core::forum::{Post, Reader, Stance};
use debate_core::{PostId, Seq, SolutionId};

use super::evidence::Evidence;
use super::view::{Mark, called};
use crate::web::markdown::{self, Html};
use crate::web::when::When;

/// How many bytes of words a page shows in full; what comes behind them is cut to so many each.
/// A page of threads may hold two thousand posts.
const FULL_BYTES_MAX: usize = 1024 * 1024;
const CUT_BYTES: usize = 600;

/// A stance, told apart by a sign and a word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Says {
    /// How the style and the contract know it.
    pub(crate) name: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) words: &'static str,
}

impl From<Stance> for Says {
    fn from(stance: Stance) -> Self {
        let (sign, words) = match stance {
            Stance::Support => ("+", "Support"),
            Stance::Oppose => ("−", "Opposition"),
            Stance::Modify => ("±", "Proposed change"),
            Stance::Question => ("?", "Question"),
        };
        Self { name: stance.name(), sign, words }
    }
}

/// One post of a thread.
pub(crate) struct Entry {
    pub(crate) id: PostId,
    pub(crate) seq: Seq,
    pub(crate) depth: u8,
    pub(crate) parent: Option<PostId>,
    /// The place of what it answers.
    pub(crate) answers: Option<Seq>,
    pub(crate) says: Says,
    pub(crate) author: String,
    pub(crate) when: When,
    pub(crate) upvotes: u32,
    pub(crate) mark: Option<Mark>,
    pub(crate) content: Html,
    /// Whether there is more of it than the page shows.
    pub(crate) is_cut: bool,
    pub(crate) links: Vec<Evidence>,
}

impl Entry {
    fn new(post: &Post, places: &HashMap<PostId, Seq>, most: usize) -> Self {
        let whole = post.content.as_str();
        let shown = whole.get(..whole.floor_char_boundary(most)).unwrap_or(whole);
        Self {
            id: post.id,
            seq: post.seq,
            depth: post.depth.number(),
            parent: post.parent,
            answers: post.parent.and_then(|parent| places.get(&parent).copied()),
            says: post.stance.into(),
            author: called(&post.author.username, post.author.display_name.as_ref()),
            when: When(post.created_at),
            upvotes: post.upvotes,
            mark: Mark::of(&post.standing),
            content: markdown::render(shown, 3),
            is_cut: shown.len() < whole.len(),
            links: post.links.iter().map(Evidence::new).collect(),
        }
    }
}

/// Posts of a solution as entries, each with the place of what it answers, which may be elsewhere.
pub(super) async fn entries(
    forum: &Forum,
    reader: Reader,
    solution: SolutionId,
    posts: Vec<Post>,
) -> Result<Vec<Entry>, ForumError> {
    let mut places: HashMap<PostId, Seq> = posts.iter().map(|post| (post.id, post.seq)).collect();
    for parent in posts.iter().filter_map(|post| post.parent) {
        if let Vacant(unknown) = places.entry(parent) {
            unknown.insert(forum.one_post(reader, solution, parent).await?.seq);
        }
    }
    // Rendering takes a moment for every post; those who wait for other things don't.
    let rendering = move || rendered(&posts, &places);
    Ok(tokio::task::spawn_blocking(rendering).await.expect("rendering does not panic"))
}

fn rendered(posts: &[Post], places: &HashMap<PostId, Seq>) -> Vec<Entry> {
    let allotted = allotted(posts.iter().map(|post| post.content.as_str().len()));
    posts.iter().zip(allotted).map(|(post, most)| Entry::new(post, places, most)).collect()
}

/// How many bytes are shown of texts of these lengths.
fn allotted(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    lengths.scan(FULL_BYTES_MAX, |left, bytes| {
        let is_full = bytes <= *left;
        *left = left.saturating_sub(bytes);
        Some(if is_full { bytes } else { CUT_BYTES })
    })
}

#[cfg(test)]
mod tests {
    use super::{CUT_BYTES, FULL_BYTES_MAX, allotted};

    #[test]
    fn a_page_shows_so_much_in_full_and_of_the_rest_the_beginnings() {
        let shown = |lengths: &[usize]| allotted(lengths.iter().copied()).collect::<Vec<_>>();
        assert_eq!(shown(&[50, 10_000]), [50, 10_000]);
        assert_eq!(shown(&[FULL_BYTES_MAX, 50]), [FULL_BYTES_MAX, CUT_BYTES]);
        assert_eq!(shown(&[FULL_BYTES_MAX - 60, 50, 50]), [FULL_BYTES_MAX - 60, 50, CUT_BYTES]);
        let all: usize = allotted(std::iter::repeat_n(40_000, 2000)).sum();
        assert!(all < FULL_BYTES_MAX + 2000 * CUT_BYTES, "{all}");
    }
}
