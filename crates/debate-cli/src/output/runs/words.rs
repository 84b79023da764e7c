//! Labels and sentences of runs, the same in every format.

use debate_wire::runner::{
    Actor, Debate, Outcome, Settings, Stance, Status, StopReason, Turn, Verdict, Winner,
};

use crate::output::safe;

/// The notice of a run that uses only demo models.
pub(crate) const DEMO: &str = "\
Demo mode: scripted text, no model calls, no cost. For real models, start the server with an API \
key such as OPENAI_API_KEY, and pass --model and --judge.";

/// Whether a run uses only demo models.
pub(crate) fn is_demo(settings: &Settings) -> bool {
    [&settings.model_debater_a, &settings.model_debater_b, &settings.model_judge]
        .iter()
        .all(|model| model.starts_with("demo:"))
}

/// The label of an actor.
pub(super) fn label(actor: Actor) -> &'static str {
    match actor {
        Actor::DebaterA => "debater A",
        Actor::DebaterB => "debater B",
        Actor::Judge => "judge",
    }
}

/// The side of a debater; none for the judge.
pub(super) fn side(settings: &Settings, actor: Actor) -> Option<&'static str> {
    match (actor, settings.debater_a_side) {
        (Actor::DebaterA, Stance::Pro) | (Actor::DebaterB, Stance::Con) => Some("pro"),
        (Actor::DebaterA, Stance::Con) | (Actor::DebaterB, Stance::Pro) => Some("con"),
        (Actor::Judge, Stance::Pro | Stance::Con) => None,
    }
}

/// The model of an actor.
pub(super) fn model(settings: &Settings, actor: Actor) -> String {
    safe::line(match actor {
        Actor::DebaterA => &settings.model_debater_a,
        Actor::DebaterB => &settings.model_debater_b,
        Actor::Judge => &settings.model_judge,
    })
}

/// `debater A (pro)`
pub(crate) fn who(settings: &Settings, actor: Actor) -> String {
    match side(settings, actor) {
        Some(side) => format!("{} ({side})", label(actor)),
        None => label(actor).to_owned(),
    }
}

/// The notice of a turn that is not a complete, valid answer.
pub(super) fn caveat(turn: &Turn) -> Option<&'static str> {
    if turn.metadata.verdict.as_ref().is_some_and(|verdict| !verdict.verdict_valid) {
        return Some(
            "No verdict: the judge's answer was invalid. The placeholder counts as a tie.",
        );
    }
    match turn.metadata.outcome {
        Outcome::Ok => None,
        Outcome::Refused => Some("The model declined to answer."),
        Outcome::Truncated => Some("The answer was cut off at the token limit."),
    }
}

/// `A wins, 7 : 5`
pub(super) fn ruling(verdict: &Verdict) -> String {
    let outcome = match verdict.winner {
        Winner::A => "A wins",
        Winner::B => "B wins",
        Winner::Tie => "Tie",
    };
    format!("{outcome}, {} : {}", verdict.score_a, verdict.score_b)
}

/// The content of a turn; of a judge's turn only the summary, since the verdict is shown apart.
pub(super) fn content(turn: &Turn) -> &str {
    turn.metadata.verdict.as_ref().map_or(&turn.content, |verdict| &verdict.summary)
}

/// The status of a run as a sentence.
pub(crate) fn resting(debate: &Debate) -> String {
    let settings = &debate.settings;
    match (debate.status, debate.stop_reason) {
        (Status::Created, _) => "The run has not been started.".to_owned(),
        (Status::Running, _) => "The run is in progress.".to_owned(),
        (Status::Stopping, _) => "The run stops after the current turn.".to_owned(),
        (Status::Stopped, _) => "The run was stopped.".to_owned(),
        (Status::Canceled, _) => "The run was cancelled.".to_owned(),
        (Status::Failed, _) => {
            let why = debate.last_error.as_deref().unwrap_or("the cause is unknown");
            format!("The run failed: {}.", safe::line(why.trim_end_matches('.')))
        }
        (Status::Completed, Some(StopReason::MaxRounds)) => match settings.max_rounds {
            1 => "Finished: 1 round played.".to_owned(),
            rounds => format!("Finished: all {rounds} rounds played."),
        },
        (Status::Completed, Some(StopReason::MaxRuntimeSeconds)) => {
            "Finished: time limit reached.".to_owned()
        }
        (Status::Completed, Some(StopReason::MaxTotalOutputTokens)) => {
            "Finished: token limit reached.".to_owned()
        }
        (Status::Completed, Some(StopReason::JudgeEarlyStop)) => {
            "Finished: the judge found no new arguments in two rounds in a row.".to_owned()
        }
        (
            Status::Completed,
            Some(StopReason::ManualStop | StopReason::Canceled | StopReason::Error) | None,
        ) => "Finished.".to_owned(),
    }
}

/// The sum of the judge's valid verdicts; none if there are none.
pub(super) fn tally(turns: &[Turn]) -> Option<String> {
    let verdicts: Vec<&Verdict> = turns
        .iter()
        .filter_map(|turn| turn.metadata.verdict.as_ref())
        .filter(|verdict| verdict.verdict_valid)
        .collect();
    if verdicts.is_empty() {
        return None;
    }
    let won = |winner| verdicts.iter().filter(|verdict| verdict.winner == winner).count();
    let (a, b, ties) = (won(Winner::A), won(Winner::B), won(Winner::Tie));
    let total = |of: fn(&Verdict) -> u8| -> u32 {
        verdicts.iter().map(|verdict| u32::from(of(verdict))).sum()
    };
    let (for_a, for_b) = (total(|verdict| verdict.score_a), total(|verdict| verdict.score_b));
    let s = if ties == 1 { "" } else { "s" };
    Some(format!("Verdicts: A won {a}, B won {b}, {ties} tie{s}; total score {for_a} : {for_b}"))
}

/// A number and what it counts.
pub(super) fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", figure(count))
}

/// A number with its thousands apart.
pub(crate) fn figure(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds as a clock shows them.
pub(crate) fn elapsed(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::{elapsed, figure};

    #[test]
    fn numbers_are_shown_in_threes_and_times_as_clocks_do() {
        let figures = [0, 999, 1000, 12_345, 2_000_000].map(figure);
        assert_eq!(figures, ["0", "999", "1,000", "12,345", "2,000,000"]);
        let times = [0, 59, 60, 754, 3600, 86_400].map(elapsed);
        assert_eq!(times, ["0:00", "0:59", "1:00", "12:34", "1:00:00", "24:00:00"]);
    }
}
