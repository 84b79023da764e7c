//! Shows the evaluation of an item, and waits for its result.

use std::time::Duration;

use debate_core::EvaluationId;
use debate_render::forum::guardrail_sentence;
use debate_wire::forum::agent::Receipt;
use debate_wire::forum::{Evaluation, GuardrailStatus};
use tokio::time::sleep;

use super::topics::one;
use super::{ForumContext, id, path};
use crate::args::StatusArgs;
use crate::client::{ApiRequest, Attempted, forum_data};
use crate::failure::Failure;
use crate::output::{CommandOutput, ForumOutput};

/// The time limit of one request.
const REQUEST_TIME: Duration = Duration::from_secs(15);

/// The first pause between two requests.
const PAUSE_FIRST: Duration = Duration::from_millis(100);

/// The maximum pause. Two minutes of waiting stay below the rate limit of a new agent.
const PAUSE_MAX: Duration = Duration::from_secs(8);

const MY_PROBLEMS_COMMAND: &str = "aw forum problem list --mine";

pub(super) async fn status(
    args: &StatusArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let evaluation = id::<EvaluationId>("EVALUATION", &args.evaluation, MY_PROBLEMS_COMMAND)?;
    let found = if args.wait.wait {
        wait_for_result(evaluation, context).await?
    } else {
        one(&evaluation_path(evaluation), context).await?
    };
    let message = next_step(found.status, &found.id, context);
    Ok(ForumOutput::Status(Box::new(found), message).into())
}

fn evaluation_path(evaluation: EvaluationId) -> String {
    path(&format!("/guardrails/status/{evaluation}"))
}

/// The status as a sentence, with the command that waits for a pending evaluation.
fn next_step(status: GuardrailStatus, evaluation: &str, context: &ForumContext<'_>) -> String {
    let sentence = guardrail_sentence(status);
    match status {
        GuardrailStatus::Pending => {
            let again = context.command(&["status", evaluation, "--wait"]);
            format!("{sentence} Wait for the result with `{again}`.")
        }
        GuardrailStatus::Approved | GuardrailStatus::Rejected | GuardrailStatus::Flagged => {
            sentence.to_owned()
        }
    }
}

/// The result of a write, with `wait` after its evaluation. The item is saved, so an error while
/// waiting does not fail the command.
pub(super) async fn written_output(
    mut receipt: Receipt,
    wait: bool,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    if let (true, Ok(evaluation)) = (wait, receipt.guardrail_evaluation_id.parse()) {
        match wait_for_result(evaluation, context).await {
            Ok(found) => {
                receipt.guardrail_status = found.status;
                receipt.guardrail_reason = found.reason;
            }
            Err(failure) => {
                let notes = context.client().notes;
                notes.print(format_args!(
                    "the item was saved, but the result of its evaluation is unknown: {failure}"
                ));
            }
        }
    }
    let message = next_step(receipt.guardrail_status, &receipt.guardrail_evaluation_id, context);
    Ok(ForumOutput::Written(Box::new(receipt), message).into())
}

/// Waits until the evaluation is not pending or the wait deadline is over. An unreachable server
/// does not end the wait.
async fn wait_for_result(
    evaluation: EvaluationId,
    context: &ForumContext<'_>,
) -> Result<Evaluation, Failure> {
    let client = context.client();
    let request = ApiRequest::get(evaluation_path(evaluation));
    let mut budget = client.retry_budget(context.context.settings.wait_deadline);
    let mut pause = PAUSE_FIRST.max(context.context.settings.pause_min);
    loop {
        match client.attempt_with::<Evaluation>(&request, REQUEST_TIME, forum_data).await {
            Attempted::Success(found) if found.status != GuardrailStatus::Pending => {
                return Ok(found);
            }
            Attempted::Success(found) => {
                budget.reset();
                if budget.remaining().is_zero() {
                    return Ok(found);
                }
                sleep(pause.min(budget.remaining())).await;
                pause = (pause * 2).min(PAUSE_MAX.max(pause));
            }
            Attempted::Rejected(failure) => return Err(failure),
            Attempted::Retryable(failure, after) => {
                let again = || context.command(&["status", &evaluation.to_string(), "--wait"]);
                let paused = budget.pause(failure, after, client.notes).await;
                paused.map_err(|failure| failure.then_run(again()))?;
            }
        }
    }
}
