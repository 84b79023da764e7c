//! Pages of posts: in thread order, or the posts of one stance in order of time.
//!
//! A page is read in two steps. The outlines of the threads, without contents, decide which posts
//! are on the page. Then only the posts of the page are read. Neither the path nor the size of a
//! post ever changes and no visible post is withheld again, so the second step finds what the first
//! one chose, unless the solution was deleted in between.
//!
//! A viewer sees no reply to a post that it does not see, so the outline of a thread has the parent
//! of each of its posts.

use std::collections::HashMap;

use debate_app::StoreError;
use debate_app::forum::{ForumError, PostPage};
use debate_core::forum::{
    PAGE_POSTS_MAX, PageBudget, Post, PostOrder, PostQuery, Stance, ThreadPath, Viewer,
};
use debate_core::{PostId, Seq, SolutionId};

use super::ForumRead;
use super::rows::{self, row_limit, viewer_values};
use super::statements::{
    ALL_OF_STANCE, ALL_THREADS, LISTED_POSTGRES, LISTED_SQLITE, OF_STANCE, SOLUTION, THREADS,
};
use crate::sql::{Decoder, Group, Handle, Operation, Row, Rows, Sql, Statement, Value};

pub(super) fn posts(query: &PostQuery) -> ForumRead<'_, PostPage> {
    let [agent, all] = viewer_values(query.viewer);
    let solution = vec![query.solution.uuid().into(), agent, all];
    let mut group = Group::default();
    let outlines = group.push(
        match query.order {
            PostOrder::Threads => thread_outlines(query, query.after.root_seq()),
            PostOrder::Flat(stance) => stance_outlines(query, stance),
        },
        OutlineRow::decode,
    );
    let solution = group.push_exists(Statement::new(SOLUTION, solution));
    group.then(move |rows| {
        if !rows.has_any(&solution) {
            return Ok(Operation::Done(Err(ForumError::UnknownSolution(query.solution))));
        }
        match query.order {
            PostOrder::Threads => choose_in_threads(PageBuilder::new(query), rows, &outlines),
            PostOrder::Flat(_) => choose_one_by_one(PageBuilder::new(query), rows, &outlines),
        }
    })
}

/// A page while its posts are chosen.
struct PageBuilder<'s> {
    query: &'s PostQuery,
    room: PageBudget,
    chosen: Vec<ThreadPath>,
    threads: u32,
}

impl<'s> PageBuilder<'s> {
    const fn new(query: &'s PostQuery) -> Self {
        Self { query, room: PageBudget::new(), chosen: Vec::new(), threads: 0 }
    }

    /// Puts a post on the page; false if the page ends before it.
    fn take(&mut self, outline: &Outline) -> bool {
        let root = |path: &ThreadPath| path.root_seq();
        let is_new_thread = self.chosen.last().map(root) != Some(root(&outline.path));
        if (is_new_thread && self.threads == self.query.limit.count())
            || !self.room.try_add(outline.bytes)
        {
            return false;
        }
        self.threads += u32::from(is_new_thread);
        self.chosen.push(outline.path);
        true
    }

    /// Reads the chosen posts.
    fn read(self, has_more: bool) -> ForumRead<'s, PostPage> {
        let Self { query, chosen, .. } = self;
        let own_seq = |path: &ThreadPath| path.seqs().last().copied().unwrap_or_default();
        let seqs: Vec<u32> = chosen.iter().map(own_seq).collect();
        let next = chosen.last().copied().filter(|_| has_more);
        if seqs.is_empty() {
            return Operation::Done(Ok(PostPage { posts: Vec::new(), next }));
        }
        let mut group = Group::default();
        let posts = push_posts(&mut group, query.solution, &seqs, query.viewer);
        group.finish(move |rows| {
            let mut posts = posts(rows)?;
            let posts: Option<Vec<Post>> = seqs.iter().map(|seq| posts.remove(seq)).collect();
            Ok(posts
                .map(|posts| PostPage { posts, next })
                .ok_or(ForumError::UnknownSolution(query.solution)))
        })
    }
}

/// A post on its way to a page.
struct Outline {
    path: ThreadPath,
    bytes: usize,
}

/// A row of a statement for outlines.
struct OutlineRow {
    id: PostId,
    parent: Option<PostId>,
    root_seq: u32,
    seq: Seq,
    bytes: usize,
    /// The first post of the last thread that was read; only in thread order.
    last_root_seq: Option<u32>,
}

