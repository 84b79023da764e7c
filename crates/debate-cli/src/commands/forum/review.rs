//! Commands of reviewers: list, show, claim, release and decide on flagged items.

use debate_core::forum::Notes;
use debate_core::{AgentId, EvaluationId};
use debate_wire::forum::agent::{FlaggedList, ListedFlagged};
use debate_wire::forum::{ErrorCode, Flagged, FlaggedQuery, Review, Ruling};

use super::topics::{list, one, page_query};
use super::{ForumContext, id, path};
use crate::args::{ClaimArg, DecideArgs, ReviewCommand, ReviewListArgs};
use crate::client::{ApiRequest, Completed, ForumPage, forum_data};
use crate::commands::with_query;
use crate::failure::Failure;
use crate::output::{CommandOutput, ForumOutput};

const WAITING: &str = "aw forum review list";

pub(super) async fn review(
    command: &ReviewCommand,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let done = match command {
        ReviewCommand::List(args) => return waiting(args, context).await,
        ReviewCommand::Show(args) => one(&review_path(args)?, context).await.map(flagged_output),
        ReviewCommand::Claim(args) => claim(&review_path(args)?, context).await.map(flagged_output),
        ReviewCommand::Release(args) => release(args, context).await,
        ReviewCommand::Approve(args) => decide(Ruling::Approve, args, context).await,
        ReviewCommand::Reject(args) => decide(Ruling::Reject, args, context).await,
    };
    done.map_err(|failure| {
        let list = context.command(&["review", "list"]);
        failure.with_advice_for(ErrorCode::NotFound, format!("`{list}` shows the review queue"))
    })
}

fn flagged_output(flagged: Flagged) -> CommandOutput {
    ForumOutput::Flagged(Box::new(flagged)).into()
}

fn review_path(args: &ClaimArg) -> Result<String, Failure> {
    let evaluation = id::<EvaluationId>("EVALUATION", &args.evaluation, WAITING)?;
    Ok(path(&format!("/admin/flagged/{evaluation}")))
}

async fn waiting(
    args: &ReviewListArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let (limit, cursor) = page_query(&args.page);
    let agent = args.agent.as_ref();
    let agent = agent.map(|text| id::<AgentId>("--agent", text, WAITING)).transpose()?;
    let claimed = match (args.claimed, args.unclaimed) {
        (false, false) => None,
        (claimed, _) => Some(claimed.to_string()),
    };
    let agent_id = agent.map(|agent| agent.to_string());
    let query = FlaggedQuery { limit, cursor, claimed, agent_id };
    let page: ForumPage<Flagged> =
        list(&with_query(&path("/admin/flagged"), &query)?, context).await?;
    let flagged = page.items.into_iter().map(Into::into).collect();
    let flagged = FlaggedList { flagged, next_cursor: page.next_cursor };
    Ok(ForumOutput::Waiting(flagged).into())
}

/// A repeated claim of the same reviewer extends the claim.
async fn claim(at: &str, context: &ForumContext<'_>) -> Result<Flagged, Failure> {
    let request = ApiRequest::command(format!("{at}/claim"));
    let claimed = context.client().request_with(&request, forum_data).await.outcome;
    let advice =
        format!("the item is already decided; see `{}`", context.command(&["review", "list"]));
    claimed.map_err(|failure| failure.with_advice_for(ErrorCode::Conflict, advice))
}

async fn release(args: &ClaimArg, context: &ForumContext<'_>) -> Result<CommandOutput, Failure> {
    let at = review_path(args)?;
    let request = ApiRequest::command(format!("{at}/release"));
    let Completed { outcome, repeated } =
        context.client().request_with::<Flagged>(&request, forum_data).await;
    let released = match outcome {
        // An earlier attempt may have succeeded and its response was lost.
        Err(failure) if repeated && failure.has_forum_code(ErrorCode::Forbidden) => {
            let found: Flagged = one(&at, context).await?;
            if found.claimed_by.is_none() { Ok(found) } else { Err(failure) }
        }
        outcome => outcome,
    };
    let advice = "you have not claimed this item, or your claim has expired";
    let released =
        released.map_err(|failure| failure.with_advice_for(ErrorCode::Forbidden, advice))?;
    Ok(review_output(released))
}

async fn decide(
    ruling: Ruling,
    args: &DecideArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let at = review_path(&args.at)?;
    // Checked before the claim, which would otherwise stay.
    Notes::new(args.notes.clone()).map_err(|err| {
        Failure::input(format!("--notes {err}"), "write a reason; the author can read it")
    })?;
    claim(&at, context).await?;
    let body = Review { decision: ruling, notes: args.notes.clone() };
    let request = ApiRequest::post(format!("{at}/review"), &body)?;
    let Completed { outcome, repeated } =
        context.client().request_with::<Flagged>(&request, forum_data).await;
    let decided = match outcome {
        // An earlier attempt may have succeeded and its response was lost.
        Err(failure)
            if repeated
                && (failure.has_forum_code(ErrorCode::Conflict)
                    || failure.has_forum_code(ErrorCode::Forbidden)) =>
        {
            let found: Flagged = one(&at, context).await?;
            let review = found.evaluation.review.as_ref();
            let is_ours = review
                .is_some_and(|review| (review.decision, &review.notes) == (ruling, &args.notes));
            if is_ours { Ok(found) } else { Err(failure) }
        }
        outcome => outcome,
    };
    Ok(review_output(decided?))
}

fn review_output(flagged: Flagged) -> CommandOutput {
    ForumOutput::Decided(ListedFlagged::from(flagged)).into()
}
