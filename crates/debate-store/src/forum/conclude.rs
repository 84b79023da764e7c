//! What an examination changes of what it is of, and what everyone then sees.
//!
//! What becomes public takes along what was approved before and only waited for it: a problem its
//! solutions, a post its answers.

use std::collections::HashSet;

use debate_app::forum::Examined;
use debate_core::forum::guardrail::Status;
use debate_core::forum::{Exposure, exposure};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use jiff::Timestamp;
use uuid::Uuid;

use super::record::{LOCK_EVALUATION, Record, SAVE_EVALUATION, record, subject};
use super::rows::{exposed, is_public};
use super::statements::{EVALUATION, WAITING_POSTS, WAITING_SOLUTIONS};
use crate::sql::{Columns, Misfit, Query, Rows, Value, Writes};

pub(super) const LOCK_PROBLEM: &str = "select id from forum_problems where id = $1 for update";

pub(super) const LOCK_SOLUTION: &str = "select id from forum_solutions where id = $1 for update";

const IS_PROBLEM_PUBLIC: &str = "select public from forum_problems where id = $1";

const IS_POST_PUBLIC: &str = "select public from forum_posts where id = $1";

const SHOWN: &str = "select public_posts, last_feed from forum_solutions where id = $1";

const MOVE_PROBLEM: &str = "update forum_problems
     set status = $1, public = $2, reason = $3, solutions = solutions + $4 where id = $5";

const SHOW_SOLUTIONS: &str = "update forum_solutions set public = $1
     where problem_id = $2 and status = 'approved' and not public";

const MOVE_SOLUTION: &str = "update forum_solutions
     set status = $1, public = $2, reason = $3, updated_at = $4 where id = $5";

pub(super) const COUNT_SOLUTIONS: &str =
    "update forum_problems set solutions = solutions + $1 where id = $2";

const MOVE_POST: &str =
    "update forum_posts set status = $1, public = $2, reason = $3 where id = $4";

const SHOW_POST: &str = "update forum_posts set public = $1 where id = $2";

pub(super) const ADD_FEED: &str =
    "insert into forum_feed (solution_id, seq, post_id, agent_id) values ($1, $2, $3, $4)";

const SAVE_SHOWN: &str =
    "update forum_solutions set public_posts = $1, last_feed = $2 where id = $3";

const COUNT_APPROVED: &str = "update forum_agents set approved = approved + 1 where id = $1";

/// Where that is which an examination is of, and what it hangs on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    Problem(ProblemId),
    Solution { solution: SolutionId, problem: ProblemId },
    Post { solution: SolutionId, post: PostId, parent: Option<PostId>, root_seq: u32 },
}

impl Spot {
    pub(super) fn of<C: Columns>(row: &C) -> Result<Self, C::Fault> {
        Ok(match subject(row)? {
            Examined::Problem(problem) => Self::Problem(problem),
            Examined::Solution(solution) => {
                Self::Solution { solution, problem: ProblemId::new(row.id("above")?) }
            }
            Examined::Post(solution, post) => {
                let parent = row.maybe_id("parent_id")?.map(PostId::new);
                Self::Post { solution, post, parent, root_seq: row.count("root_seq")? }
            }
        })
    }

    /// Its locks, and then all that is needed of it: read by [`Scene::of`].
    pub(super) fn asks<'s>(self, evaluation: EvaluationId) -> Vec<Query<'s>> {
        let mut asked = match self {
            Self::Problem(problem) => {
                let id = problem.uuid();
                vec![Query::lock(LOCK_PROBLEM, id), Query::new(WAITING_SOLUTIONS, vec![id.into()])]
            }
            Self::Solution { solution, problem } => vec![
                Query::lock(LOCK_PROBLEM, problem.uuid()),
                Query::lock(LOCK_SOLUTION, solution.uuid()),
                Query::new(IS_PROBLEM_PUBLIC, vec![problem.uuid().into()]),
            ],
            Self::Post { solution, parent, root_seq, .. } => {
                let id = solution.uuid();
                vec![
                    Query::lock(LOCK_SOLUTION, id),
                    Query::new(SHOWN, vec![id.into()]),
                    Query::new(IS_POST_PUBLIC, vec![parent.map(PostId::uuid).into()]),
                    Query::new(WAITING_POSTS, vec![id.into(), root_seq.into()]),
                ]
            }
        };
        asked.push(Query::lock(LOCK_EVALUATION, evaluation.uuid()));
        asked.push(Query::new(EVALUATION, vec![evaluation.uuid().into()]));
        asked
    }

    /// The examination, as [`Spot::asks`] found it.
    pub(super) fn record<R: Columns>(self, found: &Rows<R>) -> Result<Option<Record>, R::Fault> {
        let number = match self {
            Self::Problem(_) => 3,
            Self::Solution { .. } => 4,
            Self::Post { .. } => 5,
        };
        found.one(number, record)
    }
}

/// All that is needed to tell what everyone sees afterwards.
#[derive(Debug)]
pub(super) enum Scene {
    Problem {
        problem: ProblemId,
        /// So many solutions were approved and wait for it.
        waiting: u32,
    },
    Solution {
        solution: SolutionId,
        problem: ProblemId,
        above: Exposure,
    },
    Post {
        solution: SolutionId,
        post: PostId,
        above: Exposure,
        shown: Shown,
        /// What was approved in its thread and is not public yet, oldest first: which, below which.
        waiting: Vec<(PostId, Option<PostId>)>,
    },
}

/// What is seen of a solution's posts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) public_posts: u32,
    pub(super) last_feed: u32,
}

