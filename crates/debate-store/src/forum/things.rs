//! What debates attach to: problems and solutions, kept, found and forgotten.

use debate_app::Subject;
use debate_app::forum::{Examined, ForumError};
use debate_core::forum::guardrail::{Standing, Status};
use debate_core::forum::{
    Exposure, Problem, ProblemDraft, Reader, Solution, SolutionDraft, SolutionStatus,
};
use debate_core::{AgentId, EvaluationId, ProblemId, SolutionId};
use jiff::Timestamp;

use super::agents::AGENT;
use super::conclude::{COUNT_SOLUTIONS, LOCK_PROBLEM, LOCK_SOLUTION};
use super::record::{ADD_EVALUATION, asked};
use super::rows::{self, is_public};
use super::statements::{PROBLEM, SOLUTION};
use crate::sql::{Columns, Query, Read, Rows, Step, Value, Writes};

/// Others may add to it meanwhile; nobody may forget it.
const HOLD_PROBLEM: &str = "select id from forum_problems where id = $1 for key share";

const IDS_OF_PROBLEM: &str = "select id from forum_solutions where problem_id = $1";

const ADD_PROBLEM: &str = "insert into forum_problems
         (id, agent_id, title, description, domain, severity, status, public, evaluation_id,
          solutions, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

const ADD_SOLUTION: &str = "insert into forum_solutions
         (id, problem_id, agent_id, title, description, approach, progress, status, public,
          evaluation_id, posts, public_posts, last_feed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

const FORGET_PROBLEM: &str = "delete from forum_problems where id = $1";

const FORGET_SOLUTION: &str = "delete from forum_solutions where id = $1";

/// How everything begins.
pub(super) const fn unseen(evaluation: EvaluationId) -> Standing {
    let (status, exposure) = (Status::Pending, Exposure::Withheld);
    Standing { status, exposure, evaluation, reason: None }
}

fn one_of<'s>(words: &'static str, id: uuid::Uuid, reader: Reader) -> Query<'s> {
    let [agent, all] = rows::eyes(reader);
    Query::new(words, vec![id.into(), agent, all])
}

fn agent_of<'s>(agent: AgentId) -> Query<'s> {
    Query::new(AGENT, vec![agent.uuid().into()])
}

pub(crate) fn raise<'s, R: Columns + 's>(
    by: AgentId,
    draft: &'s ProblemDraft,
    at: Timestamp,
) -> Step<'s, R, Result<Problem, ForumError>> {
    Step::ask(vec![agent_of(by)], move |found: &Rows<R>| {
        if !found.any(0) {
            return Ok(Step::decided(Err(ForumError::NoSuchAgent(by))));
        }
        let problem = Problem {
            id: draft.id,
            agent: by,
            title: draft.title.clone(),
            description: draft.description.clone(),
            domain: draft.domain.clone(),
            severity: draft.severity,
            standing: unseen(draft.evaluation),
            solutions: 0,
            created_at: at,
        };
        let mut writes = Writes::default();
        writes.push(ADD_PROBLEM, raised(&problem));
        let subject = Examined::Problem(draft.id);
        writes.push(ADD_EVALUATION, asked(draft.evaluation, subject, by, draft.examined(), at));
        writes.rings.moved(Subject::GUARDRAIL_WORK);
        Ok(Step::decided(Ok((problem, writes))))
    })
}

fn raised(problem: &Problem) -> Vec<Value<'static>> {
    vec![
        problem.id.uuid().into(),
        problem.agent.uuid().into(),
        problem.title.as_str().to_owned().into(),
        problem.description.as_str().to_owned().into(),
        problem.domain.as_ref().map(|domain| domain.as_str().to_owned()).into(),
        problem.severity.name().into(),
        problem.standing.status.name().into(),
        is_public(problem.standing.exposure).into(),
        problem.standing.evaluation.uuid().into(),
        problem.solutions.into(),
        problem.created_at.into(),
    ]
}

pub(crate) fn propose<'s, R: Columns + 's>(
    by: AgentId,
    draft: &'s SolutionDraft,
    at: Timestamp,
) -> Step<'s, R, Result<Solution, ForumError>> {
    let problem = draft.problem.uuid();
    let asked_for = vec![
        Query::lock(HOLD_PROBLEM, problem),
        one_of(PROBLEM, problem, Reader::Agent(by)),
        agent_of(by),
    ];
    Step::ask(asked_for, move |found: &Rows<R>| {
        if !found.any(1) {
            return Ok(Step::decided(Err(ForumError::NoSuchProblem(draft.problem))));
        }
        if !found.any(2) {
            return Ok(Step::decided(Err(ForumError::NoSuchAgent(by))));
        }
        let solution = Solution {
            id: draft.id,
            problem: draft.problem,
            agent: by,
            title: draft.title.clone(),
            description: draft.description.clone(),
            approach: draft.approach.clone(),
            status: SolutionStatus::Proposed,
            standing: unseen(draft.evaluation),
            posts: 0,
            public_posts: 0,
            created_at: at,
            updated_at: at,
        };
        let mut writes = Writes::default();
        writes.push(ADD_SOLUTION, proposed(&solution));
        let subject = Examined::Solution(draft.id);
        writes.push(ADD_EVALUATION, asked(draft.evaluation, subject, by, draft.examined(), at));
        writes.rings.moved(Subject::GUARDRAIL_WORK);
        Ok(Step::decided(Ok((solution, writes))))
    })
}

