//! Problems and solutions: create, find, delete.

use debate_app::Subject;
use debate_app::forum::{EvaluatedItem, ForumError};
use debate_core::forum::guardrail::{GuardrailState, GuardrailStatus};
use debate_core::forum::{
    Exposure, Problem, ProblemDraft, Solution, SolutionDraft, SolutionStatus, Viewer,
};
use debate_core::{AgentId, EvaluationId, ProblemId, SolutionId};
use jiff::Timestamp;

use super::agents::agent_by_id;
use super::evaluation::{ADD_EVALUATION, new_values};
use super::publish::{COUNT_SOLUTIONS, LOCK_PROBLEM, LOCK_SOLUTION};
use super::rows::{self, is_public};
use super::statements::{PROBLEM, SOLUTION};
use super::{ForumRead, ForumWrite};
use crate::sql::{Commit, Group, Handle, Operation, Statement, Value, Writes};

/// Others may add solutions meanwhile, but cannot delete the problem.
const SHARE_PROBLEM: &str = "select id from forum_problems where id = $1 for key share";

const SOLUTION_IDS: &str = "select id from forum_solutions where problem_id = $1";

const ADD_PROBLEM: &str = "insert into forum_problems
         (id, agent_id, title, description, domain, severity, status, public, evaluation_id,
          solutions, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

const ADD_SOLUTION: &str = "insert into forum_solutions
         (id, problem_id, agent_id, title, description, approach, progress, status, public,
          evaluation_id, posts, public_posts, last_feed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

const DELETE_PROBLEM: &str = "delete from forum_problems where id = $1";

const DELETE_SOLUTION: &str = "delete from forum_solutions where id = $1";

/// The state of every new item.
pub(super) const fn pending(evaluation: EvaluationId) -> GuardrailState {
    let (status, exposure) = (GuardrailStatus::Pending, Exposure::Withheld);
    GuardrailState { status, exposure, evaluation, reason: None }
}

fn push_problem(group: &mut Group<'_>, problem: ProblemId, viewer: Viewer) -> Handle<Problem> {
    let [agent, all] = rows::viewer_values(viewer);
    let statement = Statement::new(PROBLEM, vec![problem.uuid().into(), agent, all]);
    group.push(statement, move |row| rows::problem(row, viewer))
}

fn push_solution(group: &mut Group<'_>, solution: SolutionId, viewer: Viewer) -> Handle<Solution> {
    let [agent, all] = rows::viewer_values(viewer);
    let statement = Statement::new(SOLUTION, vec![solution.uuid().into(), agent, all]);
    group.push(statement, move |row| rows::solution(row, viewer))
}

pub(super) fn create_problem(
    (author, draft, at): &(AgentId, ProblemDraft, Timestamp),
) -> ForumWrite<'_, Problem> {
    let (author, at) = (*author, *at);
    let mut group = Group::default();
    let author_row = group.push_exists(agent_by_id(author));
    group.finish(move |rows| {
        if !rows.has_any(&author_row) {
            return Ok(Commit::refuse(ForumError::UnknownAgent(author)));
        }
        let problem = Problem {
            id: draft.id,
            agent: author,
            title: draft.title.clone(),
            description: draft.description.clone(),
            domain: draft.domain.clone(),
            severity: draft.severity,
            guardrail: pending(draft.evaluation),
            solutions: 0,
            created_at: at,
        };
        let mut writes = Writes::default();
        writes.push(ADD_PROBLEM, problem_values(&problem));
        let item = EvaluatedItem::Problem(draft.id);
        let evaluation = new_values(draft.evaluation, item, author, draft.evaluated_text(), at);
        writes.push(ADD_EVALUATION, evaluation);
        writes.notify(Subject::GUARDRAIL_WORK);
        Ok(Commit::new(Ok(problem), writes))
    })
}

fn problem_values(problem: &Problem) -> Vec<Value<'static>> {
    vec![
        problem.id.uuid().into(),
        problem.agent.uuid().into(),
        problem.title.as_str().to_owned().into(),
        problem.description.as_str().to_owned().into(),
        problem.domain.as_ref().map(|domain| domain.as_str().to_owned()).into(),
        problem.severity.name().into(),
        problem.guardrail.status.name().into(),
        is_public(problem.guardrail.exposure).into(),
        problem.guardrail.evaluation.uuid().into(),
        problem.solutions.into(),
        problem.created_at.into(),
    ]
}

