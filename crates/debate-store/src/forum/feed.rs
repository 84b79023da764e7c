//! What became visible of a solution, in the order in which it did.

use debate_app::forum::{FeedQuery, ForumError, News};
use debate_core::Seq;

use super::rows::{self, eyes};
use super::statements::{NEWER, THROUGH};
use crate::sql::{Columns, Query, Read, Rows, Value};

/// How many rows of a feed are looked at in one go.
const PAGE: i64 = 50;

const LAST: &str = "select last_feed from forum_solutions
     where id = $1 and (public or agent_id = $2 or $3)";

pub(crate) fn feed<'s, R: Columns + 's>(query: FeedQuery) -> Read<'s, R, Result<News, ForumError>> {
    let [agent, all] = eyes(query.reader);
    let solution = Value::from(query.solution.uuid());
    let bounds = vec![solution.clone(), query.after.number().into(), Value::Number(PAGE)];
    let mut newer = bounds.clone();
    newer.extend([agent.clone(), all.clone()]);
    let asked_for = vec![
        Query::new(LAST, vec![solution, agent, all]),
        Query::new(THROUGH, bounds),
        Query::new(NEWER, newer),
    ];
    Read::new(asked_for, move |found: &Rows<R>| {
        let Some(last) = found.one(0, |row| Ok(Seq::new(row.count("last_feed")?)))? else {
            return Ok(Err(ForumError::NoSuchSolution(query.solution)));
        };
        let through = found.one(1, |row| row.maybe_count("through"))?.flatten();
        let newer = found
            .all(2, |row| Ok((Seq::new(row.count("place")?), rows::post(row, query.reader)?)))?;
        Ok(Ok(News { newer, through: through.map_or(query.after, Seq::new), last }))
    })
}