impl OutlineRow {
    fn decode(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: PostId::new(row.id("id")?),
            parent: row.maybe_id("parent_id")?.map(PostId::new),
            root_seq: row.count("root_seq")?,
            seq: Seq::new(row.count("seq")?),
            bytes: row.count("bytes")?,
            last_root_seq: row.maybe_count("last_found")?,
        })
    }
}

/// Puts the posts of the threads that were read on the page. Threads contain withheld posts, too,
/// so that the page may need more than one group.
fn choose_in_threads<'s>(
    mut page: PageBuilder<'s>,
    rows: &Rows,
    outlines: &Handle<OutlineRow>,
) -> Result<ForumRead<'s, PostPage>, StoreError> {
    let rows = rows.all(outlines)?;
    let ends = rows.last().and_then(|last| Some((last.root_seq, last.last_root_seq?)));
    let after = page.query.after;
    for outline in in_thread_order(&rows).iter().filter(|outline| outline.path > after) {
        if !page.take(outline) {
            return Ok(page.read(true));
        }
    }
    Ok(match ends {
        Some((last, last_read)) if last_read > last => {
            let from = Seq::new(last.saturating_add(1));
            let mut group = Group::default();
            let outlines = group.push(thread_outlines(page.query, from), OutlineRow::decode);
            group.then(move |rows| choose_in_threads(page, rows, &outlines))
        }
        Some(_) | None => page.read(false),
    })
}

fn thread_outlines(query: &PostQuery, from: Seq) -> Statement<'static> {
    // One thread may end on the previous page, and one more shows whether there is a next page.
    let threads = Value::Number(i64::from(query.limit.count()) + 2);
    let mut values = vec![query.solution.uuid().into(), from.number().into(), threads];
    let sql = match query.viewer {
        Viewer::Reviewer => ALL_THREADS,
        viewer @ (Viewer::Anonymous | Viewer::Agent(_)) => {
            let [agent, _] = viewer_values(viewer);
            values.push(agent);
            THREADS
        }
    };
    values.push(PAGE_POSTS_MAX.into());
    Statement::new(sql, values)
}

/// Rows are ordered by thread and seq, so that each post follows its parent.
fn in_thread_order(rows: &[OutlineRow]) -> Vec<Outline> {
    let mut paths: HashMap<PostId, ThreadPath> = HashMap::with_capacity(rows.len());
    let mut outlines = Vec::with_capacity(rows.len());
    for row in rows {
        let parent = row.parent.and_then(|parent| paths.get(&parent));
        let path = parent.map_or_else(|| ThreadPath::root(row.seq), |parent| parent.reply(row.seq));
        paths.insert(row.id, path);
        outlines.push(Outline { path, bytes: row.bytes });
    }
    outlines.sort_by_key(|outline| outline.path);
    outlines
}

/// Puts the posts that were read on the page, oldest first.
fn choose_one_by_one<'s>(
    mut page: PageBuilder<'s>,
    rows: &Rows,
    outlines: &Handle<OutlineRow>,
) -> Result<ForumRead<'s, PostPage>, StoreError> {
    let outline = |row: &OutlineRow| Outline { path: ThreadPath::root(row.seq), bytes: row.bytes };
    let has_more = !rows.all(outlines)?.iter().all(|row| page.take(&outline(row)));
    Ok(page.read(has_more))
}

fn stance_outlines(query: &PostQuery, stance: Stance) -> Statement<'static> {
    let mut values: Vec<Value<'static>> = vec![
        query.solution.uuid().into(),
        stance.name().into(),
        query.after.root_seq().number().into(),
        row_limit(query.limit),
    ];
    let sql = match query.viewer {
        Viewer::Reviewer => ALL_OF_STANCE,
        viewer @ (Viewer::Anonymous | Viewer::Agent(_)) => {
            let [agent, _] = viewer_values(viewer);
            values.push(agent);
            OF_STANCE
        }
    };
    Statement::new(sql, values)
}

/// The posts of a solution with these sequence numbers, by their sequence numbers.
pub(super) fn push_posts(
    group: &mut Group<'_>,
    solution: SolutionId,
    seqs: &[u32],
    viewer: Viewer,
) -> Decoder<HashMap<u32, Post>> {
    let seqs: Vec<String> = seqs.iter().map(u32::to_string).collect();
    let sql = Sql::PerEngine { sqlite: LISTED_SQLITE, postgres: LISTED_POSTGRES };
    let statement = Statement::new(sql, vec![seqs.join(",").into(), solution.uuid().into()]);
    let posts = group.push(statement, move |row| rows::post(row, viewer));
    Box::new(move |rows| {
        Ok(rows.all(&posts)?.into_iter().map(|post| (post.seq.number(), post)).collect())
    })
}