pub(super) fn create_solution(
    (author, draft, at): &(AgentId, SolutionDraft, Timestamp),
) -> ForumWrite<'_, Solution> {
    let (author, at) = (*author, *at);
    let mut group = Group::default();
    group.lock(SHARE_PROBLEM, draft.problem.uuid());
    let problem = push_problem(&mut group, draft.problem, Viewer::Agent(author));
    let author_row = group.push_exists(agent_by_id(author));
    group.finish(move |rows| {
        if !rows.has_any(&problem) {
            return Ok(Commit::refuse(ForumError::UnknownProblem(draft.problem)));
        }
        if !rows.has_any(&author_row) {
            return Ok(Commit::refuse(ForumError::UnknownAgent(author)));
        }
        let solution = Solution {
            id: draft.id,
            problem: draft.problem,
            agent: author,
            title: draft.title.clone(),
            description: draft.description.clone(),
            approach: draft.approach.clone(),
            status: SolutionStatus::Proposed,
            guardrail: pending(draft.evaluation),
            posts: 0,
            public_posts: 0,
            created_at: at,
            updated_at: at,
        };
        let mut writes = Writes::default();
        writes.push(ADD_SOLUTION, solution_values(&solution));
        let item = EvaluatedItem::Solution(draft.id);
        let evaluation = new_values(draft.evaluation, item, author, draft.evaluated_text(), at);
        writes.push(ADD_EVALUATION, evaluation);
        writes.notify(Subject::GUARDRAIL_WORK);
        Ok(Commit::new(Ok(solution), writes))
    })
}

fn solution_values(solution: &Solution) -> Vec<Value<'static>> {
    vec![
        solution.id.uuid().into(),
        solution.problem.uuid().into(),
        solution.agent.uuid().into(),
        solution.title.as_str().to_owned().into(),
        solution.description.as_str().to_owned().into(),
        solution.approach.as_str().to_owned().into(),
        solution.status.name().into(),
        solution.guardrail.status.name().into(),
        is_public(solution.guardrail.exposure).into(),
        solution.guardrail.evaluation.uuid().into(),
        solution.posts.into(),
        solution.public_posts.into(),
        0_u32.into(),
        solution.created_at.into(),
        solution.updated_at.into(),
    ]
}

pub(super) fn problem(&(viewer, problem): &(Viewer, ProblemId)) -> ForumRead<'_, Problem> {
    let mut group = Group::default();
    let found = push_problem(&mut group, problem, viewer);
    group.finish(move |rows| Ok(rows.first(&found)?.ok_or(ForumError::UnknownProblem(problem))))
}

pub(super) fn solution(&(viewer, solution): &(Viewer, SolutionId)) -> ForumRead<'_, Solution> {
    let mut group = Group::default();
    let found = push_solution(&mut group, solution, viewer);
    group.finish(move |rows| Ok(rows.first(&found)?.ok_or(ForumError::UnknownSolution(solution))))
}

pub(super) fn delete_problem(&(author, problem): &(AgentId, ProblemId)) -> ForumWrite<'_, ()> {
    let id = problem.uuid();
    let mut group = Group::default();
    group.lock(LOCK_PROBLEM, id);
    let found = push_problem(&mut group, problem, Viewer::Agent(author));
    let solutions = group.push(Statement::new(SOLUTION_IDS, vec![id.into()]), |row| {
        Ok(SolutionId::new(row.id("id")?))
    });
    group.finish(move |rows| {
        let Some(found) = rows.first(&found)? else {
            return Ok(Commit::refuse(ForumError::UnknownProblem(problem)));
        };
        if found.agent != author {
            return Ok(Commit::refuse(ForumError::NotTheAuthor));
        }
        let mut writes = Writes::default();
        writes.push(DELETE_PROBLEM, vec![id.into()]);
        for solution in rows.all(&solutions)? {
            writes.notify(solution);
        }
        Ok(Commit::new(Ok(()), writes))
    })
}

pub(super) fn delete_solution(&(author, solution): &(AgentId, SolutionId)) -> ForumWrite<'_, ()> {
    let id = solution.uuid();
    let mut group = Group::default();
    let found = push_solution(&mut group, solution, Viewer::Agent(author));
    // The problem is locked first; which problem it is never changes.
    group.then(move |rows| {
        let Some(found) = rows.first(&found)? else {
            return Ok(Operation::refuse(ForumError::UnknownSolution(solution)));
        };
        let problem = found.problem.uuid();
        let mut group = Group::default();
        group.lock(LOCK_PROBLEM, problem);
        group.lock(LOCK_SOLUTION, id);
        let found = push_solution(&mut group, solution, Viewer::Agent(author));
        Ok(group.finish(move |rows| {
            let Some(found) = rows.first(&found)? else {
                return Ok(Commit::refuse(ForumError::UnknownSolution(solution)));
            };
            if found.agent != author {
                return Ok(Commit::refuse(ForumError::NotTheAuthor));
            }
            let mut writes = Writes::default();
            writes.push(DELETE_SOLUTION, vec![id.into()]);
            if is_public(found.guardrail.exposure) {
                writes.push(COUNT_SOLUTIONS, vec![Value::Number(-1), problem.into()]);
            }
            writes.notify(solution);
            Ok(Commit::new(Ok(()), writes))
        }))
    })
}
