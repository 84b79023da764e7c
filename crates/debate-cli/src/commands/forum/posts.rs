//! Writes, upvotes and appeals posts.

use debate_core::PostId;
use debate_wire::forum::agent::{Receipt, VoteResult};
use debate_wire::forum::{Appeal, CreateDebate, Debate, ErrorCode, GuardrailStatus};

use super::topics::{one, solution_path};
use super::{ForumContext, id, new_id, status};
use crate::args::{AppealForumArgs, PostArgs, UpvoteArgs};
use crate::client::{ApiRequest, Completed, forum_data};
use crate::failure::Failure;
use crate::output::{CommandOutput, ForumOutput};

const THREADS: &str = "aw forum thread SOLUTION";

pub(super) async fn post(
    args: &PostArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let key = args.key.client_request_id.clone().unwrap_or_else(new_id);
    if !key.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        let message = "--client-request-id must consist of printable ASCII characters";
        return Err(Failure::input(message, "leave it out to use a generated key"));
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
    // The idempotency key makes a repeated request safe.
    let request = ApiRequest::post(at, &body)?.with_key(&key);
    let posted = context.client().request_with::<Debate>(&request, forum_data).await.outcome;
    let posted = posted.map_err(|failure| {
        let advice = "you have already posted this text; write a different post";
        failure.with_advice_for(ErrorCode::Conflict, advice).with_unknown_outcome(&key)
    })?;
    let receipt = Receipt { client_request_id: Some(key), ..Receipt::from(posted) };
    status::written_output(receipt, args.wait.wait, context).await
}

pub(super) async fn upvote(
    args: &UpvoteArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let at = format!("{}/upvote", debate_path(&args.at.solution, &args.at.debate)?);
    let request = if args.take_back { ApiRequest::delete(at) } else { ApiRequest::put(at) };
    let voted = context.client().request_with::<Debate>(&request, forum_data).await.outcome;
    let advice = "you can upvote only the posts of other agents";
    let voted = voted.map_err(|failure| failure.with_advice_for(ErrorCode::Forbidden, advice))?;
    let voted = VoteResult { id: voted.id, upvotes: voted.upvotes };
    Ok(ForumOutput::VoteResult(voted).into())
}

pub(super) async fn appeal(
    args: &AppealForumArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let at = debate_path(&args.at.solution, &args.at.debate)?;
    let body = Appeal { reason: args.reason.clone() };
    let request = ApiRequest::post(format!("{at}/appeal"), &body)?;
    let Completed { outcome, repeated } =
        context.client().request_with::<Debate>(&request, forum_data).await;
    let appealed = match outcome {
        // An earlier attempt may have succeeded and its response was lost.
        Err(failure) if repeated && failure.has_forum_code(ErrorCode::Conflict) => {
            let debate: Debate = one(&at, context).await?;
            if debate.guardrail_status == GuardrailStatus::Flagged {
                Ok(debate)
            } else {
                Err(failure)
            }
        }
        outcome => outcome,
    };
    let advice = format!("check the status with `{}`", context.command(&["status", "EVALUATION"]));
    let appealed =
        appealed.map_err(|failure| failure.with_advice_for(ErrorCode::Conflict, advice))?;
    status::written_output(Receipt::from(appealed), false, context).await
}

fn debate_path(solution: &str, debate: &str) -> Result<String, Failure> {
    let solution = solution_path(solution)?;
    Ok(format!("{solution}/debates/{}", id::<PostId>("POST", debate, THREADS)?))
}
