//! Starts a run.

use debate_core::RunId;
use debate_wire::runner::agent::Started;
use debate_wire::runner::{CreateDebate, Debate, Enqueued, SettingsDraft, Status};

use super::{follow, new_id, path, run_id};
use crate::args::StartArgs;
use crate::client::{Request, bare};
use crate::commands::Desk;
use crate::fault::Fault;
use crate::output::{DEMO, Done, RunDone, is_demo};
use crate::service;

pub(super) async fn start(args: &StartArgs, desk: &Desk<'_>) -> Result<Done, Fault> {
    let key = args.key.client_request_id.clone().unwrap_or_else(new_id);
    if args.topic.trim().is_empty() {
        return Err(Fault::input("the topic is empty", "pass a topic to debate"));
    }
    let body = CreateDebate { topic: args.topic.clone(), settings: Some(settings(args)) };
    let creation = Request::post("/runner/debates", &body)?.under(&key);
    service::ensure(desk).await?;
    // The same name again finds the same debate, and starting one that runs does nothing: so the
    // whole command can be repeated, whatever it was that got lost.
    let open = |fault: Fault| fault.leaving_open(&key);
    let debate: Debate = desk.client.ask_for(&creation, bare).await.outcome.map_err(open)?;
    let run = run_id(&debate.id)?;
    let enqueued = !args.no_start && enqueue(run, desk).await.map_err(open)?;
    if args.follow.follow {
        return follow::follow(run, args.follow.deltas.deltas, desk).await;
    }
    let status = if enqueued { Status::Running } else { debate.status };
    let demo = is_demo(&debate.settings);
    let message = next_step(&debate.id, status, demo, desk);
    let started = Started { debate_id: debate.id, status, enqueued, demo, client_request_id: key };
    Ok(Done::Run(RunDone::Started(started, message)))
}

/// Starts it. That it runs already is not an error here: an earlier try has done it.
async fn enqueue(run: RunId, desk: &Desk<'_>) -> Result<bool, Fault> {
    let request = Request::command(path(run, "/start"));
    let answer: Enqueued = desk.client.ask_for(&request, bare).await.outcome?;
    Ok(answer.enqueued)
}

fn next_step(id: &str, status: Status, demo: bool, desk: &Desk<'_>) -> String {
    let next = match status {
        Status::Created => {
            let resume = desk.command(&["run", "resume", id, "--follow"]);
            format!("Run created. Start it with `{resume}`.")
        }
        Status::Running
        | Status::Stopping
        | Status::Stopped
        | Status::Failed
        | Status::Completed
        | Status::Canceled => {
            let follow = desk.command(&["run", "follow", id]);
            format!("Follow the run with `{follow}`.")
        }
    };
    if demo { format!("{next} {DEMO}") } else { next }
}

fn settings(args: &StartArgs) -> SettingsDraft {
    SettingsDraft {
        debater_a_side: args.side.clone(),
        output_language: args.language.clone(),
        judge_mode: args.judge_mode.clone(),
        max_rounds: args.rounds,
        max_runtime_seconds: args.max_seconds,
        max_total_output_tokens: args.max_tokens,
        max_tokens_debater: args.max_tokens_debater,
        max_tokens_judge: args.max_tokens_judge,
        model_debater: args.model.clone(),
        model_debater_a: args.model_a.clone(),
        model_debater_b: args.model_b.clone(),
        model_judge: args.judge.clone(),
        prompt_version: args.prompt_version.clone(),
    }
}
