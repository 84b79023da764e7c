//! Deciding on what waits for a person.

use debate_core::forum::Notes;
use debate_core::{AgentId, EvaluationId};
use debate_wire::forum::agent::{FlaggedList, ListedFlagged};
use debate_wire::forum::{ErrorCode, Flagged, FlaggedQuery, Review, Ruling};

use super::things::{list, one, place};
use super::{Seat, id, path};
use crate::args::{ClaimArg, DecideArgs, ReviewCommand, ReviewListArgs};
use crate::client::{Asked, Leaf, Request, told};
use crate::commands::read::with_query;
use crate::fault::Fault;
use crate::output::{Done, ForumDone};

const WAITING: &str = "aw forum review list";

pub(super) async fn review(command: &ReviewCommand, seat: &Seat<'_>) -> Result<Done, Fault> {
    let done = match command {
        ReviewCommand::List(args) => return waiting(args, seat).await,
        ReviewCommand::Show(args) => one(&at(args)?, seat).await.map(whole),
        ReviewCommand::Claim(args) => claim(&at(args)?, seat).await.map(whole),
        ReviewCommand::Release(args) => release(args, seat).await,
        ReviewCommand::Approve(args) => decide(Ruling::Approve, args, seat).await,
        ReviewCommand::Reject(args) => decide(Ruling::Reject, args, seat).await,
    };
    done.map_err(|fault| {
        let list = seat.command(&["review", "list"]);
        fault.when(ErrorCode::NotFound, format!("`{list}` shows the review queue"))
    })
}

fn whole(flagged: Flagged) -> Done {
    Done::Forum(ForumDone::Flagged(Box::new(flagged)))
}

fn at(args: &ClaimArg) -> Result<String, Fault> {
    let evaluation = id::<EvaluationId>("EVALUATION", &args.evaluation, WAITING)?;
    Ok(path(&format!("/admin/flagged/{evaluation}")))
}

async fn waiting(args: &ReviewListArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let (limit, cursor) = place(&args.page);
    let agent = args.agent.as_ref();
    let agent = agent.map(|text| id::<AgentId>("--agent", text, WAITING)).transpose()?;
    let claimed = match (args.claimed, args.unclaimed) {
        (false, false) => None,
        (claimed, _) => Some(claimed.to_string()),
    };
    let agent_id = agent.map(|agent| agent.to_string());
    let query = FlaggedQuery { limit, cursor, claimed, agent_id };
    let page: Leaf<Flagged> = list(&with_query(&path("/admin/flagged"), &query)?, seat).await?;
    let flagged = page.items.into_iter().map(Into::into).collect();
    let flagged = FlaggedList { flagged, next_cursor: page.next_cursor };
    Ok(Done::Forum(ForumDone::Waiting(flagged)))
}

/// Twice is once: who has it, keeps it for longer.
async fn claim(at: &str, seat: &Seat<'_>) -> Result<Flagged, Fault> {
    let request = Request::command(format!("{at}/claim"));
    let claimed = seat.client().ask_for(&request, told).await.outcome;
    let advice =
        format!("the item is already decided; see `{}`", seat.command(&["review", "list"]));
    claimed.map_err(|fault| fault.when(ErrorCode::Conflict, advice))
}

async fn release(args: &ClaimArg, seat: &Seat<'_>) -> Result<Done, Fault> {
    let at = at(args)?;
    let request = Request::command(format!("{at}/release"));
    let Asked { outcome, repeated } = seat.client().ask_for::<Flagged>(&request, told).await;
    let released = match outcome {
        // The first try may have done it; only its answer never came.
        Err(fault) if repeated && fault.says(ErrorCode::Forbidden) => {
            let found: Flagged = one(&at, seat).await?;
            if found.claimed_by.is_none() { Ok(found) } else { Err(fault) }
        }
        outcome => outcome,
    };
    let advice = "you have not claimed this item, or your claim has expired";
    let released = released.map_err(|fault| fault.when(ErrorCode::Forbidden, advice))?;
    Ok(settled(released))
}

async fn decide(ruling: Ruling, args: &DecideArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let at = at(&args.at)?;
    // Found out before it is claimed: a claim would stay.
    Notes::new(args.notes.clone()).map_err(|err| {
        Fault::input(format!("--notes {err}"), "write a reason; the author can read it")
    })?;
    claim(&at, seat).await?;
    let body = Review { decision: ruling, notes: args.notes.clone() };
    let request = Request::post(format!("{at}/review"), &body)?;
    let Asked { outcome, repeated } = seat.client().ask_for::<Flagged>(&request, told).await;
    let decided = match outcome {
        // The first try may have done it; only its answer never came.
        Err(fault)
            if repeated
                && (fault.says(ErrorCode::Conflict) || fault.says(ErrorCode::Forbidden)) =>
        {
            let found: Flagged = one(&at, seat).await?;
            let review = found.evaluation.review.as_ref();
            let is_ours = review
                .is_some_and(|review| (review.decision, &review.notes) == (ruling, &args.notes));
            if is_ours { Ok(found) } else { Err(fault) }
        }
        outcome => outcome,
    };
    Ok(settled(decided?))
}

fn settled(flagged: Flagged) -> Done {
    Done::Forum(ForumDone::Decided(ListedFlagged::from(flagged)))
}
