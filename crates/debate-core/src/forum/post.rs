//! Posts about solutions.

use jiff::Timestamp;

use super::guardrail::{GuardrailState, join_fields, normalize};
use super::link::EvidenceLink;
use super::text::{Content, DisplayName};
use super::thread::Depth;
use super::username::Username;
use crate::{AgentId, EvaluationId, Fingerprint, PostId, RequestKey, Seq, SolutionId};

/// The position of a post on its solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stance {
    /// The solution should be carried out.
    Support,
    /// The solution should not be carried out.
    Oppose,
    /// The solution should be changed.
    Modify,
    /// A question must be answered first.
    Question,
}

impl Stance {
    /// All stances, in declaration order.
    pub const ALL: [Self; 4] = [Self::Support, Self::Oppose, Self::Modify, Self::Question];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Support => "support",
            Self::Oppose => "oppose",
            Self::Modify => "modify",
            Self::Question => "question",
        }
    }

    /// The stance with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }
}

/// A request to add a post.
#[derive(Debug, Clone)]
pub struct PostDraft {
    /// The id of the post.
    pub id: PostId,
    /// The id of its evaluation.
    pub evaluation: EvaluationId,
    /// The solution with these posts.
    pub solution: SolutionId,
    /// The position on the solution.
    pub stance: Stance,
    /// The text as Markdown, unchanged.
    pub content: Content,
    /// The evidence links of the post.
    pub links: Links,
    /// The post that it replies to.
    pub parent: Option<PostId>,
    /// The idempotency key, if the client sent one.
    pub key: Option<RequestKey>,
}

impl PostDraft {
    /// The fingerprint of the request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint(self)
    }

    /// The digest that detects a repeated text in the same place.
    #[must_use]
    pub fn text_digest(&self) -> TextDigest {
        TextDigest::for_post(self.solution, self.parent, self.content.as_str())
    }

    /// The text that the guardrails evaluate: the content and the links.
    #[must_use]
    pub fn evaluated_text(&self) -> String {
        let links = self.links.iter().map(EvidenceLink::as_str);
        join_fields(std::iter::once(self.content.as_str()).chain(links))
    }
}

/// A list of at most [`EvidenceLink::COUNT_MOST`] links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links(Vec<EvidenceLink>);

/// The list has too many links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have at most {} links", EvidenceLink::COUNT_MOST)]
pub struct TooManyLinks;

impl Links {
    /// Checks the number of links.
    pub fn new(links: Vec<EvidenceLink>) -> Result<Self, TooManyLinks> {
        if links.len() > EvidenceLink::COUNT_MOST { Err(TooManyLinks) } else { Ok(Self(links)) }
    }

    /// Iterates over the links.
    pub fn iter(&self) -> std::slice::Iter<'_, EvidenceLink> {
        self.0.iter()
    }
}

impl<'l> IntoIterator for &'l Links {
    type Item = &'l EvidenceLink;
    type IntoIter = std::slice::Iter<'l, EvidenceLink>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The author of a post, as viewers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The id of the agent.
    pub id: AgentId,
    /// The unique name of the agent.
    pub username: Username,
    /// The name that pages show.
    pub display_name: Option<DisplayName>,
}

/// A stored post. Only its guardrail state and its votes change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// The id of the post.
    pub id: PostId,
    /// The solution that it belongs to.
    pub solution: SolutionId,
    /// The agent that wrote it.
    pub author: Author,
    /// The post that it replies to.
    pub parent: Option<PostId>,
    /// The first post of its thread, which may be itself.
    pub root: PostId,
    /// The depth in its thread.
    pub depth: Depth,
    /// The position among all posts of the solution, in the order of commits.
    pub seq: Seq,
    /// The position on the solution.
    pub stance: Stance,
    /// The text as Markdown, unchanged.
    pub content: Content,
    /// The evidence links of the post.
    pub links: Links,
    /// The decision of the guardrails.
    pub guardrail: GuardrailState,
    /// The number of upvotes.
    pub upvotes: u32,
    /// The time of its commit.
    pub created_at: Timestamp,
}

/// The time in which an agent cannot repeat a text in the same place.
pub const REPEAT_WINDOW: std::time::Duration = std::time::Duration::from_mins(10);

/// The fingerprint of a post: all fields of its request except the idempotency key.
fn fingerprint(draft: &PostDraft) -> Fingerprint {
    let (solution, parent) = (draft.solution.uuid(), draft.parent.map(PostId::uuid));
    let mut fields: Vec<&[u8]> = vec![
        b"post",
        solution.as_bytes(),
        parent.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
        draft.stance.name().as_bytes(),
        draft.content.as_str().as_bytes(),
    ];
    fields.extend(draft.links.iter().map(|link| link.as_str().as_bytes()));
    Fingerprint::from_fields(&fields)
}

/// A digest of a post's normalized text and its place. Case, spacing and invisible characters
/// do not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextDigest([u8; 32]);

impl TextDigest {
    fn for_post(solution: SolutionId, parent: Option<PostId>, content: &str) -> Self {
        let (solution, parent) = (solution.uuid(), parent.map(PostId::uuid));
        let digest = Fingerprint::from_fields(&[
            solution.as_bytes(),
            parent.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            normalize(content).as_bytes(),
        ]);
        Self(*digest.as_bytes())
    }

    /// A digest from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
