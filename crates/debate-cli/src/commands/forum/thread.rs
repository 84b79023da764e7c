//! Shows the posts of a solution.

use debate_render::wire_name;
use debate_wire::forum::agent::Thread;
use debate_wire::forum::{Debate, DebatesQuery, ErrorCode, Solution};

use super::ForumContext;
use super::topics::{list, one, page_query, solution_path};
use crate::args::ThreadArgs;
use crate::client::ForumPage;
use crate::commands::with_query;
use crate::failure::Failure;
use crate::output::{CommandOutput, ForumOutput};

/// The page size when all posts are read.
const ALL_LIMIT: &str = "100";

/// The maximum number of posts that one command reads.
const DEBATES_MAX: usize = 10_000;

pub(super) async fn thread(
    args: &ThreadArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let at = solution_path(&args.solution)?;
    let solution: Solution = one(&at, context).await?;
    let (limit, cursor) = page_query(&args.page);
    // Without --limit and --cursor all pages are read.
    let is_page = limit.is_some() || cursor.is_some();
    let mut query = DebatesQuery { limit, cursor, stance: args.stance.as_ref().map(wire_name) };
    if !is_page {
        query.limit = Some(ALL_LIMIT.to_owned());
    }
    let debates_at = format!("{at}/debates");
    let ForumPage { items: mut debates, mut next_cursor } =
        list::<Debate>(&with_query(&debates_at, &query)?, context).await?;
    while !is_page && next_cursor.is_some() && debates.len() < DEBATES_MAX {
        query.cursor.clone_from(&next_cursor);
        match list::<Debate>(&with_query(&debates_at, &query)?, context).await {
            Ok(page) => {
                debates.extend(page.items);
                next_cursor = page.next_cursor;
            }
            // The posts so far are printed; the cursor shows that there are more.
            Err(failure) if failure.has_forum_code(ErrorCode::RateLimitExceeded) => {
                context.client().notes.print(format_args!("{failure}; the list is incomplete"));
                break;
            }
            Err(failure) => return Err(failure),
        }
    }
    let thread = Thread { solution: solution.into(), debates, stance: args.stance, next_cursor };
    Ok(ForumOutput::Thread(Box::new(thread)).into())
}
