//! The feed of a solution: its posts in the order in which they became visible.

use debate_app::forum::{FeedPage, FeedQuery, ForumError};
use debate_core::Seq;
use debate_core::forum::PageBudget;

use super::ForumRead;
use super::rows::viewer_values;
use super::statements::{NEWER, THROUGH};
use super::threads::push_posts;
use crate::sql::{Group, Operation, Statement, Value};

/// The number of rows of a feed that are read at once.
const PAGE: i64 = 50;

const LAST: &str = "select last_feed from forum_solutions
     where id = $1 and (public or agent_id = $2 or $3)";

/// One row of the feed that the viewer sees.
struct FeedRow {
    seq: Seq,
    post_seq: u32,
    bytes: usize,
}

/// A page of the feed is at most as large as a page of posts.
pub(super) fn feed(query: &FeedQuery) -> ForumRead<'_, FeedPage> {
    let query = *query;
    let [agent, all] = viewer_values(query.viewer);
    let solution = Value::from(query.solution.uuid());
    let range = vec![solution.clone(), query.after.number().into(), PAGE.into()];
    let mut visible = range.clone();
    visible.extend([agent.clone(), all.clone()]);
    let mut group = Group::default();
    let last = Statement::new(LAST, vec![solution, agent, all]);
    let last = group.push(last, |row| Ok(Seq::new(row.count("last_feed")?)));
    let through = Statement::new(THROUGH, range);
    let through = group.push(through, |row| row.maybe_count("through"));
    let newer = group.push(Statement::new(NEWER, visible), |row| {
        let seq = Seq::new(row.count("place")?);
        Ok(FeedRow { seq, post_seq: row.count("seq")?, bytes: row.count("bytes")? })
    });
    group.then(move |rows| {
        let Some(last) = rows.first(&last)? else {
            return Ok(Operation::Done(Err(ForumError::UnknownSolution(query.solution))));
        };
        let mut through = rows.first(&through)?.flatten().map_or(query.after, Seq::new);
        let mut newer = rows.all(&newer)?;
        let mut room = PageBudget::new();
        if let Some(cut) = newer.iter().position(|row| !room.try_add(row.bytes)) {
            newer.truncate(cut);
            through = newer.last().map_or(query.after, |row| row.seq);
        }
        Ok(read_posts(query, newer, through, last))
    })
}

fn read_posts<'o>(
    query: FeedQuery,
    rows: Vec<FeedRow>,
    through: Seq,
    last: Seq,
) -> ForumRead<'o, FeedPage> {
    if rows.is_empty() {
        return Operation::Done(Ok(FeedPage { newer: Vec::new(), through, last }));
    }
    let mut seqs: Vec<u32> = rows.iter().map(|row| row.post_seq).collect();
    seqs.sort_unstable();
    seqs.dedup();
    let mut group = Group::default();
    let posts = push_posts(&mut group, query.solution, &seqs, query.viewer);
    group.finish(move |found| {
        let posts = posts(found)?;
        let post = |row: &FeedRow| Some((row.seq, posts.get(&row.post_seq)?.clone()));
        let newer: Option<Vec<_>> = rows.iter().map(post).collect();
        Ok(newer
            .map(|newer| FeedPage { newer, through, last })
            .ok_or(ForumError::UnknownSolution(query.solution)))
    })
}
