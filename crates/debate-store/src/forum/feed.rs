//! What became visible of a solution, in the order in which it did.

use debate_app::forum::{FeedQuery, ForumError, News};
use debate_core::Seq;

use super::posts::posts;
use super::rows::{self, eyes};
use crate::sql::{Columns, Query, Read, Rows, Value};

/// How many rows of a feed are looked at in one go.
const PAGE: i64 = 50;

const LAST: &str = "select last_feed from forum_solutions
     where id = $1 and (public or agent_id = $2 or $3)";

const THROUGH: &str = "select max(seq) as through from
     (select seq from forum_feed where solution_id = $1 and seq > $2 order by seq limit $3)
         as page";

const NEWER: &str = posts!(
    "page.place",
    "(select seq as place, post_id, agent_id as told from forum_feed
      where solution_id = $1 and seq > $2 order by seq limit $3) as page
     join forum_posts p on p.id = page.post_id
     join forum_agents a on a.id = p.agent_id
     where page.told is null or page.told = $4 or $5
     order by page.place"
);

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
