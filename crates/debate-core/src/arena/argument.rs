//! The things a debate is made of, and what someone brings who wants to add to it.

use jiff::Timestamp;

use super::rules::{Move, Role, State};
use crate::{ArgumentId, Content, DebateId, Fingerprint, RequestKey, Seq, Title};

/// What a debate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DebateType {
    /// A plan for a change to code.
    CodingPlan,
    /// Anything else.
    General,
}

impl DebateType {
    /// Every type.
    pub const ALL: [Self; 2] = [Self::CodingPlan, Self::General];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CodingPlan => "coding_plan_debate",
            Self::General => "general_debate",
        }
    }

    /// The type of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|debate_type| debate_type.name() == name)
    }
}

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Opens the debate.
    Motion,
    /// Answers the other side.
    Claim,
    /// Asks for a ruling.
    Appeal,
    /// Decides.
    Ruling,
    /// Stops the debate for a ruling.
    Intervention,
    /// Asks to finish.
    Resolution,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Motion,
        Self::Claim,
        Self::Appeal,
        Self::Ruling,
        Self::Intervention,
        Self::Resolution,
    ];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Motion => "MOTION",
            Self::Claim => "CLAIM",
            Self::Appeal => "APPEAL",
            Self::Ruling => "RULING",
            Self::Intervention => "INTERVENTION",
            Self::Resolution => "RESOLUTION",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl From<Move> for Kind {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Claim(_) => Self::Claim,
            Move::Appeal => Self::Appeal,
            Move::Resolve => Self::Resolution,
            Move::Intervene => Self::Intervention,
            Move::Rule(_) => Self::Ruling,
        }
    }
}

/// A debate as it stands, or stood after one of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debate {
    /// Which one.
    pub id: DebateId,
    /// What it is called. Kept as it came: an older server may have let other titles in.
    pub title: String,
    /// What it is about.
    pub debate_type: DebateType,
    /// Where it stands.
    pub state: State,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When its newest argument came.
    pub updated_at: Timestamp,
}

/// One entry of a debate's sequence, as it was kept. It never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Argument {
    /// Which one.
    pub id: ArgumentId,
    /// Where it belongs.
    pub debate: DebateId,
    /// What it answers.
    pub parent: Option<ArgumentId>,
    /// What it is.
    pub kind: Kind,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub content: String,
    /// The client's name for the write.
    pub request_key: Option<String>,
    /// Its place.
    pub seq: Seq,
    /// When it was said.
    pub created_at: Timestamp,
    /// Where the debate stood after it; what the log folds to.
    pub state_after: State,
}

/// Leaves out what was said: content never reaches a log.
impl std::fmt::Debug for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Argument")
            .field("id", &self.id)
            .field("debate", &self.debate)
            .field("kind", &self.kind)
            .field("role", &self.role)
            .field("seq", &self.seq)
            .field("state_after", &self.state_after)
            .finish_non_exhaustive()
    }
}

/// An argument as it is kept, with what made its request what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The argument.
    pub argument: Argument,
    /// None where there was no request of its own.
    pub fingerprint: Option<Fingerprint>,
}

/// A debate someone wants to open.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The client's choice of id.
    pub debate: DebateId,
    /// The id its motion will have.
    pub motion_id: ArgumentId,
    /// What it is called.
    pub title: Title,
    /// What it is about.
    pub debate_type: DebateType,
    /// What is proposed.
    pub motion: Content,
    /// Whether a resolution closes it by itself; the server's custom when absent.
    pub auto_ruling: Option<bool>,
    /// The client's name for this write.
    pub key: RequestKey,
}

impl Opening {
    /// What makes two openings the same request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_opening(
            self.title.as_str(),
            self.debate_type,
            self.motion.as_str(),
            self.auto_ruling,
        )
    }
}

/// An argument someone wants to add.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The id it will have.
    pub id: ArgumentId,
    /// The id of the ruling that a resolution may bring with it.
    pub closing_id: ArgumentId,
    /// What is tried.
    pub mv: Move,
    /// What it answers; rulings and interventions answer the debate as a whole.
    pub target: Option<ArgumentId>,
    /// What is said.
    pub content: Content,
    /// The client's name for this write.
    pub key: RequestKey,
}

impl Draft {
    /// What makes two drafts the same request.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_move(self.mv, self.target, self.content.as_str())
    }
}
