//! Publishes or withholds an item when its evaluation changes status.
//!
//! An item that becomes public also publishes the approved items that were withheld only because of
//! it: a problem its solutions, a post its replies.

use std::collections::HashSet;

use debate_app::forum::{EvaluatedItem, EvaluationDetails};
use debate_core::forum::guardrail::GuardrailStatus;
use debate_core::forum::{Exposure, exposure};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;
use uuid::Uuid;

use super::evaluation::{SAVE_EVALUATION, StoredEvaluation, evaluated_item, lock_evaluation};
use super::rows::{is_public, to_exposure};
use super::statements::{ITEM, WAITING_POSTS, WAITING_SOLUTIONS};
use crate::sql::{Decoder, Group, Handle, Statement, Value, Writes, undecodable};

pub(super) const LOCK_PROBLEM: &str = "select id from forum_problems where id = $1 for update";

pub(super) const LOCK_SOLUTION: &str = "select id from forum_solutions where id = $1 for update";

const IS_PROBLEM_PUBLIC: &str = "select public from forum_problems where id = $1";

const IS_POST_PUBLIC: &str = "select public from forum_posts where id = $1";

const COUNTERS: &str = "select public_posts, last_feed from forum_solutions where id = $1";

const SAVE_PROBLEM: &str = "update forum_problems
     set status = $1, public = $2, reason = $3, solutions = solutions + $4 where id = $5";

const PUBLISH_SOLUTIONS: &str = "update forum_solutions set public = $1
     where problem_id = $2 and status = 'approved' and not public";

const SAVE_SOLUTION: &str = "update forum_solutions
     set status = $1, public = $2, reason = $3, updated_at = $4 where id = $5";

pub(super) const COUNT_SOLUTIONS: &str =
    "update forum_problems set solutions = solutions + $1 where id = $2";

const SAVE_POST: &str =
    "update forum_posts set status = $1, public = $2, reason = $3 where id = $4";

const PUBLISH_POST: &str = "update forum_posts set public = $1 where id = $2";

pub(super) const ADD_FEED: &str =
    "insert into forum_feed (solution_id, seq, post_id, agent_id) values ($1, $2, $3, $4)";

const SAVE_COUNTERS: &str =
    "update forum_solutions set public_posts = $1, last_feed = $2 where id = $3";

const COUNT_APPROVED: &str = "update forum_agents set approved = approved + 1 where id = $1";

/// The evaluated item and its parent.
#[derive(Debug, Clone, Copy)]
pub(super) enum ItemPath {
    Problem(ProblemId),
    Solution { solution: SolutionId, problem: ProblemId },
    Post { solution: SolutionId, post: PostId, parent: Option<PostId>, root_seq: u32 },
}

/// The rows that decide about the visibility of an item.
#[derive(Debug)]
pub(super) enum ItemContext {
    Problem {
        problem: ProblemId,
        /// The number of approved solutions that are withheld until it is public.
        waiting: u32,
    },
    Solution {
        solution: SolutionId,
        problem: ProblemId,
        parent: Exposure,
    },
    Post {
        solution: SolutionId,
        post: PostId,
        parent: Exposure,
        counters: FeedCounters,
        /// Approved posts of its thread that are not public, oldest first, with their parents.
        waiting: Vec<(PostId, Option<PostId>)>,
    },
}

/// Counters of a solution.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeedCounters {
    public_posts: u32,
    last_feed: u32,
}

pub(super) fn push_item_path(group: &mut Group<'_>, evaluation: EvaluationId) -> Handle<ItemPath> {
    group.push(Statement::new(ITEM, vec![evaluation.uuid().into()]), |row| {
        Ok(match evaluated_item(row)? {
            EvaluatedItem::Problem(problem) => ItemPath::Problem(problem),
            EvaluatedItem::Solution(solution) => {
                ItemPath::Solution { solution, problem: ProblemId::new(row.id("above")?) }
            }
            EvaluatedItem::Post(solution, post) => {
                let parent = row.maybe_id("parent_id")?.map(PostId::new);
                ItemPath::Post { solution, post, parent, root_seq: row.count("root_seq")? }
            }
        })
    })
}

