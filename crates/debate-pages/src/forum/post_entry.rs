//! Posts as pages show them.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use debate_app::forum::{Forum, ForumError};
use debate_core::forum::{Post, Stance, Viewer};
use debate_core::{PostId, Seq, SolutionId};
use debate_render::forum::{stance_label, stance_symbol};
use debate_render::{Html, render_markdown};

use super::evidence::EvidenceLinkView;
use super::view::{GuardrailBadge, author_name};
use crate::time::Time;

#[derive(Debug, Clone, Copy)]
pub(crate) struct StanceLabel {
    /// The name in the API, also the CSS class.
    pub(crate) name: &'static str,
    pub(crate) symbol: &'static str,
    pub(crate) label: &'static str,
}

impl From<Stance> for StanceLabel {
    fn from(stance: Stance) -> Self {
        let wire_stance = stance.into();
        let (symbol, label) = (stance_symbol(wire_stance), stance_label(wire_stance));
        Self { name: stance.name(), symbol, label }
    }
}

/// One post of a thread.
pub(crate) struct PostEntry {
    pub(crate) id: PostId,
    pub(crate) seq: Seq,
    pub(crate) depth: u8,
    pub(crate) parent: Option<PostId>,
    /// The position of the parent.
    pub(crate) answers: Option<Seq>,
    pub(crate) stance: StanceLabel,
    pub(crate) author: String,
    pub(crate) time: Time,
    pub(crate) upvotes: u32,
    pub(crate) guardrail: Option<GuardrailBadge>,
    pub(crate) content: Html,
    pub(crate) evidence_links: Vec<EvidenceLinkView>,
}

impl PostEntry {
    fn new(post: &Post, positions: &HashMap<PostId, Seq>) -> Self {
        Self {
            id: post.id,
            seq: post.seq,
            depth: post.depth.number(),
            parent: post.parent,
            answers: post.parent.and_then(|parent| positions.get(&parent).copied()),
            stance: post.stance.into(),
            author: author_name(&post.author.username, post.author.display_name.as_ref()),
            time: Time(post.created_at),
            upvotes: post.upvotes,
            guardrail: GuardrailBadge::new(&post.guardrail),
            content: render_markdown(post.content.as_str(), 3),
            evidence_links: post.links.iter().map(EvidenceLinkView::new).collect(),
        }
    }
}

/// Posts of a solution as entries. Each has the position of its parent, which may be on another
/// page.
pub(super) async fn read_entries(
    forum: &Forum,
    viewer: Viewer,
    solution: SolutionId,
    posts: Vec<Post>,
) -> Result<Vec<PostEntry>, ForumError> {
    let mut positions: HashMap<PostId, Seq> =
        posts.iter().map(|post| (post.id, post.seq)).collect();
    for parent in posts.iter().filter_map(|post| post.parent) {
        if let Vacant(unknown) = positions.entry(parent) {
            unknown.insert(forum.post(viewer, solution, parent).await?.seq);
        }
    }
    // Rendering blocks, and other requests must not wait for it.
    let rendering = move || posts.iter().map(|post| PostEntry::new(post, &positions)).collect();
    Ok(tokio::task::spawn_blocking(rendering).await.expect("rendering does not panic"))
}
