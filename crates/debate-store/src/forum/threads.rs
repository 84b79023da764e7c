//! Pages of posts: in thread order, or those of one stance one by one.
//!
//! A page is read in two steps. The outlines of the threads, without contents, decide which posts
//! are on the page. Then only the posts of the page are read. Neither the path nor the size of a
//! post ever changes and nothing visible is withdrawn, so the second step finds what the first one
//! chose, unless the solution was deleted in between.
//!
//! Public posts and the reader's own are read off an index each and joined. A reader sees no post
//! below one that it does not see, so the outline of a thread has the parent of each of its posts.

use std::collections::HashMap;

use debate_app::forum::{ForumError, PostPage};
use debate_core::forum::{
    PAGE_POSTS_MAX, PageRoom, Post, PostQuery, Reader, Shape, Stance, ThreadPath,
};
use debate_core::{PostId, Seq, SolutionId};

use super::rows::{self, eyes, one_more};
use super::statements::{
    ALL_OF_STANCE, ALL_THREADS, LISTED_POSTGRES, LISTED_SQLITE, OF_STANCE, SOLUTION, THREADS,
};
use crate::sql::{Columns, Query, Read, Rows, Value, Words};

type PageRead<'s, R> = Read<'s, R, Result<PostPage, ForumError>>;

pub(crate) fn posts<'s, R: Columns + 's>(query: &'s PostQuery) -> PageRead<'s, R> {
    let [agent, all] = eyes(query.reader);
    let solution = Query::new(SOLUTION, vec![query.solution.uuid().into(), agent, all]);
    let outlines = match query.shape {
        Shape::Threads => thread_outlines(query, query.after.root_seq()),
        Shape::Flat(stance) => stance_outlines(query, stance),
    };
    Read::ask(vec![outlines, solution], move |found: &Rows<R>| {
        if !found.any(1) {
            return Ok(Read::Done(Err(ForumError::NoSuchSolution(query.solution))));
        }
        match query.shape {
            Shape::Threads => choose_in_threads(Page::new(query), found),
            Shape::Flat(_) => choose_one_by_one(Page::new(query), found),
        }
    })
}

/// A page while its posts are chosen.
struct Page<'s> {
    query: &'s PostQuery,
    room: PageRoom,
    chosen: Vec<ThreadPath>,
    threads: u32,
}

impl<'s> Page<'s> {
    const fn new(query: &'s PostQuery) -> Self {
        Self { query, room: PageRoom::new(), chosen: Vec::new(), threads: 0 }
    }

    /// Puts a post on the page; false if the page ends before it.
    fn take(&mut self, outline: &Outline) -> bool {
        let root = |path: &ThreadPath| path.root_seq();
        let is_new_thread = self.chosen.last().map(root) != Some(root(&outline.path));
        if (is_new_thread && self.threads == self.query.limit.count())
            || !self.room.take(outline.bytes)
        {
            return false;
        }
        self.threads += u32::from(is_new_thread);
        self.chosen.push(outline.path);
        true
    }

    /// Reads the chosen posts.
    fn read<R: Columns + 's>(self, has_more: bool) -> PageRead<'s, R> {
        let Self { query, chosen, .. } = self;
        let own_seq = |path: &ThreadPath| path.seqs().last().copied().unwrap_or_default();
        let seqs: Vec<u32> = chosen.iter().map(own_seq).collect();
        let next = chosen.last().copied().filter(|_| has_more);
        if seqs.is_empty() {
            return Read::Done(Ok(PostPage { posts: Vec::new(), next }));
        }
        Read::new(vec![listed(query.solution, &seqs)], move |found: &Rows<R>| {
            let mut posts = listed_posts(found, 0, query.reader)?;
            let posts: Option<Vec<Post>> = seqs.iter().map(|seq| posts.remove(seq)).collect();
            Ok(posts
                .map(|posts| PostPage { posts, next })
                .ok_or(ForumError::NoSuchSolution(query.solution)))
        })
    }
}

/// A post as far as the page that it is on is decided by.
struct Outline {
    path: ThreadPath,
    bytes: usize,
}

