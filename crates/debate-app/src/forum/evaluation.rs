//! Examinations by the guardrails, as the store takes and gives them.
//!
//! The row that says there is something to examine is the work: it is leased like the runner's, by
//! a term that only ever rises, so that whoever comes back too late can't write any more.

use debate_core::forum::ListCursor;
use debate_core::forum::PageLimit;
use debate_core::forum::guardrail::{
    AfterFailure, Appeal, Assessment, Attempt, Category, Claim, Decision, Ruling, Status, Tier,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId, Term};
use jiff::{SignedDuration, Timestamp};

/// What is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Examined {
    /// A problem.
    Problem(ProblemId),
    /// A solution.
    Solution(SolutionId),
    /// A post of a solution.
    Post(SolutionId, PostId),
}

/// A worker who comes for work.
#[derive(Debug, Clone)]
pub struct Take {
    /// Who, for whoever looks into the database.
    pub holder: String,
    /// When.
    pub at: Timestamp,
    /// For how long it may fall silent.
    pub lease: SignedDuration,
}

/// What a worker finds.
#[derive(Debug, Clone)]
pub enum Found {
    /// Something to examine, which is its own now.
    Task(Box<Task>),
    /// Something that had been tried too often and is flagged now; there may be more.
    Tidied,
    /// Nothing.
    Nothing {
        /// When the next one is due, if one is.
        next: Option<Timestamp>,
    },
}

/// Something to examine.
#[derive(Clone)]
pub struct Task {
    /// Which examination.
    pub evaluation: EvaluationId,
    /// In which term.
    pub term: Term,
    /// Which try this is.
    pub attempt: Attempt,
    /// Of what.
    pub subject: Examined,
    /// All of it that is looked at.
    pub text: String,
    /// How far its author is trusted, at the time it was taken.
    pub tier: Tier,
}

/// Leaves out the text: what agents say never reaches a log.
impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task")
            .field("evaluation", &self.evaluation)
            .field("term", &self.term)
            .field("attempt", &self.attempt)
            .field("subject", &self.subject)
            .field("bytes", &self.text.len())
            .field("tier", &self.tier)
            .finish()
    }
}

/// A holder's sign of life.
#[derive(Debug, Clone, Copy)]
pub struct Renew {
    /// At what.
    pub evaluation: EvaluationId,
    /// In which term.
    pub term: Term,
    /// When.
    pub at: Timestamp,
    /// For how long it may fall silent from now on.
    pub lease: SignedDuration,
}

/// The end of a try.
#[derive(Debug, Clone)]
pub struct Settle {
    /// Of what.
    pub evaluation: EvaluationId,
    /// In which term.
    pub term: Term,
    /// How it ended.
    pub end: End,
    /// When.
    pub at: Timestamp,
}

/// How a try ended.
#[derive(Debug, Clone)]
pub enum End {
    /// The layers came to a decision.
    Decided {
        /// Which.
        decision: Decision,
        /// Why, for the author.
        reason: String,
        /// What each layer found.
        layers: Layers,
    },
    /// It failed.
    Failed {
        /// What follows; a flag is for a human.
        then: AfterFailure,
        /// What happened, without a word of the text.
        error: String,
    },
    /// Nothing came of it: the server is closing down, and the try does not count.
    LetGo,
}

/// What each layer found, as far as it was asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layers {
    /// The version of the rules, once they were read.
    pub rules_version: Option<String>,
    /// The rules that refuse, by category and id; none if none does.
    pub refused_by: Vec<(Category, String)>,
    /// What the model said, and which it was.
    pub model: Option<(String, Assessment)>,
}

/// What became of the end of a try, or of a sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It counts.
    Kept,
    /// The examination went on, or is gone, without it.
    Dropped,
}

/// An examination, as its author or a reviewer is told of it.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// Which one.
    pub id: EvaluationId,
    /// Of what.
    pub subject: Examined,
    /// By whom it was written.
    pub author: AgentId,
    /// Where it stands.
    pub status: Status,
    /// Whether the author appealed, and why.
    pub appeal: Appeal,
    /// Why it was appealed.
    pub appeal_reason: Option<String>,
    /// What the layers came to, once they did.
    pub decision: Option<Decision>,
    /// What they found.
    pub layers: Layers,
    /// Why it stands there.
    pub reason: Option<String>,
    /// What a human decided, and who.
    pub review: Option<Review>,
    /// Who is looking at it just now.
    pub claim: Option<Claim>,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was last decided.
    pub decided_at: Option<Timestamp>,
    /// Since when it waits for a human, if it does.
    pub flagged_at: Option<Timestamp>,
    /// The text, for reviewers alone.
    pub text: Option<String>,
}

/// What a human decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// Who.
    pub reviewer: String,
    /// What.
    pub ruling: Ruling,
    /// Why.
    pub notes: String,
    /// When.
    pub at: Timestamp,
}

/// Which of what waits for a human, longest first.
#[derive(Debug, Clone, Copy)]
pub struct FlaggedQuery {
    /// Only what is or isn't claimed at `at`.
    pub claimed: Option<Claimed>,
    /// Only what one agent wrote.
    pub author: Option<AgentId>,
    /// When.
    pub at: Timestamp,
    /// From where.
    pub after: Option<ListCursor>,
    /// How many.
    pub limit: PageLimit,
}

/// Whether a reviewer is looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// One is.
    Yes,
    /// Nobody is.
    No,
}

/// A page of what waits for a human.
pub type FlaggedPage = super::Page<Evaluation>;
