//! Runs, their visible part and their stored record, and turns.

use std::time::Duration;

use jiff::Timestamp;

use super::cursor::Cursor;
use super::settings::{RunSettings, RunSettingsDraft};
use super::status::{RunState, Status};
use super::verdict::Judgement;
use crate::{FencingToken, Fingerprint, LeaseState, Limit, RunId, Seq, Topic, TurnId, Usage};

/// The visible part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The id of the run.
    pub id: RunId,
    /// The topic of the run.
    pub topic: Topic,
    /// The state with its reason.
    pub state: RunState,
    /// The settings of the run.
    pub settings: RunSettings,
    /// The turn that follows next.
    pub cursor: Cursor,
    /// The last error; none after a success.
    pub last_error: Option<String>,
    /// The number of complete rounds.
    pub completed_rounds: u32,
    /// The charged completion tokens of all calls. A call in progress counts with
    /// all its allowed tokens.
    pub spent: u64,
    /// The runtime without pauses.
    pub ran: Duration,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// The stored record of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// The visible part of the run.
    pub run: Run,
    /// The position of the newest turn.
    pub last_seq: Seq,
    /// The number of failed attempts at the next turn since the last turn or command.
    pub tries: u32,
    /// The token of the current or the last lease.
    pub fencing_token: FencingToken,
    /// The state of the lease.
    pub lease: LeaseState,
}

/// A request to create a run.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The id of the run.
    pub run: RunId,
    /// The topic of the run.
    pub topic: Topic,
    /// The settings of the run.
    pub settings: RunSettings,
}

impl Fingerprint {
    /// The fingerprint of a new run. The settings count as the client sent them, so that a retry is
    /// recognised also after a change of the server's defaults.
    #[must_use]
    pub fn for_run(topic: &Topic, draft: &RunSettingsDraft) -> Self {
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
        // No setting can be empty, so an empty field means an absent one.
        let fields = fields.map(Option::unwrap_or_default);
        Self::from_fields(&fields.each_ref().map(String::as_bytes))
    }
}

/// A turn before it has its position in the sequence.
#[derive(Clone, PartialEq, Eq)]
pub struct TurnDraft {
    /// The id of the turn.
    pub id: TurnId,
    /// The round and the actor.
    pub cursor: Cursor,
    /// The text as Markdown, unchanged.
    pub content: String,
    /// The model, as the provider reported it.
    pub model: Option<String>,
    /// The tokens that it used.
    pub usage: Usage,
    /// Outcome, verdict and duration.
    pub metadata: Metadata,
}

/// Leaves the text out: content must not reach a log.
impl std::fmt::Debug for TurnDraft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnDraft")
            .field("id", &self.id)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

/// A position in the list, last changed first: behind the last run of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPosition {
    /// The time of that run's last change when the page was read.
    pub updated_at: Timestamp,
    /// The id of that run, which orders runs that changed at the same time.
    pub run: RunId,
}

/// A query of one page of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunQuery {
    /// Only runs with this status.
    pub status: Option<Status>,
    /// The position after which the page begins.
    pub after: Option<ListPosition>,
    /// The maximum number of runs.
    pub limit: Limit,
}

/// Whether the model gave a usable answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The answer is complete.
    Ok,
    /// The model refused to answer.
    Refused,
    /// The answer was cut off.
    Truncated,
}

impl Outcome {
    /// All outcomes, in declaration order.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Refused, Self::Truncated];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Truncated => "truncated",
        }
    }

    /// The outcome with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// Facts about a turn besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Whether the model gave a usable answer.
    pub outcome: Outcome,
    /// The judge's verdict; only in a judge's turn.
    pub judgement: Option<Judgement>,
    /// The duration in milliseconds of the call whose answer became the turn. None for turns of
    /// releases that did not record it.
    pub duration_ms: Option<u64>,
}

/// A stored turn. It never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Turn {
    /// The id of the turn.
    pub id: TurnId,
    /// The run that it belongs to.
    pub run: RunId,
    /// The position among all turns of the run.
    pub seq: Seq,
    /// The round and the actor.
    pub cursor: Cursor,
    /// The text as Markdown, unchanged.
    pub content: String,
    /// The model, as the provider reported it.
    pub model: Option<String>,
    /// The tokens that it used.
    pub usage: Usage,
    /// Outcome, verdict and duration.
    pub metadata: Metadata,
    /// The time of its commit.
    pub created_at: Timestamp,
}

/// Leaves the text out: content must not reach a log.
impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("id", &self.id)
            .field("run", &self.run)
            .field("seq", &self.seq)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}
