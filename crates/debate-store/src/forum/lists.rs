//! Lists of problems and solutions, newest first.

use debate_app::forum::CursorPage;
use debate_core::ProblemId;
use debate_core::forum::guardrail::GuardrailStatus;
use debate_core::forum::{
    ListCursor, PageLimit, Problem, ProblemQuery, Solution, SolutionQuery, SolutionStatus, Viewer,
};

use super::rows::{self, cursor_values, row_limit, viewer_values};
use super::statements::{
    ALL_PROBLEMS, ALL_SOLUTIONS, PROBLEMS, PROBLEMS_OF_AGENT, SOLUTIONS, SOLUTIONS_IN_PROGRESS,
    SOLUTIONS_OF_AGENT, SOLUTIONS_OF_PROBLEM,
};
use crate::sql::{Group, Operation, Statement, Value};

/// The values for `(column = $n or $m)`: one value, or any.
fn one_or_any(one: Option<impl Into<Value<'static>>>) -> [Value<'static>; 2] {
    let any = one.is_none();
    [one.into(), any.into()]
}

pub(super) fn problems(query: &ProblemQuery) -> Operation<'_, CursorPage<Problem>> {
    let viewer = query.viewer;
    let mut group = Group::default();
    let found = group.push(problem_page(query), move |row| rows::problem(row, viewer));
    group.finish(move |rows| {
        Ok(page(rows.all(&found)?, query.limit, |problem| ListCursor {
            at: problem.created_at,
            id: problem.id.uuid(),
        }))
    })
}

fn problem_page(query: &ProblemQuery) -> Statement<'static> {
    let status = one_or_any(query.status.map(GuardrailStatus::name));
    let (start, limit) = (cursor_values(query.after), row_limit(query.limit));
    match (query.author, query.viewer) {
        (Some(author), viewer) => {
            let mut values = vec![author.uuid().into()];
            values.extend(viewer_values(viewer).into_iter().chain(status).chain(start));
            values.push(limit);
            Statement::new(PROBLEMS_OF_AGENT, values)
        }
        (None, Viewer::Reviewer) => {
            let values = status.into_iter().chain(start).chain([limit]);
            Statement::new(ALL_PROBLEMS, values.collect())
        }
        (None, viewer @ (Viewer::Anonymous | Viewer::Agent(_))) => {
            let [agent, _] = viewer_values(viewer);
            let public = query.status.is_none_or(|status| status == GuardrailStatus::Approved);
            let mut values = vec![public.into()];
            values.extend(start.into_iter().chain([limit, agent]).chain(status));
            Statement::new(PROBLEMS, values)
        }
    }
}

pub(super) fn solutions(query: &SolutionQuery) -> Operation<'_, CursorPage<Solution>> {
    let viewer = query.viewer;
    let mut group = Group::default();
    let found = group.push(solution_page(query), move |row| rows::solution(row, viewer));
    group.finish(move |rows| {
        Ok(page(rows.all(&found)?, query.limit, |solution| ListCursor {
            at: solution.created_at,
            id: solution.id.uuid(),
        }))
    })
}

fn solution_page(query: &SolutionQuery) -> Statement<'static> {
    let progress = one_or_any(query.status.map(SolutionStatus::name));
    let (start, limit) = (cursor_values(query.after), row_limit(query.limit));
    match (query.author, query.problem, query.viewer) {
        (Some(author), problem, viewer) => {
            let problem = one_or_any(problem.map(ProblemId::uuid));
            let mut values = vec![author.uuid().into()];
            values.extend(
                viewer_values(viewer).into_iter().chain(progress).chain(problem).chain(start),
            );
            values.push(limit);
            Statement::new(SOLUTIONS_OF_AGENT, values)
        }
        (None, Some(problem), viewer) => {
            let mut values = vec![problem.uuid().into()];
            values.extend(viewer_values(viewer).into_iter().chain(progress).chain(start));
            values.push(limit);
            Statement::new(SOLUTIONS_OF_PROBLEM, values)
        }
        (None, None, Viewer::Reviewer) => {
            let values = progress.into_iter().chain(start).chain([limit]);
            Statement::new(ALL_SOLUTIONS, values.collect())
        }
        (None, None, viewer @ (Viewer::Anonymous | Viewer::Agent(_))) => {
            let [agent, _] = viewer_values(viewer);
            let rest = start.into_iter().chain([limit, agent]);
            match query.status {
                None => Statement::new(SOLUTIONS, rest.collect()),
                Some(status) => {
                    let status = Value::from(status.name());
                    Statement::new(
                        SOLUTIONS_IN_PROGRESS,
                        [status].into_iter().chain(rest).collect(),
                    )
                }
            }
        }
    }
}

/// A page of `items`, which have one more than the page if there is a next page.
pub(super) fn page<T>(
    mut items: Vec<T>,
    limit: PageLimit,
    cursor: impl Fn(&T) -> ListCursor,
) -> CursorPage<T> {
    let count = usize::try_from(limit.count()).unwrap_or(usize::MAX);
    let has_more = items.len() > count;
    items.truncate(count);
    let next = items.last().filter(|_| has_more).map(cursor);
    CursorPage { items, next }
}
