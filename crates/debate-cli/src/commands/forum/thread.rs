//! Reading what was said of a solution.

use debate_wire::forum::agent::Thread;
use debate_wire::forum::{Debate, DebatesQuery, ErrorCode, Solution};

use super::Seat;
use super::things::{list, one, place, solution_path};
use crate::args::{ThreadArgs, name};
use crate::client::Leaf;
use crate::commands::read::with_query;
use crate::fault::Fault;
use crate::output::{Done, ForumDone};

/// How much is asked for at once when all is wanted.
const ALL_LIMIT: &str = "100";

/// More than this is read a piece at a time.
const DEBATES_MAX: usize = 10_000;

pub(super) async fn thread(args: &ThreadArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let at = solution_path(&args.solution)?;
    let solution: Solution = one(&at, seat).await?;
    let (limit, cursor) = place(&args.page);
    // Who names a page gets that page; who names none gets all.
    let is_page = limit.is_some() || cursor.is_some();
    let mut query = DebatesQuery { limit, cursor, stance: args.stance.as_ref().map(name) };
    if !is_page {
        query.limit = Some(ALL_LIMIT.to_owned());
    }
    let debates_at = format!("{at}/debates");
    let Leaf { items: mut debates, mut next_cursor } =
        list::<Debate>(&with_query(&debates_at, &query)?, seat).await?;
    while !is_page && next_cursor.is_some() && debates.len() < DEBATES_MAX {
        query.cursor.clone_from(&next_cursor);
        match list::<Debate>(&with_query(&debates_at, &query)?, seat).await {
            Ok(page) => {
                debates.extend(page.items);
                next_cursor = page.next_cursor;
            }
            // What was read is worth having, and it says itself that there is more.
            Err(fault) if fault.says(ErrorCode::RateLimitExceeded) => {
                seat.client().notes.say(format_args!("{fault}; the list is incomplete"));
                break;
            }
            Err(fault) => return Err(fault),
        }
    }
    let thread = Thread { solution: solution.into(), debates, stance: args.stance, next_cursor };
    Ok(Done::Forum(ForumDone::Thread(Box::new(thread))))
}
