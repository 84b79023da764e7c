//! Labels and transcripts of runs.

mod html;
mod markdown;

pub use html::html_transcript;
pub use markdown::{markdown_ending, markdown_heading, markdown_transcript, markdown_turn};

use debate_wire::runner::{
    Actor, Cost, Debate, Money, Outcome, Settings, Stance, Status, StopReason, Turn, Verdict,
    Winner,
};

use crate::facts::Fact;
use crate::{count, grouped, visible, wire_name};

/// The maximum length of a run's title, in characters. The topic can be longer.
const TITLE_CHARS_MAX: usize = 160;

/// The notice of a run that uses only demo models.
pub const DEMO_NOTICE: &str = "Demo mode: scripted text, no model calls, no cost.";

/// The label of a run's status.
#[must_use]
pub const fn status_label(status: Status) -> &'static str {
    match status {
        Status::Created => "Created",
        Status::Running => "Running",
        Status::Stopping => "Stopping",
        Status::Stopped => "Stopped",
        Status::Failed => "Failed",
        Status::Completed => "Completed",
        Status::Canceled => "Cancelled",
    }
}

/// The stylesheet's class of a run's status.
#[must_use]
pub const fn status_class(status: Status) -> &'static str {
    match status {
        Status::Created | Status::Stopped => "idle",
        Status::Running | Status::Stopping => "running",
        Status::Failed => "failed",
        Status::Completed | Status::Canceled => "closed",
    }
}

/// The label of an actor.
#[must_use]
pub const fn actor_label(actor: Actor) -> &'static str {
    match actor {
        Actor::DebaterA => "Debater A",
        Actor::DebaterB => "Debater B",
        Actor::Judge => "Judge",
    }
}

/// The side of a debater; none for the judge.
const fn side_label(debater_a_side: Stance, actor: Actor) -> Option<&'static str> {
    match (actor, debater_a_side) {
        (Actor::DebaterA, Stance::Pro) | (Actor::DebaterB, Stance::Con) => Some("pro"),
        (Actor::DebaterA, Stance::Con) | (Actor::DebaterB, Stance::Pro) => Some("con"),
        (Actor::Judge, Stance::Pro | Stance::Con) => None,
    }
}

/// An actor with its side: `Debater A (pro)`.
#[must_use]
pub fn actor_with_side(debater_a_side: Stance, actor: Actor) -> String {
    match side_label(debater_a_side, actor) {
        Some(side) => format!("{} ({side})", actor_label(actor)),
        None => actor_label(actor).to_owned(),
    }
}

/// The model of an actor as `provider:model`.
#[must_use]
pub fn model_name(settings: &Settings, actor: Actor) -> &str {
    match actor {
        Actor::DebaterA => &settings.model_debater_a,
        Actor::DebaterB => &settings.model_debater_b,
        Actor::Judge => &settings.model_judge,
    }
}

/// Whether a run uses only demo models.
#[must_use]
pub fn is_demo(settings: &Settings) -> bool {
    [Actor::DebaterA, Actor::DebaterB, Actor::Judge]
        .into_iter()
        .all(|actor| is_demo_model(model_name(settings, actor)))
}

fn is_demo_model(model: &str) -> bool {
    model.starts_with("demo:")
}

/// The first 160 characters of a topic, on one line.
#[must_use]
pub fn title(topic: &str) -> String {
    visible::excerpt(topic, TITLE_CHARS_MAX)
}

/// The status of a run as a sentence. The error of a failed run is not included.
#[must_use]
pub fn status_sentence(run: &Debate) -> String {
    let turn = format!("round {}, {}", run.next_round, actor_label(run.next_actor));
    let finished = match (run.status, run.stop_reason) {
        (Status::Created, _) => return "The run has not been started.".to_owned(),
        (Status::Running, _) => return format!("The run is in progress. Current turn: {turn}."),
        (Status::Stopping, _) => return format!("The run stops after the current turn: {turn}."),
        (Status::Stopped, _) => {
            return format!("The run was stopped. You can resume it. Next turn: {turn}.");
        }
        (Status::Failed, _) => {
            return format!("The run failed: {turn}. Fix the problem, then retry the run.");
        }
        (Status::Canceled, _) => {
            return "The run was cancelled and cannot be resumed.".to_owned();
        }
        (Status::Completed, Some(StopReason::MaxRounds)) => match run.settings.max_rounds {
            1 => "the only round was played",
            rounds => return format!("Finished: all {rounds} rounds played."),
        },
        (Status::Completed, Some(StopReason::MaxRuntimeSeconds)) => "time limit reached",
        (Status::Completed, Some(StopReason::MaxTotalOutputTokens)) => "token limit reached",
        (Status::Completed, Some(StopReason::JudgeEarlyStop)) => {
            "the judge found no new arguments in two rounds in a row"
        }
        (
            Status::Completed,
            Some(StopReason::ManualStop | StopReason::Canceled | StopReason::Error) | None,
        ) => return "Finished.".to_owned(),
    };
    format!("Finished: {finished}.")
}

