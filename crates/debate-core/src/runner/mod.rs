//! The runner: two models argue in rounds, and a third one judges them.
//!
//! Rules and values only: the next turn, limits, costs, prompts and verdicts. This module makes no
//! calls.

mod backoff;
mod budget;
mod call;
mod cursor;
mod plan;
mod prompt;
mod replay;
mod run;
mod settings;
mod status;
mod transitions;
mod verdict;

pub use backoff::{Attempt, Retry, retry};
pub use budget::{
    Budget, Charge, Currency, DailyLimits, ModelWithoutPrice, Money, NanoUsd, NotACurrency,
    NotAPrice, OverBudget, Price, Prices, TokenPrice, UsdRates,
};
pub use call::{BeginCall, BeginCallError, Call, CallDraft, CallResult, CallStatus};
pub use cursor::{
    Actor, Cursor, CursorRepair, JudgeMode, Round, closing_cursor, completed_rounds, next_cursor,
};
pub use plan::{AfterTurn, Plan, RunLimit, RunProgress, plan, reached_limit};
pub use prompt::{PromptInput, PromptVersion, build_prompt, repair_prompt};
pub use replay::replay;
pub use run::{ListPosition, Metadata, NewRun, Outcome, Run, RunQuery, RunRecord, Turn, TurnDraft};
pub use settings::{
    DebaterSide, InvalidSetting, LabelLanguage, Language, MaxRounds, MaxSeconds, NotALanguage,
    RunDefaults, RunSettings, RunSettingsDraft, SettingProblem, TotalTokens,
};
pub use status::{
    Command, CommandRefusal, RunState, Status, StepOutcome, StopReason, WorkerActivity, next_state,
    state_after_step,
};
pub use transitions::{
    Acquired, CommandError, CommandRequest, INTERRUPTED_ERROR, StepResult, UNKNOWN_OUTCOME_ERROR,
    UnknownOutcomePolicy, create_run,
};
pub use verdict::{Judgement, NotAVerdict, Score, Verdict, Winner};