/// Locks an item and its evaluation, and loads both; none if the evaluation does not exist.
pub(super) fn lock_item(
    group: &mut Group<'_>,
    path: ItemPath,
    evaluation: EvaluationId,
) -> Decoder<Option<(ItemContext, StoredEvaluation)>> {
    let context: Decoder<ItemContext> = match path {
        ItemPath::Problem(problem) => lock_problem(group, problem),
        ItemPath::Solution { solution, problem } => {
            group.lock(LOCK_PROBLEM, problem.uuid());
            group.lock(LOCK_SOLUTION, solution.uuid());
            let parent = push_public(group, IS_PROBLEM_PUBLIC, Some(problem.uuid()));
            Box::new(move |rows| {
                let parent = to_exposure(rows.first(&parent)?.unwrap_or_default());
                Ok(ItemContext::Solution { solution, problem, parent })
            })
        }
        ItemPath::Post { solution, post, parent, root_seq } => {
            lock_post(group, solution, (post, parent), root_seq)
        }
    };
    let stored = lock_evaluation(group, evaluation);
    Box::new(move |rows| {
        let context = context(rows)?;
        Ok(rows.first(&stored)?.map(|stored| (context, stored)))
    })
}

fn lock_problem(group: &mut Group<'_>, problem: ProblemId) -> Decoder<ItemContext> {
    let id = problem.uuid();
    group.lock(LOCK_PROBLEM, id);
    let waiting = Statement::new(WAITING_SOLUTIONS, vec![id.into()]);
    let waiting = group.push(waiting, |row| row.count("waiting"));
    Box::new(move |rows| {
        let waiting = rows.first(&waiting)?.unwrap_or_default();
        Ok(ItemContext::Problem { problem, waiting })
    })
}

fn lock_post(
    group: &mut Group<'_>,
    solution: SolutionId,
    (post, parent): (PostId, Option<PostId>),
    root_seq: u32,
) -> Decoder<ItemContext> {
    let id = solution.uuid();
    group.lock(LOCK_SOLUTION, id);
    let counters = group.push(Statement::new(COUNTERS, vec![id.into()]), |row| {
        let (public_posts, last_feed) = (row.count("public_posts")?, row.count("last_feed")?);
        Ok(FeedCounters { public_posts, last_feed })
    });
    let is_public = push_public(group, IS_POST_PUBLIC, parent.map(PostId::uuid));
    let waiting = Statement::new(WAITING_POSTS, vec![id.into(), root_seq.into()]);
    let waiting = group.push(waiting, |row| {
        Ok((PostId::new(row.id("id")?), row.maybe_id("parent_id")?.map(PostId::new)))
    });
    Box::new(move |rows| {
        let parent = match parent {
            None => Exposure::Public,
            Some(_) => to_exposure(rows.first(&is_public)?.unwrap_or_default()),
        };
        let counters = rows.first(&counters)?;
        let counters = counters.ok_or_else(|| undecodable("post without a solution"))?;
        let waiting = rows.all(&waiting)?;
        Ok(ItemContext::Post { solution, post, parent, counters, waiting })
    })
}

fn push_public(group: &mut Group<'_>, sql: &'static str, id: Option<Uuid>) -> Handle<bool> {
    group.push(Statement::new(sql, vec![id.into()]), |row| row.flag("public"))
}

/// The writes that save an evaluation and, if its status is not `before` any more, publish
/// or withhold its item.
pub(super) fn save(
    context: ItemContext,
    before: GuardrailStatus,
    stored: &StoredEvaluation,
    at: Timestamp,
) -> Writes {
    let mut writes = Writes::default();
    let is_changed = stored.evaluation.status != before;
    if is_changed {
        save_item(context, &stored.evaluation, at, &mut writes);
    }
    writes.push(SAVE_EVALUATION, stored.to_values(None));
    // Last, because a transaction that holds the lock of an agent must not wait for another lock.
    if is_changed && stored.evaluation.status == GuardrailStatus::Approved {
        writes.push(COUNT_APPROVED, vec![stored.evaluation.author.uuid().into()]);
    }
    writes
}

