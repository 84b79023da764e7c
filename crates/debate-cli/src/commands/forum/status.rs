//! What the guardrails make of something, now or once they know.

use std::time::Duration;

use debate_core::EvaluationId;
use debate_wire::forum::agent::Receipt;
use debate_wire::forum::{Evaluation, GuardrailStatus};
use tokio::time::sleep;

use super::things::one;
use super::{Seat, id, path};
use crate::args::StatusArgs;
use crate::client::{Request, Tried, told};
use crate::fault::Fault;
use crate::output::{Done, ForumDone, standing};

/// How long one look may take.
const LOOK_TIME: Duration = Duration::from_secs(15);

/// How soon is looked again at first.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How soon at last: two minutes of waiting stay far below what a new agent may ask in one.
const LOOK_AGAIN_MAX: Duration = Duration::from_secs(8);

const OWN: &str = "aw forum problem list --mine";

pub(super) async fn status(args: &StatusArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let evaluation = id::<EvaluationId>("EVALUATION", &args.evaluation, OWN)?;
    let found = if args.wait.wait {
        decided(evaluation, seat).await?
    } else {
        one(&at(evaluation), seat).await?
    };
    let message = next_step(found.status, &found.id, seat);
    Ok(Done::Forum(ForumDone::Status(Box::new(found), message)))
}

fn at(evaluation: EvaluationId) -> String {
    path(&format!("/guardrails/status/{evaluation}"))
}

/// How it stands and, while nothing is decided, how to go on waiting.
fn next_step(status: GuardrailStatus, evaluation: &str, seat: &Seat<'_>) -> String {
    let standing = standing(status);
    match status {
        GuardrailStatus::Pending => {
            let again = seat.command(&["status", evaluation, "--wait"]);
            format!("{standing} Wait for the result with `{again}`.")
        }
        GuardrailStatus::Approved | GuardrailStatus::Rejected | GuardrailStatus::Flagged => {
            standing.to_owned()
        }
    }
}

/// What was written, and with `wait` what became of it. It is written whatever happens now, so that
/// nothing that happens now makes it a failure.
pub(super) async fn written(
    mut receipt: Receipt,
    wait: bool,
    seat: &Seat<'_>,
) -> Result<Done, Fault> {
    if let (true, Ok(evaluation)) = (wait, receipt.guardrail_evaluation_id.parse()) {
        match decided(evaluation, seat).await {
            Ok(found) => {
                receipt.guardrail_status = found.status;
                receipt.guardrail_reason = found.reason;
            }
            Err(fault) => {
                let notes = seat.client().notes;
                notes.say(format_args!(
                    "the item was saved, but the result of its evaluation is unknown: {fault}"
                ));
            }
        }
    }
    let message = next_step(receipt.guardrail_status, &receipt.guardrail_evaluation_id, seat);
    Ok(Done::Forum(ForumDone::Written(Box::new(receipt), message)))
}

/// Looks until it is not pending any more, or the time for waiting is over. A server that is away
/// meanwhile is waited for.
async fn decided(evaluation: EvaluationId, seat: &Seat<'_>) -> Result<Evaluation, Fault> {
    let client = seat.client();
    let request = Request::get(at(evaluation));
    let mut patience = client.patience(seat.desk.settings.wait_deadline);
    let mut pause = LOOK_AGAIN.max(seat.desk.settings.pause_floor);
    loop {
        match client.try_for::<Evaluation>(&request, LOOK_TIME, told).await {
            Tried::Done(found) if found.status != GuardrailStatus::Pending => return Ok(found),
            Tried::Done(found) => {
                patience.calm();
                if patience.left().is_zero() {
                    return Ok(found);
                }
                sleep(pause.min(patience.left())).await;
                pause = (pause * 2).min(LOOK_AGAIN_MAX.max(pause));
            }
            Tried::Refused(fault) => return Err(fault),
            Tried::Again(fault, after) => {
                let again = || seat.command(&["status", &evaluation.to_string(), "--wait"]);
                let paused = patience.pause(fault, after, client.notes).await;
                paused.map_err(|fault| fault.then_run(again()))?;
            }
        }
    }
}
