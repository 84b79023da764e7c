//! Stances in threads: what is said of a solution.

use jiff::Timestamp;

use super::fingerprint::{TextMark, fingerprint};
use super::guardrail::Standing;
use super::guardrail::join_fields;
use super::link::EvidenceLink;
use super::text::{Content, DisplayName};
use super::thread::Depth;
use super::username::Username;
use crate::{AgentId, EvaluationId, Fingerprint, PostId, RequestKey, Seq, SolutionId};

/// What a post wants of the solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stance {
    /// That it is done.
    Support,
    /// That it is not.
    Oppose,
    /// That it is changed.
    Modify,
    /// An answer first.
    Question,
}

impl Stance {
    /// Every stance.
    pub const ALL: [Self; 4] = [Self::Support, Self::Oppose, Self::Modify, Self::Question];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Support => "support",
            Self::Oppose => "oppose",
            Self::Modify => "modify",
            Self::Question => "question",
        }
    }

    /// The stance of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }
}

/// A post someone wants to add.
#[derive(Debug, Clone)]
pub struct PostDraft {
    /// The id it will have.
    pub id: PostId,
    /// The id its examination will have.
    pub evaluation: EvaluationId,
    /// Where.
    pub solution: SolutionId,
    /// What it wants.
    pub stance: Stance,
    /// What it says.
    pub content: Content,
    /// What it points to.
    pub links: Links,
    /// What it answers.
    pub parent: Option<PostId>,
    /// The client's name for this write, if it gave one.
    pub key: Option<RequestKey>,
}

impl PostDraft {
    /// What makes two drafts the same request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint(self)
    }

    /// What makes two posts say the same in the same place.
    #[must_use]
    pub fn text_mark(&self) -> TextMark {
        TextMark::of(self.solution, self.parent, self.content.as_str())
    }

    /// The text that the guardrails evaluate: the content and the links.
    #[must_use]
    pub fn examined(&self) -> String {
        let links = self.links.iter().map(EvidenceLink::as_str);
        join_fields(std::iter::once(self.content.as_str()).chain(links))
    }
}

/// At most ten links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links(Vec<EvidenceLink>);

/// More links than a post has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have at most {} links", EvidenceLink::COUNT_MOST)]
pub struct TooManyLinks;

impl Links {
    /// These links, if they aren't too many.
    pub fn new(links: Vec<EvidenceLink>) -> Result<Self, TooManyLinks> {
        if links.len() > EvidenceLink::COUNT_MOST { Err(TooManyLinks) } else { Ok(Self(links)) }
    }

    /// Each of them.
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

/// Who wrote a post, as readers are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Which agent.
    pub id: AgentId,
    /// Its name.
    pub username: Username,
    /// How it wants to be called.
    pub display_name: Option<DisplayName>,
}

/// A post, kept. But for its standing and its votes it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Which one.
    pub id: PostId,
    /// Where it belongs.
    pub solution: SolutionId,
    /// Who wrote it.
    pub author: Author,
    /// What it answers.
    pub parent: Option<PostId>,
    /// The first post of its thread; its own id if that is it.
    pub root: PostId,
    /// How deep in the thread it stands.
    pub depth: Depth,
    /// Its place among all posts of the solution, in the order of their commits.
    pub seq: Seq,
    /// What it wants.
    pub stance: Stance,
    /// What it says.
    pub content: Content,
    /// What it points to.
    pub links: Links,
    /// What the guardrails made of it.
    pub standing: Standing,
    /// How many agents agree.
    pub upvotes: u32,
    /// When it was accepted.
    pub created_at: Timestamp,
}
