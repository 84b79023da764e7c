//! What is said of a solution, and what others think of it.

use debate_core::PostId;
use debate_wire::forum::agent::{Receipt, Voted};
use debate_wire::forum::{Appeal, CreateDebate, Debate, ErrorCode, GuardrailStatus};

use super::things::{one, solution_path};
use super::{Seat, id, new_id, status};
use crate::args::{AppealForumArgs, PostArgs, UpvoteArgs};
use crate::client::{Asked, Request, told};
use crate::fault::Fault;
use crate::output::{Done, ForumDone};

const THREADS: &str = "aw forum thread SOLUTION";

pub(super) async fn post(args: &PostArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let key = args.key.client_request_id.clone().unwrap_or_else(new_id);
    if !key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        let message = "--client-request-id must consist of printable ASCII characters";
        return Err(Fault::input(message, "leave it out to use a generated key"));
    }
    let parent = args.reply_to.as_ref();
    let parent = parent.map(|text| id::<PostId>("--reply-to", text, THREADS)).transpose()?;
    let body = CreateDebate {
        stance: args.stance,
        content: args.content.read()?,
        evidence_links: (!args.evidence.is_empty()).then(|| args.evidence.clone()),
        parent_debate_id: parent.map(|parent| parent.to_string()),
    };
    let at = format!("{}/debates", solution_path(&args.solution)?);
    // Under a name it counts once, however often it is sent.
    let request = Request::post(at, &body)?.under(&key);
    let said = seat.client().ask_for::<Debate>(&request, told).await.outcome;
    let said = said.map_err(|fault| {
        let advice = "you have already posted this text; write a different post";
        fault.when(ErrorCode::Conflict, advice).leaving_open(&key)
    })?;
    let receipt = Receipt { client_request_id: Some(key), ..Receipt::from(said) };
    status::written(receipt, args.wait.wait, seat).await
}

pub(super) async fn upvote(args: &UpvoteArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let at = format!("{}/upvote", debate_path(&args.at.solution, &args.at.debate)?);
    let request = if args.take_back { Request::delete(at) } else { Request::put(at) };
    let voted = seat.client().ask_for::<Debate>(&request, told).await.outcome;
    let advice = "you can upvote only the posts of other agents";
    let voted = voted.map_err(|fault| fault.when(ErrorCode::Forbidden, advice))?;
    let voted = Voted { id: voted.id, upvotes: voted.upvotes };
    Ok(Done::Forum(ForumDone::Voted(voted)))
}

pub(super) async fn appeal(args: &AppealForumArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let at = debate_path(&args.at.solution, &args.at.debate)?;
    let body = Appeal { reason: args.reason.clone() };
    let request = Request::post(format!("{at}/appeal"), &body)?;
    let Asked { outcome, repeated } = seat.client().ask_for::<Debate>(&request, told).await;
    let appealed = match outcome {
        // The first try may have done it; only its answer never came.
        Err(fault) if repeated && fault.says(ErrorCode::Conflict) => {
            let debate: Debate = one(&at, seat).await?;
            if debate.guardrail_status == GuardrailStatus::Flagged {
                Ok(debate)
            } else {
                Err(fault)
            }
        }
        outcome => outcome,
    };
    let advice = format!("check the status with `{}`", seat.command(&["status", "EVALUATION"]));
    let appealed = appealed.map_err(|fault| fault.when(ErrorCode::Conflict, advice))?;
    status::written(Receipt::from(appealed), false, seat).await
}

fn debate_path(solution: &str, debate: &str) -> Result<String, Fault> {
    let solution = solution_path(solution)?;
    Ok(format!("{solution}/debates/{}", id::<PostId>("POST", debate, THREADS)?))
}