/// Puts the posts of the threads that were found on the page. Threads hold withheld posts, too, so
/// it can take more queries until the page is full.
fn choose_in_threads<'s, R: Columns + 's>(
    mut page: Page<'s>,
    found: &Rows<R>,
) -> Result<PageRead<'s, R>, R::Fault> {
    let after = page.query.after;
    for outline in outlines_in_thread_order(found)?.iter().filter(|one| one.path > after) {
        if !page.take(outline) {
            return Ok(page.read(true));
        }
    }
    let ends: Vec<(u32, u32)> =
        found.all(0, |row| Ok((row.count("root_seq")?, row.count("last_found")?)))?;
    Ok(match ends.last() {
        Some((last, last_found)) if last_found > last => {
            let from = Seq::new(last.saturating_add(1));
            let outlines = thread_outlines(page.query, from);
            Read::ask(vec![outlines], move |found: &Rows<R>| choose_in_threads(page, found))
        }
        Some(_) | None => page.read(false),
    })
}

fn thread_outlines(query: &PostQuery, from: Seq) -> Query<'static> {
    // One thread may end on the page before, and one more shows that there is a next page.
    let threads = Value::Number(i64::from(query.limit.count()) + 2);
    let mut values = vec![query.solution.uuid().into(), from.number().into(), threads];
    let words = match query.reader {
        Reader::Admin => ALL_THREADS,
        reader @ (Reader::Anonymous | Reader::Agent(_)) => {
            let [agent, _] = eyes(reader);
            values.push(agent);
            THREADS
        }
    };
    values.push(PAGE_POSTS_MAX.into());
    Query::new(words, values)
}

/// Rows come by thread and seq, so each post comes after its parent.
fn outlines_in_thread_order<R: Columns>(found: &Rows<R>) -> Result<Vec<Outline>, R::Fault> {
    let read = |row: &R| {
        let (id, parent) = (PostId::new(row.id("id")?), row.maybe_id("parent_id")?);
        Ok((id, parent.map(PostId::new), Seq::new(row.count("seq")?), row.count("bytes")?))
    };
    let rows: Vec<(PostId, Option<PostId>, Seq, usize)> = found.all(0, read)?;
    let mut paths: HashMap<PostId, ThreadPath> = HashMap::with_capacity(rows.len());
    let mut outlines = Vec::with_capacity(rows.len());
    for (id, parent, seq, bytes) in rows {
        let above = parent.and_then(|parent| paths.get(&parent));
        let path = above.map_or_else(|| ThreadPath::root(seq), |above| above.reply(seq));
        paths.insert(id, path);
        outlines.push(Outline { path, bytes });
    }
    outlines.sort_by_key(|outline| outline.path);
    Ok(outlines)
}

/// Puts the posts that were found on the page, oldest first.
fn choose_one_by_one<'s, R: Columns + 's>(
    mut page: Page<'s>,
    found: &Rows<R>,
) -> Result<PageRead<'s, R>, R::Fault> {
    let outlines = found.all(0, |row| {
        let path = ThreadPath::root(Seq::new(row.count("seq")?));
        Ok(Outline { path, bytes: row.count("bytes")? })
    })?;
    let has_more = !outlines.iter().all(|outline| page.take(outline));
    Ok(page.read(has_more))
}

fn stance_outlines(query: &PostQuery, stance: Stance) -> Query<'static> {
    let mut values: Vec<Value<'static>> = vec![
        query.solution.uuid().into(),
        stance.name().into(),
        query.after.root_seq().number().into(),
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

/// The posts of a solution with these seqs: read by [`listed_posts`].
pub(super) fn listed<'q>(solution: SolutionId, seqs: &[u32]) -> Query<'q> {
    let seqs: Vec<String> = seqs.iter().map(u32::to_string).collect();
    let words = Words::Each { sqlite: LISTED_SQLITE, postgres: LISTED_POSTGRES };
    Query::each(words, vec![seqs.join(",").into(), solution.uuid().into()])
}

/// The posts that [`listed`] found as query `number`, by their seqs.
pub(super) fn listed_posts<R: Columns>(
    found: &Rows<R>,
    number: usize,
    reader: Reader,
) -> Result<HashMap<u32, Post>, R::Fault> {
    let posts = found.all(number, |row| rows::post(row, reader))?;
    Ok(posts.into_iter().map(|post| (post.seq.number(), post)).collect())
}