fn save_item(
    context: ItemContext,
    evaluation: &EvaluationDetails,
    at: Timestamp,
    writes: &mut Writes,
) {
    let (status, reason) = (evaluation.status, evaluation.reason.clone());
    let name = Value::from(status.name());
    match context {
        ItemContext::Problem { problem, waiting } => {
            let public = is_public(exposure(status, Exposure::Public));
            let more = if public { waiting } else { 0 };
            let id = Value::from(problem.uuid());
            let values = vec![name, public.into(), reason.into(), more.into(), id.clone()];
            writes.push(SAVE_PROBLEM, values);
            if public {
                writes.push(PUBLISH_SOLUTIONS, vec![true.into(), id]);
            }
        }
        ItemContext::Solution { solution, problem, parent } => {
            let public = is_public(exposure(status, parent));
            let id = solution.uuid().into();
            writes.push(SAVE_SOLUTION, vec![name, public.into(), reason.into(), at.into(), id]);
            if public {
                writes.push(COUNT_SOLUTIONS, vec![1_u32.into(), problem.uuid().into()]);
            }
        }
        ItemContext::Post { solution, post, parent, counters, waiting } => {
            let public = is_public(exposure(status, parent));
            writes.push(SAVE_POST, vec![name, public.into(), reason.into(), post.uuid().into()]);
            let mut feed = FeedWriter { solution, counters, writes };
            if public {
                feed.publish(post);
                feed.publish_waiting(post, &waiting);
            } else {
                feed.add(post, Some(evaluation.author));
            }
            feed.finish();
        }
    }
}

/// Adds rows to the feed of a solution.
struct FeedWriter<'w> {
    solution: SolutionId,
    counters: FeedCounters,
    writes: &'w mut Writes,
}

impl FeedWriter<'_> {
    fn publish(&mut self, post: PostId) {
        self.counters.public_posts = self.counters.public_posts.saturating_add(1);
        self.add(post, None);
    }

    /// Publishes the approved replies that were withheld only because of the post.
    fn publish_waiting(&mut self, post: PostId, waiting: &[(PostId, Option<PostId>)]) {
        let mut public: HashSet<PostId> = HashSet::from([post]);
        for &(reply, parent) in waiting {
            let parent = to_exposure(parent.is_some_and(|parent| public.contains(&parent)));
            if is_public(exposure(GuardrailStatus::Approved, parent)) {
                self.writes.push(PUBLISH_POST, vec![true.into(), reply.uuid().into()]);
                self.publish(reply);
                public.insert(reply);
            }
        }
    }

    fn add(&mut self, post: PostId, only: Option<AgentId>) {
        self.counters.last_feed = self.counters.last_feed.saturating_add(1);
        let seq = self.counters.last_feed;
        self.writes.push(ADD_FEED, feed_values(self.solution, seq, post, only));
    }

    fn finish(self) {
        let FeedCounters { public_posts, last_feed } = self.counters;
        let id = self.solution.uuid().into();
        self.writes.push(SAVE_COUNTERS, vec![public_posts.into(), last_feed.into(), id]);
        self.writes.notify(self.solution);
    }
}

/// The values of [`ADD_FEED`]. With `only`, no other agent sees the row.
pub(super) fn feed_values(
    solution: SolutionId,
    seq: u32,
    post: PostId,
    only: Option<AgentId>,
) -> Vec<Value<'static>> {
    let only: Option<Uuid> = only.map(AgentId::uuid);
    vec![solution.uuid().into(), seq.into(), post.uuid().into(), only.into()]
}