impl Scene {
    pub(super) fn of<R: Columns>(spot: Spot, found: &Rows<R>) -> Result<Self, R::Fault> {
        let public = |number| found.one(number, |row| row.flag("public"));
        Ok(match spot {
            Spot::Problem(problem) => {
                let waiting = found.one(1, |row| row.count("waiting"))?.unwrap_or_default();
                Self::Problem { problem, waiting }
            }
            Spot::Solution { solution, problem } => {
                let above = exposed(public(2)?.unwrap_or_default());
                Self::Solution { solution, problem, above }
            }
            Spot::Post { solution, post, parent, .. } => {
                let above = match parent {
                    None => Exposure::Public,
                    Some(_) => exposed(public(2)?.unwrap_or_default()),
                };
                let shown = found.one(1, shown)?;
                let shown = shown.ok_or_else(|| Misfit("post without a solution".to_owned()))?;
                let waiting = found.all(3, |row| {
                    let parent = row.maybe_id("parent_id")?.map(PostId::new);
                    Ok((PostId::new(row.id("id")?), parent))
                })?;
                Self::Post { solution, post, above, shown, waiting }
            }
        })
    }
}

pub(super) fn shown<C: Columns>(row: &C) -> Result<Shown, C::Fault> {
    let (public_posts, last_feed) = (row.count("public_posts")?, row.count("last_feed")?);
    Ok(Shown { public_posts, last_feed })
}

/// A status that is another one now.
pub(super) struct Conclusion {
    pub(super) author: AgentId,
    pub(super) status: Status,
    pub(super) reason: Option<String>,
    pub(super) at: Timestamp,
}

/// Keeps an examination, and with it, if its status is another one now, what that changes.
pub(super) fn keep(scene: Scene, was: Status, record: &Record, at: Timestamp) -> Writes {
    let mut writes = Writes::default();
    let kept = &record.evaluation;
    if kept.status != was {
        let (author, status, reason) = (kept.author, kept.status, kept.reason.clone());
        conclude(scene, Conclusion { author, status, reason, at }, &mut writes);
    }
    writes.push(SAVE_EVALUATION, record.saved(None));
    // Last, since whoever has this lock waits for no other.
    if kept.status != was && kept.status == Status::Approved {
        writes.push(COUNT_APPROVED, vec![kept.author.uuid().into()]);
    }
    writes
}

fn conclude(scene: Scene, conclusion: Conclusion, writes: &mut Writes) {
    let Conclusion { author, status, reason, at } = conclusion;
    let name = Value::from(status.name());
    match scene {
        Scene::Problem { problem, waiting } => {
            let public = is_public(exposure(status, Exposure::Public));
            let more = if public { waiting } else { 0 };
            let id = Value::from(problem.uuid());
            let moved = vec![name, public.into(), reason.into(), more.into(), id.clone()];
            writes.push(MOVE_PROBLEM, moved);
            if public {
                writes.push(SHOW_SOLUTIONS, vec![true.into(), id]);
            }
        }
        Scene::Solution { solution, problem, above } => {
            let public = is_public(exposure(status, above));
            let id = solution.uuid().into();
            writes.push(MOVE_SOLUTION, vec![name, public.into(), reason.into(), at.into(), id]);
            if public {
                writes.push(COUNT_SOLUTIONS, vec![1_u32.into(), problem.uuid().into()]);
            }
        }
        Scene::Post { solution, post, above, shown, waiting } => {
            let public = is_public(exposure(status, above));
            writes.push(MOVE_POST, vec![name, public.into(), reason.into(), post.uuid().into()]);
            let mut feed = Feed { solution, shown };
            if public {
                show(&mut feed, post, &waiting, writes);
            } else {
                feed.tell(post, Some(author), writes);
            }
            feed.save(writes);
        }
    }
}

/// Shows a post to everyone, and every answer that only waited for that.
fn show(feed: &mut Feed, post: PostId, waiting: &[(PostId, Option<PostId>)], writes: &mut Writes) {
    let mut public: HashSet<PostId> = HashSet::from([post]);
    feed.show(post, writes);
    for &(answer, parent) in waiting {
        let above = exposed(parent.is_some_and(|parent| public.contains(&parent)));
        if is_public(exposure(Status::Approved, above)) {
            writes.push(SHOW_POST, vec![true.into(), answer.uuid().into()]);
            feed.show(answer, writes);
            public.insert(answer);
        }
    }
}

/// A solution's feed, while rows are added to it.
struct Feed {
    solution: SolutionId,
    shown: Shown,
}

impl Feed {
    fn show(&mut self, post: PostId, writes: &mut Writes) {
        self.shown.public_posts = self.shown.public_posts.saturating_add(1);
        self.tell(post, None, writes);
    }

    fn tell(&mut self, post: PostId, only: Option<AgentId>, writes: &mut Writes) {
        self.shown.last_feed = self.shown.last_feed.saturating_add(1);
        writes.push(ADD_FEED, told(self.solution, self.shown.last_feed, post, only));
    }

    fn save(self, writes: &mut Writes) {
        let Shown { public_posts, last_feed } = self.shown;
        let id = self.solution.uuid().into();
        writes.push(SAVE_SHOWN, vec![public_posts.into(), last_feed.into(), id]);
        writes.rings.moved(self.solution);
    }
}

/// What [`ADD_FEED`] takes: for whom, or for everyone.
pub(super) fn told(
    solution: SolutionId,
    place: u32,
    post: PostId,
    only: Option<AgentId>,
) -> Vec<Value<'static>> {
    let only: Option<Uuid> = only.map(AgentId::uuid);
    vec![solution.uuid().into(), place.into(), post.uuid().into(), only.into()]
}
