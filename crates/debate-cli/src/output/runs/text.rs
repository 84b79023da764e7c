//! Text output of `aw run`.

use std::fmt::Write;

use debate_wire::runner::agent::{Attempts, Debates, Moved, Started};
use debate_wire::runner::{
    Actor, Attempt, CallOutcome, Cost, Debate, ListedDebate, Settings, Status, Story, Turn,
};

use super::RunDone;
use super::words::{self, counted, elapsed, figure};
use crate::args::name;
use crate::output::safe;
use crate::output::text::{Paint, rows};

pub(super) fn result(done: &RunDone, paint: Paint) -> String {
    match done {
        RunDone::Started(started, message) => self::started(started, message, paint),
        RunDone::Moved(moved, message) => self::moved(moved, message, paint),
        RunDone::List(debates) => list(debates, paint),
        RunDone::Story(story) => self::story(story, paint),
        RunDone::Attempts(attempts) => self::attempts(attempts, paint),
        RunDone::Exported(exported) => {
            let (path, turns) = (safe::line(&exported.path), counted(exported.turns, "turn"));
            format!("{path}: {turns}, {} bytes\n", exported.bytes)
        }
    }
}

fn colour(status: Status) -> &'static str {
    match status {
        Status::Created | Status::Stopping | Status::Stopped => "33",
        Status::Running => "36",
        Status::Failed => "31",
        Status::Completed => "32",
        Status::Canceled => "2",
    }
}

fn status_of(status: Status, paint: Paint) -> String {
    paint.with(colour(status), &name(&status))
}

fn started(started: &Started, message: &str, paint: Paint) -> String {
    let lines = [
        ("run", started.debate_id.clone()),
        ("status", status_of(started.status, paint)),
        ("idempotency key", safe::line(&started.client_request_id)),
    ];
    format!("{}\n{message}\n", rows(&lines, paint))
}

fn moved(moved: &Moved, message: &str, paint: Paint) -> String {
    let mut lines =
        vec![("run", moved.debate_id.clone()), ("status", status_of(moved.status, paint))];
    // Why it has failed is in the message.
    if let Some(error) = moved.last_error.as_ref().filter(|_| moved.status != Status::Failed) {
        lines.push(("error", safe::line(error)));
    }
    format!("{}\n{message}\n", rows(&lines, paint))
}

fn list(debates: &Debates, paint: Paint) -> String {
    let mut out: String = debates.debates.iter().map(|debate| entry(debate, paint)).collect();
    if debates.debates.is_empty() {
        out.push_str("No runs found. Start one: aw run start 'TOPIC' --follow\n");
    }
    if let Some(cursor) = &debates.next_cursor {
        let _ = writeln!(out, "Next page: --cursor {}", crate::shell::quote(cursor));
    }
    out
}

fn entry(debate: &ListedDebate, paint: Paint) -> String {
    const LONGEST: usize = "completed".len();
    // Padded by the visible width: colours take no columns.
    let pad = " ".repeat(LONGEST.saturating_sub(name(&debate.status).len()));
    let rounds = counted(debate.completed_rounds.into(), "round");
    format!(
        "{}  {}{pad}  {rounds:>10}  {}  {}\n",
        debate.id,
        status_of(debate.status, paint),
        paint.dim(&debate.updated_at),
        safe::line(&debate.topic),
    )
}

fn story(story: &Story, paint: Paint) -> String {
    let settings = &story.debate.settings;
    let mut out = heading(&story.debate, paint);
    for each in &story.turns {
        out.push_str(&turn(settings, each, paint));
    }
    out.push_str(&summary(story, paint));
    out
}

/// The topic, the settings and the status of a run.
pub(crate) fn heading(debate: &Debate, paint: Paint) -> String {
    let settings = &debate.settings;
    let speaker = |actor| {
        let model = words::model(settings, actor);
        (
            words::label(actor),
            words::side(settings, actor).map_or(model.clone(), |side| format!("{side}, {model}")),
        )
    };
    let mut out = format!("{}\n", paint.bold(&safe::line(&debate.topic)));
    let limits = format!(
        "{}, {}, {}",
        counted(settings.max_rounds.into(), "round"),
        counted(settings.max_total_output_tokens.into(), "token"),
        elapsed(settings.max_runtime_seconds.into()),
    );
    let lines = [
        ("run", debate.id.clone()),
        ("status", status_of(debate.status, paint)),
        speaker(Actor::DebaterA),
        speaker(Actor::DebaterB),
        speaker(Actor::Judge),
        ("limits", limits),
    ];
    out.push_str(&rows(&lines, paint));
    if words::is_demo(settings) {
        let _ = writeln!(out, "  {}", paint.with("33", words::DEMO));
    }
    out.push('\n');
    out
}