fn proposed(solution: &Solution) -> Vec<Value<'static>> {
    vec![
        solution.id.uuid().into(),
        solution.problem.uuid().into(),
        solution.agent.uuid().into(),
        solution.title.as_str().to_owned().into(),
        solution.description.as_str().to_owned().into(),
        solution.approach.as_str().to_owned().into(),
        solution.status.name().into(),
        solution.standing.status.name().into(),
        is_public(solution.standing.exposure).into(),
        solution.standing.evaluation.uuid().into(),
        solution.posts.into(),
        solution.public_posts.into(),
        0_u32.into(),
        solution.created_at.into(),
        solution.updated_at.into(),
    ]
}

pub(crate) fn problem<'s, R: Columns + 's>(
    reader: Reader,
    problem: ProblemId,
) -> Read<'s, R, Result<Problem, ForumError>> {
    Read::new(vec![one_of(PROBLEM, problem.uuid(), reader)], move |found: &Rows<R>| {
        let seen = found.one(0, |row| rows::problem(row, reader))?;
        Ok(seen.ok_or(ForumError::NoSuchProblem(problem)))
    })
}

pub(crate) fn solution<'s, R: Columns + 's>(
    reader: Reader,
    solution: SolutionId,
) -> Read<'s, R, Result<Solution, ForumError>> {
    Read::new(vec![one_of(SOLUTION, solution.uuid(), reader)], move |found: &Rows<R>| {
        let seen = found.one(0, |row| rows::solution(row, reader))?;
        Ok(seen.ok_or(ForumError::NoSuchSolution(solution)))
    })
}

pub(crate) fn delete_problem<'s, R: Columns + 's>(
    by: AgentId,
    problem: ProblemId,
) -> Step<'s, R, Result<(), ForumError>> {
    let reader = Reader::Agent(by);
    let id = problem.uuid();
    let asked_for = vec![
        Query::lock(LOCK_PROBLEM, id),
        one_of(PROBLEM, id, reader),
        Query::new(IDS_OF_PROBLEM, vec![id.into()]),
    ];
    Step::ask(asked_for, move |found: &Rows<R>| {
        let seen = found.one(1, |row| rows::problem(row, reader))?;
        let author = seen.map(|problem| problem.agent);
        if let Some(refusal) = not_the_author(author, by, ForumError::NoSuchProblem(problem)) {
            return Ok(Step::decided(Err(refusal)));
        }
        let mut writes = Writes::default();
        writes.push(FORGET_PROBLEM, vec![id.into()]);
        for solution in found.all(2, |row| Ok(SolutionId::new(row.id("id")?)))? {
            writes.rings.moved(solution);
        }
        Ok(Step::decided(Ok(((), writes))))
    })
}

fn not_the_author(author: Option<AgentId>, by: AgentId, none: ForumError) -> Option<ForumError> {
    match author {
        None => Some(none),
        Some(author) => (author != by).then_some(ForumError::NotTheAuthor),
    }
}

pub(crate) fn delete_solution<'s, R: Columns + 's>(
    by: AgentId,
    solution: SolutionId,
) -> Step<'s, R, Result<(), ForumError>> {
    let reader = Reader::Agent(by);
    let id = solution.uuid();
    // Which problem it belongs to never changes, and the problem is locked first.
    Step::ask(vec![one_of(SOLUTION, id, reader)], move |found: &Rows<R>| {
        let Some(seen) = found.one(0, |row| rows::solution(row, reader))? else {
            return Ok(Step::decided(Err(ForumError::NoSuchSolution(solution))));
        };
        let problem = seen.problem.uuid();
        let asked_for = vec![
            Query::lock(LOCK_PROBLEM, problem),
            Query::lock(LOCK_SOLUTION, id),
            one_of(SOLUTION, id, reader),
        ];
        Ok(Step::ask(asked_for, move |found: &Rows<R>| {
            let seen = found.one(2, |row| rows::solution(row, reader))?;
            let author = seen.as_ref().map(|solution| solution.agent);
            let none = ForumError::NoSuchSolution(solution);
            if let Some(refusal) = not_the_author(author, by, none) {
                return Ok(Step::decided(Err(refusal)));
            }
            let mut writes = Writes::default();
            writes.push(FORGET_SOLUTION, vec![id.into()]);
            if seen.is_some_and(|solution| is_public(solution.standing.exposure)) {
                writes.push(COUNT_SOLUTIONS, vec![Value::Number(-1), problem.into()]);
            }
            writes.rings.moved(solution);
            Ok(Step::decided(Ok(((), writes))))
        }))
    })
}
