//! Starts a run.

use debate_core::RunId;
use debate_render::runner::is_demo;
use debate_wire::runner::agent::Started;
use debate_wire::runner::{CreateDebate, Debate, Enqueued, SettingsDraft, Status};

use super::{follow, missing_key, new_id, path, run_id};
use crate::args::StartArgs;
use crate::client::{ApiRequest, parse_body};
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::{CommandOutput, RunnerOutput, demo_notice};
use crate::service;

pub(super) async fn start(
    args: &StartArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let key = args.key.client_request_id.clone().unwrap_or_else(new_id);
    if args.topic.trim().is_empty() {
        return Err(Failure::input("the topic is empty", "pass a topic to debate"));
    }
    let body = CreateDebate { topic: args.topic.clone(), settings: Some(settings(args)) };
    let creation = ApiRequest::post("/runner/debates", &body)?.with_key(&key);
    service::ensure(context).await?;
    // The same key finds the same run, and starting a running run has no effect: so the command can
    // be repeated after any lost response.
    let open = |failure: Failure| failure.with_unknown_outcome(&key);
    let debate: Debate = match create(&creation, context).await {
        Ok(debate) => debate,
        Err(failure) => {
            missing_key::restart_with_key(failure, args, context).await.map_err(open)?;
            create(&creation, context).await.map_err(open)?
        }
    };
    let run = run_id(&debate.id)?;
    let enqueued = !args.no_start && enqueue(run, context).await.map_err(open)?;
    if args.follow.follow {
        return follow::follow(run, args.follow.deltas.deltas, context).await;
    }
    let status = if enqueued { Status::Running } else { debate.status };
    let demo = is_demo(&debate.settings);
    let message = next_step(&debate.id, status, demo, context);
    let started = Started { debate_id: debate.id, status, enqueued, demo, client_request_id: key };
    Ok(RunnerOutput::Started(started, message).into())
}

async fn create(creation: &ApiRequest, context: &CommandContext<'_>) -> Result<Debate, Failure> {
    context.client.request_with(creation, parse_body).await.outcome
}

/// Starts the run. A run that is already running is not an error: an earlier attempt started it.
async fn enqueue(run: RunId, context: &CommandContext<'_>) -> Result<bool, Failure> {
    let request = ApiRequest::command(path(run, "/start"));
    let answer: Enqueued = context.client.request_with(&request, parse_body).await.outcome?;
    Ok(answer.enqueued)
}

fn next_step(id: &str, status: Status, demo: bool, context: &CommandContext<'_>) -> String {
    let next = match status {
        Status::Created => {
            let resume = context.command(&["run", "resume", id, "--follow"]);
            format!("Run created. Start it with `{resume}`.")
        }
        Status::Running
        | Status::Stopping
        | Status::Stopped
        | Status::Failed
        | Status::Completed
        | Status::Canceled => {
            let follow = context.command(&["run", "follow", id]);
            format!("Follow the run with `{follow}`.")
        }
    };
    if demo { format!("{next} {}", demo_notice()) } else { next }
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
