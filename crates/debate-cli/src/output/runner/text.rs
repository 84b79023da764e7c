//! Text output of `aw run`.

use std::fmt::Write;

use debate_render::runner::{
    actor_label, actor_with_side, is_demo, model_name, money, status_label, turn_notice, turn_text,
    verdict_line, verdict_tally,
};
use debate_render::{count, duration, grouped, visible};
use debate_wire::runner::agent::{Attempts, Debates, Started, StatusChange};
use debate_wire::runner::{
    Actor, Attempt, CallOutcome, Cost, Debate, ListedDebate, Settings, Status, Story, Turn,
};

use super::{RunnerOutput, demo_notice, status_message};
use crate::output::table::{Cell, Table};
use crate::output::text::{TextStyle, rows};
use crate::output::{styled_markdown, time};

pub(in crate::output) fn text(output: &RunnerOutput, style: TextStyle) -> String {
    match output {
        RunnerOutput::Started(started, message) => start_result(started, message, style),
        RunnerOutput::StatusChange(moved, message) => changed_run(moved, message, style),
        RunnerOutput::List(debates) => list(debates, style),
        RunnerOutput::Story(story) => self::story(story, style),
        RunnerOutput::Attempts(attempts) => self::attempts(attempts, style),
        RunnerOutput::Exported(exported) => {
            let (path, turns) = (visible::line(&exported.path), count(exported.turns, "turn"));
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

fn painted_status(status: Status, style: TextStyle) -> String {
    style.paint(colour(status), status_label(status))
}

fn start_result(started: &Started, message: &str, style: TextStyle) -> String {
    let lines = [
        ("run", started.debate_id.clone()),
        ("status", painted_status(started.status, style)),
        ("idempotency key", visible::line(&started.client_request_id)),
    ];
    format!("{}\n{message}\n", rows(&lines, style))
}

fn changed_run(moved: &StatusChange, message: &str, style: TextStyle) -> String {
    let mut lines =
        vec![("run", moved.debate_id.clone()), ("status", painted_status(moved.status, style))];
    // The message has the error of a failed run.
    if let Some(error) = moved.last_error.as_ref().filter(|_| moved.status != Status::Failed) {
        lines.push(("error", visible::line(error)));
    }
    format!("{}\n{message}\n", rows(&lines, style))
}

fn list(debates: &Debates, style: TextStyle) -> String {
    let mut out = run_table(&debates.debates, style).text(style);
    if debates.debates.is_empty() {
        out.push_str("No runs found. Start one: aw run start 'TOPIC' --follow\n");
    }
    if let Some(cursor) = &debates.next_cursor {
        let _ = writeln!(out, "Next page: --cursor {}", crate::shell::quote(cursor));
    }
    out
}

/// The list of runs, for text and for Markdown.
pub(super) fn run_table(runs: &[ListedDebate], style: TextStyle) -> Table {
    let mut table = Table::new(&["Topic", "Status", "Rounds", "Changed"]);
    for run in runs {
        let status = Cell::painted(status_label(run.status), colour(run.status));
        let rounds = Cell::new(&count(run.completed_rounds.into(), "round"));
        let changed = Cell::painted(&time::show(&run.updated_at, style), "2");
        table.add(vec![Cell::new(&run.topic), status, rounds, changed], &run.id);
    }
    table
}

fn story(story: &Story, style: TextStyle) -> String {
    let settings = &story.debate.settings;
    let mut out = heading(&story.debate, style);
    for each in &story.turns {
        out.push_str(&turn(settings, each, style));
    }
    out.push_str(&summary(story, style));
    out
}

/// The topic, the settings and the status of a run.
pub(super) fn heading(debate: &Debate, style: TextStyle) -> String {
    let settings = &debate.settings;
    let actors = [Actor::DebaterA, Actor::DebaterB, Actor::Judge];
    let actors = actors.map(|actor| {
        (
            actor_with_side(settings.debater_a_side, actor),
            visible::line(model_name(settings, actor)),
        )
    });
    let mut out = format!("{}\n", style.bold(&visible::line(&debate.topic)));
    let limits = format!(
        "{}, {}, {}",
        count(settings.max_rounds.into(), "round"),
        count(settings.max_total_output_tokens.into(), "token"),
        duration(settings.max_runtime_seconds.into()),
    );
    let mut lines =
        vec![("run", debate.id.clone()), ("status", painted_status(debate.status, style))];
    lines.extend(actors.iter().map(|(actor, model)| (actor.as_str(), model.clone())));
    lines.push(("limits", limits));
    out.push_str(&rows(&lines, style));
    if is_demo(settings) {
        let _ = writeln!(out, "  {}", style.paint("33", &demo_notice()));
    }
    out.push('\n');
    out
}

/// `Round 2 · Debater A (pro) · openai:gpt-5`
pub(super) fn turn_heading(
    settings: &Settings,
    round: u32,
    actor: Actor,
    style: TextStyle,
) -> String {
    let code = match actor {
        Actor::DebaterA => "1;36",
        Actor::DebaterB => "1;33",
        Actor::Judge => "1;35",
    };
    let actor_label = style.paint(code, &actor_with_side(settings.debater_a_side, actor));
    let model = style.dim(&visible::line(model_name(settings, actor)));
    format!("{} · {actor_label} · {model}\n", style.bold(&format!("Round {round}")))
}

/// A complete turn with its heading.
pub(super) fn turn(settings: &Settings, turn: &Turn, style: TextStyle) -> String {
    let mut out = turn_heading(settings, turn.round, turn.actor, style);
    out.push_str(&turn_content(turn, style));
    out.push_str(&turn_footer(settings, turn, style));
    out
}

/// The content of a turn, indented; a verdict comes first.
pub(super) fn turn_content(turn: &Turn, style: TextStyle) -> String {
    let verdict = verdict_line(turn).map(|verdict| format!("  {}\n", style.bold(&verdict)));
    let content = styled_markdown::render(turn_text(turn), "  ", style);
    verdict.unwrap_or_default() + &content
}

/// The notices and figures below a turn; its model if the provider reports another name.
pub(super) fn turn_footer(settings: &Settings, turn: &Turn, style: TextStyle) -> String {
    let mut out = String::new();
    if let Some(notice) = turn_notice(turn) {
        let _ = writeln!(out, "  {}", style.paint("33", notice));
    }
    let tokens = turn.usage.completion_tokens.map(|tokens| count(tokens.into(), "token"));
    let requested = model_name(settings, turn.actor);
    let model = turn.model.as_deref().map(visible::line);
    let model = model.filter(|model| !requested.ends_with(model.as_str()));
    let known: Vec<_> = model.into_iter().chain(tokens).collect();
    if !known.is_empty() {
        let _ = writeln!(out, "  {}", style.dim(&known.join(" · ")));
    }
    out.push('\n');
    out
}

/// The status, the verdicts and the cost of a run.
pub(super) fn summary(story: &Story, style: TextStyle) -> String {
    let debate = &story.debate;
    let mut out = format!("{}\n", style.paint(colour(debate.status), &status_message(debate)));
    let _ = writeln!(out, "{}", verdict_tally(&story.turns).unwrap_or_default());
    let _ = writeln!(out, "{}", cost_line(debate, &story.cost));
    out.replace("\n\n", "\n")
}

fn cost_line(debate: &Debate, cost: &Cost) -> String {
    let budget = grouped(debate.settings.max_total_output_tokens.into());
    let paid = cost.money.as_ref().map(|paid| format!(", {}", visible::line(&money(paid))));
    let unknown = match cost.unknown_calls {
        0 => String::new(),
        calls => format!(" ({} with unknown outcome)", grouped(calls)),
    };
    format!(
        "{} of {budget} tokens in {}{unknown}{}, running time {}",
        grouped(debate.spent_tokens),
        count(cost.calls, "call"),
        paid.unwrap_or_default(),
        duration(debate.ran_seconds),
    )
}

fn attempts(attempts: &Attempts, style: TextStyle) -> String {
    if attempts.attempts.is_empty() {
        return "No model calls yet.\n".to_owned();
    }
    attempts.attempts.iter().map(|attempt| attempt_row(attempt, style)).collect()
}

fn attempt_row(attempt: &Attempt, style: TextStyle) -> String {
    let outcome = match (attempt.outcome, attempt.in_flight) {
        (CallOutcome::Ok, _) => style.paint("32", "ok"),
        (CallOutcome::Error, _) => style.paint("31", "error"),
        (CallOutcome::Unknown, true) => style.paint("36", "in progress"),
        (CallOutcome::Unknown, false) => style.paint("33", "unknown"),
    };
    let tokens =
        |number: Option<u32>| number.map_or("?".to_owned(), |number| grouped(number.into()));
    format!(
        "round {:>3}  {:9}  attempt {}  {}  {}  tokens {} in, {} of {} out  {outcome}\n",
        attempt.round,
        actor_label(attempt.actor),
        attempt.attempt,
        style.dim(&time::show(&attempt.started_at, style)),
        visible::line(&attempt.model),
        tokens(attempt.usage.prompt_tokens),
        tokens(attempt.usage.completion_tokens),
        grouped(attempt.max_tokens.into()),
    )
}
