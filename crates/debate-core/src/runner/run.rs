//! A debate of the runner: what is shown of it, and what is kept beside that.

use std::time::Duration;

use jiff::Timestamp;

use super::cursor::Cursor;
use super::settings::{Settings, SettingsDraft};
use super::status::{Standing, Status};
use super::turn::Metadata;
use crate::{Fingerprint, Limit, RunId, Seq, Term, Topic, TurnId, Usage, Work};

/// A debate that runs itself, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Which one.
    pub id: RunId,
    /// What it is about.
    pub topic: Topic,
    /// Where it stands.
    pub standing: Standing,
    /// How it is run.
    pub settings: Settings,
    /// Whose turn comes next.
    pub cursor: Cursor,
    /// What went wrong last, until something goes well.
    pub last_error: Option<String>,
    /// How many rounds are complete.
    pub completed_rounds: u32,
    /// The tokens of all answers. A call counts as all that it is allowed until it is known.
    pub spent: u64,
    /// How long it has run; pauses don't count.
    pub ran: Duration,
    /// When it was made.
    pub created_at: Timestamp,
    /// When someone last did something to it, or it to itself.
    pub updated_at: Timestamp,
}

/// A debate as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What is shown of it.
    pub run: Run,
    /// The newest turn's place.
    pub last_seq: Seq,
    /// How often the next turn was tried in vain since it last went well, or was told to go on.
    pub tries: u32,
    /// Its holder's term, or that of the last one.
    pub term: Term,
    /// Whether a worker is wanted, or at work.
    pub work: Work,
}

/// What a client wants to have debated.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Which debate.
    pub run: RunId,
    /// What about.
    pub topic: Topic,
    /// How.
    pub settings: Settings,
}

impl Fingerprint {
    /// Of a debate to be run. The settings count as the client gave them, so that a server whose
    /// defaults changed meanwhile still knows the retry.
    #[must_use]
    pub fn of_run(topic: &Topic, draft: &SettingsDraft) -> Self {
        let number = |number: Option<i64>| number.map(|number| number.to_string());
        let fields = [
            Some(topic.as_str().to_owned()),
            draft.debater_a_side.clone(),
            draft.output_language.clone(),
            draft.judge_mode.clone(),
            number(draft.max_rounds),
            number(draft.max_runtime_seconds),
            number(draft.max_total_output_tokens),
            number(draft.max_tokens_debater),
            number(draft.max_tokens_judge),
            draft.model_debater.clone(),
            draft.model_debater_a.clone(),
            draft.model_debater_b.clone(),
            draft.model_judge.clone(),
            draft.prompt_version.clone(),
        ];
        // No setting can be empty, so an absent one may look so.
        let fields = fields.map(Option::unwrap_or_default);
        Self::of_fields(&fields.each_ref().map(String::as_bytes))
    }
}

/// What came back for a turn, before it has its place in the sequence.
#[derive(Clone, PartialEq, Eq)]
pub struct Said {
    /// The turn it becomes.
    pub turn: TurnId,
    /// Where it belongs.
    pub place: Cursor,
    /// What was said.
    pub content: String,
    /// Who said it, as the provider names it.
    pub model: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// What else is known.
    pub metadata: Metadata,
}

/// Leaves out what was said: content never reaches a log.
impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Said")
            .field("turn", &self.turn)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// A place in the list, newest first: after the debate that was last seen there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPlace {
    /// When that debate was last changed, as seen then.
    pub updated_at: Timestamp,
    /// Which it was; settles the order of debates changed in the same instant.
    pub run: RunId,
}

/// A page of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunQuery {
    /// Only those that stand so.
    pub status: Option<Status>,
    /// From where.
    pub after: Option<ListPlace>,
    /// How many.
    pub limit: Limit,
}