/// The notice of a turn that is not a complete, valid answer.
#[must_use]
pub fn turn_notice(turn: &Turn) -> Option<&'static str> {
    if turn.metadata.verdict.as_ref().is_some_and(|verdict| !verdict.verdict_valid) {
        return Some("No valid verdict. The round counts as a tie without scores.");
    }
    match turn.metadata.outcome {
        Outcome::Ok => None,
        Outcome::Refused => Some("The model declined to answer. This turn has no argument."),
        Outcome::Truncated => Some("The answer was cut off at the token limit."),
    }
}

/// The winner of a round.
#[must_use]
pub const fn winner_label(winner: Winner) -> &'static str {
    match winner {
        Winner::A => actor_label(Actor::DebaterA),
        Winner::B => actor_label(Actor::DebaterB),
        Winner::Tie => "Tie",
    }
}

/// A valid verdict on one line: `Winner: Debater A. Scores: A 7 of 10, B 5 of 10.`
#[must_use]
pub fn verdict_line(turn: &Turn) -> Option<String> {
    let verdict = valid_verdict(turn)?;
    let winner = match verdict.winner {
        Winner::A | Winner::B => format!("Winner: {}", winner_label(verdict.winner)),
        Winner::Tie => winner_label(verdict.winner).to_owned(),
    };
    let (a, b) = (verdict.score_a, verdict.score_b);
    Some(format!("{winner}. Scores: A {a} of 10, B {b} of 10."))
}

/// The text of a turn; of a judge's turn only the summary, since the verdict is shown apart.
#[must_use]
pub fn turn_text(turn: &Turn) -> &str {
    turn.metadata.verdict.as_ref().map_or(&turn.content, |verdict| &verdict.summary)
}

fn valid_verdict(turn: &Turn) -> Option<&Verdict> {
    turn.metadata.verdict.as_ref().filter(|verdict| verdict.verdict_valid)
}

/// The sum of the valid verdicts; none if there are none.
#[must_use]
pub fn verdict_tally(turns: &[Turn]) -> Option<String> {
    let verdicts: Vec<&Verdict> = turns.iter().filter_map(valid_verdict).collect();
    if verdicts.is_empty() {
        return None;
    }
    let won = |winner| verdicts.iter().filter(|verdict| verdict.winner == winner).count();
    let (a, b, ties) = (won(Winner::A), won(Winner::B), won(Winner::Tie));
    let a_total: u32 = verdicts.iter().map(|verdict| u32::from(verdict.score_a)).sum();
    let b_total: u32 = verdicts.iter().map(|verdict| u32::from(verdict.score_b)).sum();
    let s = if ties == 1 { "" } else { "s" };
    Some(format!(
        "Verdicts: A won {a}, B won {b}, {ties} tie{s}; total score {a_total} : {b_total}."
    ))
}

/// An amount of money with its currency: `0.012345 USD`.
#[must_use]
pub fn money(money: &Money) -> String {
    format!("{} {}", money.amount, money.currency)
}

fn facts(run: &Debate, cost: &Cost) -> Vec<Fact> {
    let settings = &run.settings;
    let mut facts = vec![
        Fact::code("run", &run.id),
        Fact::value("status", status_label(run.status), wire_name(&run.status)),
    ];
    for actor in [Actor::DebaterA, Actor::DebaterB, Actor::Judge] {
        facts.push(Fact::code(
            &actor_with_side(settings.debater_a_side, actor),
            model_name(settings, actor),
        ));
    }
    let paid = cost.money.as_ref().map(|paid| format!(", {}", money(paid))).unwrap_or_default();
    let calls = format!(
        "{}, {} input tokens, {} output tokens{paid}",
        grouped(cost.calls),
        grouped(cost.prompt_tokens),
        grouped(cost.completion_tokens),
    );
    facts.extend([
        Fact::text("rounds", format!("{} of {}", run.completed_rounds, settings.max_rounds)),
        Fact::text("limit", count(settings.max_total_output_tokens.into(), "output token")),
        Fact::text("calls", calls),
        Fact::time("created", &run.created_at),
        Fact::time("last changed", &run.updated_at),
    ]);
    facts
}
