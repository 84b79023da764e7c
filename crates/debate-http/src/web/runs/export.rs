//! A whole run to take away. It has at most a hundred rounds, so it is sent in one piece.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use debate_app::runner::{Runner, Story};
use debate_core::RunId;
use debate_core::runner::{Actor, Prices, Run, Settings as Rules, Turn};

use super::figures::Costs;
use super::turn::{Verdict, caveat};
use super::view::{Standing as Badge, is_demo, sentence, title, who};
use crate::edge::Settings;
use crate::parsed::InPath;
use crate::problem::Problem;
use crate::runner;
use crate::web::export::{MARKDOWN, code, named, plain, quoted, time};

/// `GET /runs/{id}/export.json`: what the API answers.
pub(crate) async fn export_json(
    runner: State<Runner>,
    settings: State<Arc<Settings>>,
    InPath(run): InPath<RunId>,
) -> Result<Response, Problem> {
    let answer = runner::story(runner, settings, InPath(run)).await?;
    Ok((named("run", run, "json"), answer).into_response())
}

/// `GET /runs/{id}/export.md`
pub(crate) async fn export_markdown(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    InPath(run): InPath<RunId>,
) -> Result<Response, Problem> {
    let story = runner.story(run).await?;
    // A long one takes a moment; those who wait for other things don't.
    let written = tokio::task::spawn_blocking(move || markdown(&story, &settings.prices)).await;
    let text = written.expect("rendering does not panic");
    Ok((named("run", run, "md"), MARKDOWN, text).into_response())
}

fn markdown(story: &Story, prices: &Prices) -> String {
    let Story { run, turns, costs } = story;
    let mut out = heading(run, &Costs::of(costs, prices));
    out.extend(turns.iter().map(|turn| told(turn, &run.settings)));
    let _ = write!(out, "## Status\n\n{}\n", sentence(run));
    if let Some(error) = &run.last_error {
        let _ = write!(out, "\n{}", quoted(error));
    }
    out
}

fn heading(run: &Run, costs: &Costs) -> String {
    let (topic, rules) = (run.topic.as_str(), &run.settings);
    let title = title(topic);
    let mut out = format!("# {}\n\n", plain(&title));
    if title != topic {
        let _ = writeln!(out, "{}", quoted(topic));
    }
    let (words, status) = (Badge::from(run.standing).words, run.standing.status());
    let _ = write!(out, "- run: `{}`\n- status: {words} (`{status}`)\n", run.id);
    for actor in Actor::ALL {
        let model = code(&rules.model_of(actor).to_string());
        let _ = writeln!(out, "- {}: {model}", who(rules, actor));
    }
    let money = costs.money.as_ref().map(|money| format!(", {money}")).unwrap_or_default();
    let _ = write!(
        out,
        "- rounds: {} of {}\n- calls: {}, {} input tokens, {} output tokens{money}\n\
         - created: {} UTC\n- last changed: {} UTC\n\n",
        run.completed_rounds,
        rules.max_rounds.number(),
        costs.calls,
        costs.prompt,
        costs.completion,
        time(run.created_at),
        time(run.updated_at),
    );
    if is_demo(rules) {
        out.push_str("**Demo mode: scripted text, no model calls, no cost.**\n\n");
    }
    out
}

/// One turn. Its content is a block quote, so that it cannot imitate another turn.
fn told(turn: &Turn, rules: &Rules) -> String {
    let actor = turn.place.actor;
    let mut out = format!(
        "## {}. Round {}, {}\n\n{} UTC, {}, `{}`\n\n",
        turn.seq,
        turn.place.round,
        who(rules, actor),
        time(turn.created_at),
        code(&rules.model_of(actor).to_string()),
        turn.id,
    );
    if let Some(caveat) = caveat(turn.metadata.outcome) {
        let _ = write!(out, "*{caveat}*\n\n");
    }
    let judgement = turn.metadata.judgement.as_ref();
    if let Some(judgement) = judgement {
        let _ = write!(out, "{}\n\n", decided(&judgement.into()));
    }
    // A verdict's figures stand above; its reasons are the words.
    let words = judgement.map_or_else(|| turn.content.clone(), |one| one.verdict().summary);
    let _ = writeln!(out, "{}", quoted(&words));
    out
}

fn decided(verdict: &Verdict) -> String {
    if verdict.is_valid {
        let Verdict { winner, score_a, score_b, .. } = verdict;
        format!("**Winner: {winner}. Scores: A {score_a} of 10, B {score_b} of 10.**")
    } else {
        "*No valid verdict. The round counts as a tie without scores.*".to_owned()
    }
}
