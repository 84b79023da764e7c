//! The same words for the same things, whatever the format.

use debate_wire::runner::{
    Actor, Debate, Outcome, Settings, Stance, Status, StopReason, Turn, Verdict, Winner,
};

use crate::output::safe;

/// What is said of a debate that no model takes part in.
pub(crate) const DEMO: &str = "\
This is a demo: built-in texts speak, no model is asked, and nothing is paid. With a key for the \
server, such as OPENAI_API_KEY, name models with --model and --judge.";

/// Whether all that speaks in a debate is the built-in demo.
pub(crate) fn is_demo(settings: &Settings) -> bool {
    [&settings.model_debater_a, &settings.model_debater_b, &settings.model_judge]
        .iter()
        .all(|model| model.starts_with("demo:"))
}

/// Who an actor is, in words.
pub(super) fn label(actor: Actor) -> &'static str {
    match actor {
        Actor::DebaterA => "debater A",
        Actor::DebaterB => "debater B",
        Actor::Judge => "judge",
    }
}

/// What an actor argues; a judge argues nothing.
pub(super) fn side(settings: &Settings, actor: Actor) -> Option<&'static str> {
    match (actor, settings.debater_a_side) {
        (Actor::DebaterA, Stance::Pro) | (Actor::DebaterB, Stance::Con) => Some("pro"),
        (Actor::DebaterA, Stance::Con) | (Actor::DebaterB, Stance::Pro) => Some("con"),
        (Actor::Judge, Stance::Pro | Stance::Con) => None,
    }
}

/// Which model speaks for an actor.
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

/// What a turn came to, where that is not an answer as it was asked for.
pub(super) fn caveat(turn: &Turn) -> Option<&'static str> {
    if turn.metadata.verdict.as_ref().is_some_and(|verdict| !verdict.verdict_valid) {
        return Some(
            "The judge gave no valid verdict; this is a placeholder that counts as a tie.",
        );
    }
    match turn.metadata.outcome {
        Outcome::Ok => None,
        Outcome::Refused => Some("The model declined to answer; this is no argument."),
        Outcome::Truncated => Some("The answer was cut off at its limit of tokens."),
    }
}

/// `A wins, 7 : 5`
pub(super) fn ruling(verdict: &Verdict) -> String {
    let outcome = match verdict.winner {
        Winner::A => "A wins",
        Winner::B => "B wins",
        Winner::Tie => "A tie",
    };
    format!("{outcome}, {} : {}", verdict.score_a, verdict.score_b)
}

/// What was said, without what the verdict says anyway.
pub(super) fn content(turn: &Turn) -> &str {
    turn.metadata.verdict.as_ref().map_or(&turn.content, |verdict| &verdict.summary)
}

/// How a debate that does not run stands, in a sentence.
pub(crate) fn resting(debate: &Debate) -> String {
    let settings = &debate.settings;
    let completed = |why: String| format!("The debate is completed: {why}.");
    match (debate.status, debate.stop_reason) {
        (Status::Created, _) => "The debate has not been started.".to_owned(),
        (Status::Running, _) => "The debate is running.".to_owned(),
        (Status::Stopping, _) => "The debate stops when the turn in flight is done.".to_owned(),
        (Status::Stopped, _) => "The debate was stopped.".to_owned(),
        (Status::Canceled, _) => "The debate was canceled.".to_owned(),
        (Status::Failed, _) => {
            let why = debate.last_error.as_deref().unwrap_or("it is not known why");
            format!("The debate has failed: {}.", safe::line(why.trim_end_matches('.')))
        }
        (Status::Completed, Some(StopReason::MaxRounds)) => {
            completed(format!("it has had its {}", counted(settings.max_rounds.into(), "round")))
        }
        (Status::Completed, Some(StopReason::MaxRuntimeSeconds)) => completed(format!(
            "it has had its {}",
            counted(settings.max_runtime_seconds.into(), "second")
        )),
        (Status::Completed, Some(StopReason::MaxTotalOutputTokens)) => completed(format!(
            "it has had its {}",
            counted(settings.max_total_output_tokens.into(), "token")
        )),
        (Status::Completed, Some(StopReason::JudgeEarlyStop)) => {
            completed("the judge saw nothing new two times in a row".to_owned())
        }
        (
            Status::Completed,
            Some(StopReason::ManualStop | StopReason::Canceled | StopReason::Error) | None,
        ) => "The debate is completed.".to_owned(),
    }
}

/// How the judge's rulings add up; none without any.
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
    let points = |of: fn(&Verdict) -> u8| -> u32 {
        verdicts.iter().map(|verdict| u32::from(of(verdict))).sum()
    };
    let (for_a, for_b) = (points(|verdict| verdict.score_a), points(|verdict| verdict.score_b));
    let s = if ties == 1 { "" } else { "s" };
    Some(format!("A won {a}, B won {b}, {ties} tie{s}; points {for_a} : {for_b}"))
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