/// `Round 2 · debater A (pro) · openai:gpt-5`
pub(crate) fn headline(settings: &Settings, round: u32, actor: Actor, paint: Paint) -> String {
    let code = match actor {
        Actor::DebaterA => "1;36",
        Actor::DebaterB => "1;33",
        Actor::Judge => "1;35",
    };
    let who = paint.with(code, &words::who(settings, actor));
    let model = paint.dim(&words::model(settings, actor));
    format!("{} · {who} · {model}\n", paint.bold(&format!("Round {round}")))
}

/// A complete turn.
pub(crate) fn turn(settings: &Settings, turn: &Turn, paint: Paint) -> String {
    let mut out = headline(settings, turn.round, turn.actor, paint);
    for line in said(turn, paint).lines() {
        let line = format!("  {line}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push_str(&footer(settings, turn, paint));
    out
}

/// The content of a turn; a verdict comes first.
pub(crate) fn said(turn: &Turn, paint: Paint) -> String {
    let content = safe::block(words::content(turn));
    match &turn.metadata.verdict {
        Some(verdict) => format!("{}\n{content}", paint.bold(&words::ruling(verdict))),
        None => content,
    }
}

/// The notices and figures below a turn; its model if the provider reports another name.
pub(crate) fn footer(settings: &Settings, turn: &Turn, paint: Paint) -> String {
    let mut out = String::new();
    if let Some(caveat) = words::caveat(turn) {
        let _ = writeln!(out, "  {}", paint.with("33", caveat));
    }
    let tokens = turn.usage.completion_tokens.map(|count| counted(count.into(), "token"));
    let asked = words::model(settings, turn.actor);
    let model = turn.model.as_deref().map(safe::line);
    let model = model.filter(|model| !asked.ends_with(model.as_str()));
    let known: Vec<_> = model.into_iter().chain(tokens).collect();
    if !known.is_empty() {
        let _ = writeln!(out, "  {}", paint.dim(&known.join(" · ")));
    }
    out.push('\n');
    out
}

/// The status, the verdicts and the cost of a run.
pub(crate) fn summary(story: &Story, paint: Paint) -> String {
    let debate = &story.debate;
    let mut out = format!("{}\n", paint.with(colour(debate.status), &words::resting(debate)));
    let _ = writeln!(out, "{}", words::tally(&story.turns).unwrap_or_default());
    let _ = writeln!(out, "{}", spent(debate, &story.cost));
    out.replace("\n\n", "\n")
}

fn spent(debate: &Debate, cost: &Cost) -> String {
    let budget = figure(debate.settings.max_total_output_tokens.into());
    let money = cost
        .money
        .as_ref()
        .map(|money| format!(", {} {}", safe::line(&money.amount), safe::line(&money.currency)));
    let unknown = match cost.unknown_calls {
        0 => String::new(),
        count => format!(" ({} with unknown outcome)", figure(count)),
    };
    format!(
        "{} of {budget} tokens in {}{unknown}{}, running time {}",
        figure(debate.spent_tokens),
        counted(cost.calls, "call"),
        money.unwrap_or_default(),
        elapsed(debate.ran_seconds),
    )
}

fn attempts(attempts: &Attempts, paint: Paint) -> String {
    if attempts.attempts.is_empty() {
        return "No model calls yet.\n".to_owned();
    }
    attempts.attempts.iter().map(|attempt| call(attempt, paint)).collect()
}

fn call(attempt: &Attempt, paint: Paint) -> String {
    let outcome = match (attempt.outcome, attempt.in_flight) {
        (CallOutcome::Ok, _) => paint.with("32", "ok"),
        (CallOutcome::Error, _) => paint.with("31", "error"),
        (CallOutcome::Unknown, true) => paint.with("36", "in progress"),
        (CallOutcome::Unknown, false) => paint.with("33", "unknown"),
    };
    let count = |tokens: Option<u32>| tokens.map_or("?".to_owned(), |tokens| figure(tokens.into()));
    format!(
        "round {:>3}  {:9}  attempt {}  {}  {}  tokens {} in, {} of {} out  {outcome}\n",
        attempt.round,
        words::label(attempt.actor),
        attempt.attempt,
        paint.dim(&attempt.started_at),
        safe::line(&attempt.model),
        count(attempt.usage.prompt_tokens),
        count(attempt.usage.completion_tokens),
        figure(attempt.max_tokens.into()),
    )
}
