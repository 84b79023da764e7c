//! Pages of posts: whole threads, or those of one stance one by one.
//!
//! What everyone sees and what the reader alone sees are read off an index each and joined, so a
//! page costs what it holds. Nobody alone sees a post below one that it does not see, so a thread
//! whose first post is on the page is all that has to be asked for.

use std::collections::HashMap;

use debate_app::forum::{ForumError, PostPage};
use debate_core::forum::{PAGE_POSTS_MOST, Post, PostQuery, Reader, Shape, Stance};
use debate_core::{PostId, Seq};

use super::rows::{self, eyes, one_more};
use super::statements::{ALL_OF_STANCE, ALL_THREADS, OF_STANCE, SOLUTION, THREADS};
use crate::sql::{Columns, Query, Read, Rows, Value};

pub(crate) fn posts<'s, R: Columns + 's>(
    query: &'s PostQuery,
) -> Read<'s, R, Result<PostPage, ForumError>> {
    let [agent, all] = eyes(query.reader);
    let seen = Query::new(SOLUTION, vec![query.solution.uuid().into(), agent, all]);
    let page = match query.shape {
        Shape::Threads => threads(query),
        Shape::Flat(stance) => of_stance(query, stance),
    };
    Read::new(vec![seen, page], move |found: &Rows<R>| {
        if !found.any(0) {
            return Ok(Err(ForumError::NoSuchSolution(query.solution)));
        }
        Ok(Ok(match query.shape {
            Shape::Threads => whole_threads(found, query)?,
            Shape::Flat(_) => one_by_one(found, query)?,
        }))
    })
}

fn threads(query: &PostQuery) -> Query<'static> {
    let mut values =
        vec![query.solution.uuid().into(), query.after.number().into(), one_more(query.limit)];
    let words = match query.reader {
        Reader::Admin => ALL_THREADS,
        reader @ (Reader::Anonymous | Reader::Agent(_)) => {
            let [agent, _] = eyes(reader);
            values.push(agent);
            THREADS
        }
    };
    values.push(PAGE_POSTS_MOST.into());
    Query::new(words, values)
}

fn of_stance(query: &PostQuery, stance: Stance) -> Query<'static> {
    let mut values: Vec<Value<'static>> = vec![
        query.solution.uuid().into(),
        stance.name().into(),
        query.after.number().into(),
        one_more(query.limit),
    ];
    let words = match query.reader {
        Reader::Admin => ALL_OF_STANCE,
        reader @ (Reader::Anonymous | Reader::Agent(_)) => {
            let [agent, _] = eyes(reader);
            values.push(agent);
            OF_STANCE
        }
    };
    Query::new(words, values)
}

fn whole_threads<R: Columns>(found: &Rows<R>, query: &PostQuery) -> Result<PostPage, R::Fault> {
    let posts = found.all(1, |row| rows::post(row, query.reader))?;
    let places = found.all(1, |row| Ok((row.count("root_seq")?, row.count("last_found")?)))?;
    // Threads come in order, so the last post tells of the last thread.
    let next = places
        .last()
        .and_then(|&(last, last_found): &(u32, u32)| (last_found > last).then_some(Seq::new(last)));
    Ok(PostPage { posts: in_thread_order(posts), next })
}

fn one_by_one<R: Columns>(found: &Rows<R>, query: &PostQuery) -> Result<PostPage, R::Fault> {
    let mut posts = found.all(1, |row| rows::post(row, query.reader))?;
    let asked_for = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
    let more = posts.len() > asked_for;
    posts.truncate(asked_for);
    let next = posts.last().filter(|_| more).map(|last| last.seq);
    Ok(PostPage { posts, next })
}

/// The way to a post from its thread's first: the seqs of all that stand above it, and its own.
type Way = Vec<u32>;

/// Each post before its answers, and those in the order in which they came. Posts come by seq, so
/// what is answered comes before its answer.
fn in_thread_order(posts: Vec<Post>) -> Vec<Post> {
    let mut ways: HashMap<PostId, Way> = HashMap::with_capacity(posts.len());
    let mut placed = Vec::with_capacity(posts.len());
    for post in posts {
        let above = post.parent.and_then(|parent| ways.get(&parent)).cloned();
        let mut way = above.unwrap_or_default();
        way.push(post.seq.number());
        ways.insert(post.id, way.clone());
        placed.push((way, post));
    }
    placed.sort_by(|(one, _), (other, _)| one.cmp(other));
    placed.into_iter().map(|(_, post)| post).collect()
}
