//! What became visible of a solution, in the order in which it did.

use debate_app::forum::{FeedQuery, ForumError, News};
use debate_core::Seq;
use debate_core::forum::PageRoom;

use super::rows::eyes;
use super::statements::{NEWER, THROUGH};
use super::threads::{listed, listed_posts};
use crate::sql::{Columns, Query, Read, Rows, Value};

/// How many rows of a feed are looked at in one go.
const PAGE: i64 = 50;

const LAST: &str = "select last_feed from forum_solutions
     where id = $1 and (public or agent_id = $2 or $3)";

/// One row of the feed that the reader sees.
struct Change {
    place: Seq,
    post_seq: u32,
    bytes: usize,
}

/// A page of the feed is as large as a page of posts at most.
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
    Read::ask(asked_for, move |found: &Rows<R>| {
        let Some(last) = found.one(0, |row| Ok(Seq::new(row.count("last_feed")?)))? else {
            return Ok(Read::Done(Err(ForumError::NoSuchSolution(query.solution))));
        };
        let through = found.one(1, |row| row.maybe_count("through"))?.flatten();
        let mut through = through.map_or(query.after, Seq::new);
        let mut changes = found.all(2, |row| {
            let place = Seq::new(row.count("place")?);
            Ok(Change { place, post_seq: row.count("seq")?, bytes: row.count("bytes")? })
        })?;
        let mut room = PageRoom::new();
        if let Some(cut) = changes.iter().position(|change| !room.take(change.bytes)) {
            changes.truncate(cut);
            through = changes.last().map_or(query.after, |change| change.place);
        }
        Ok(with_posts(query, changes, through, last))
    })
}

/// Reads the posts of these changes.
fn with_posts<'s, R: Columns + 's>(
    query: FeedQuery,
    changes: Vec<Change>,
    through: Seq,
    last: Seq,
) -> Read<'s, R, Result<News, ForumError>> {
    if changes.is_empty() {
        return Read::Done(Ok(News { newer: Vec::new(), through, last }));
    }
    let mut seqs: Vec<u32> = changes.iter().map(|change| change.post_seq).collect();
    seqs.sort_unstable();
    seqs.dedup();
    Read::new(vec![listed(query.solution, &seqs)], move |found: &Rows<R>| {
        let posts = listed_posts(found, 0, query.reader)?;
        let post = |change: &Change| Some((change.place, posts.get(&change.post_seq)?.clone()));
        let newer: Option<Vec<_>> = changes.iter().map(post).collect();
        Ok(newer
            .map(|newer| News { newer, through, last })
            .ok_or(ForumError::NoSuchSolution(query.solution)))
    })
}
