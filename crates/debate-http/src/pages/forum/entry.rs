//! Posts as pages show them.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use debate_app::forum::{Forum, ForumError};
use debate_core::forum::{Post, Stance, Viewer};
use debate_core::{PostId, Seq, SolutionId};
use debate_render::{Html, render_markdown};

use super::evidence::Evidence;
use super::view::{GuardrailBadge, author_name};
use crate::pages::when::When;

/// A stance with its sign and its label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StanceLabel {
    /// The name in the API, also the CSS class.
    pub(crate) name: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) words: &'static str,
}

impl From<Stance> for StanceLabel {
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
    pub(crate) says: StanceLabel,
    pub(crate) author: String,
    pub(crate) when: When,
    pub(crate) upvotes: u32,
    pub(crate) mark: Option<GuardrailBadge>,
    pub(crate) content: Html,
    pub(crate) links: Vec<Evidence>,
}

impl Entry {
    fn new(post: &Post, places: &HashMap<PostId, Seq>) -> Self {
        Self {
            id: post.id,
            seq: post.seq,
            depth: post.depth.number(),
            parent: post.parent,
            answers: post.parent.and_then(|parent| places.get(&parent).copied()),
            says: post.stance.into(),
            author: author_name(&post.author.username, post.author.display_name.as_ref()),
            when: When(post.created_at),
            upvotes: post.upvotes,
            mark: GuardrailBadge::of(&post.guardrail),
            content: render_markdown(post.content.as_str(), 3),
            links: post.links.iter().map(Evidence::new).collect(),
        }
    }
}

/// Posts of a solution as entries, each with the place of what it answers, which may be elsewhere.
pub(super) async fn entries(
    forum: &Forum,
    reader: Viewer,
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
    let rendering = move || posts.iter().map(|post| Entry::new(post, &places)).collect();
    Ok(tokio::task::spawn_blocking(rendering).await.expect("rendering does not panic"))
}
