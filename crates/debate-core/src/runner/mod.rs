//! The runner: two models argue in rounds and a third judges them, by themselves.
//!
//! Only rules and values: who speaks next, when it is over, what it may cost, what is asked and
//! how an answer is understood. Nothing here asks anyone.

mod backoff;
mod bound;
mod budget;
mod call;
mod cursor;
mod language;
mod order;
mod plan;
mod price;
mod prompt;
mod retell;
mod run;
mod seal;
mod settings;
mod status;
mod turn;
mod verdict;
mod work;

pub use backoff::{Attempt, Retry, retry};
pub use bound::{MaxRounds, MaxSeconds, TotalTokens};
pub use budget::{Budget, Charge, DailyLimits, NanoUsd, OverBudget, Unpriced, UsdRates};
pub use call::{Begin, Call, CallDraft, CallEnd, Called, NotBegun};
pub use cursor::{Actor, Cursor, JudgeMode, Repair, Round, closing, completed_rounds, from_turns};
pub use language::{LabelLanguage, Language, NotALanguage};
pub use order::{NotObeyed, Order};
pub use plan::{Limit, Plan, Progress, Then, plan, stop};
pub use price::{Currency, Money, NotACurrency, NotARate, Price, Prices, Rate};
pub use prompt::{Brief, PromptVersion, prompt, repaired};
pub use retell::{Unfit, retell};
pub use run::{ListPlace, Opening, Record, Run, RunQuery, Said};
pub use settings::{Defaults, InvalidSetting, Problem, Settings, SettingsDraft, Stance};
pub use status::{Command, End, Ended, Flight, Refusal, Standing, Status, StopReason, ended, next};
pub use turn::{Metadata, Outcome, Turn};
pub use verdict::{Judgement, NotAVerdict, Score, Verdict, Winner};
pub use work::{HELD_SENTENCE, INTERRUPTED_SENTENCE, OnUnknown, StepEnd, Taken, created};
