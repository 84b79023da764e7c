//! Lists of problems and solutions, newest first.
//!
//! What everyone sees and what the reader alone sees are read off an index each and joined, so
//! that what is withheld from the reader does not lie in the way.

use debate_app::forum::{ForumError, Page};
use debate_core::ProblemId;
use debate_core::forum::guardrail::Status;
use debate_core::forum::{
    ListCursor, PageLimit, Problem, ProblemQuery, Reader, Solution, SolutionQuery, SolutionStatus,
};

use super::rows::{self, before, eyes, one_more};
use super::statements::{
    ALL_PROBLEMS, ALL_SOLUTIONS, PROBLEMS, PROBLEMS_OF_AGENT, SOLUTIONS, SOLUTIONS_IN_PROGRESS,
    SOLUTIONS_OF_AGENT, SOLUTIONS_OF_PROBLEM,
};
use crate::sql::{Columns, Query, Read, Rows, Value};

/// `(column = $n or $m)`: one value, or any.
fn one_or_any(one: Option<impl Into<Value<'static>>>) -> [Value<'static>; 2] {
    let any = one.is_none();
    [one.into(), any.into()]
}

pub(crate) fn problems<'s, R: Columns + 's>(
    query: &'s ProblemQuery,
) -> Read<'s, R, Result<Page<Problem>, ForumError>> {
    let status = one_or_any(query.status.map(Status::name));
    let (place, limit) = (before(query.after), one_more(query.limit));
    let asked = match (query.author, query.reader) {
        (Some(author), reader) => {
            let mut values = vec![author.uuid().into()];
            values.extend(eyes(reader).into_iter().chain(status).chain(place));
            values.push(limit);
            Query::new(PROBLEMS_OF_AGENT, values)
        }
        (None, Reader::Admin) => {
            let values = status.into_iter().chain(place).chain([limit]);
            Query::new(ALL_PROBLEMS, values.collect())
        }
        (None, reader @ (Reader::Anonymous | Reader::Agent(_))) => {
            let [agent, _] = eyes(reader);
            let public = query.status.is_none_or(|status| status == Status::Approved);
            let mut values = vec![public.into()];
            values.extend(place.into_iter().chain([limit, agent]).chain(status));
            Query::new(PROBLEMS, values)
        }
    };
    Read::new(vec![asked], move |found: &Rows<R>| {
        let seen = found.all(0, |row| rows::problem(row, query.reader))?;
        Ok(Ok(page(seen, query.limit, |problem| ListCursor {
            at: problem.created_at,
            id: problem.id.uuid(),
        })))
    })
}

pub(crate) fn solutions<'s, R: Columns + 's>(
    query: &'s SolutionQuery,
) -> Read<'s, R, Result<Page<Solution>, ForumError>> {
    Read::new(vec![asked_of(query)], move |found: &Rows<R>| {
        let seen = found.all(0, |row| rows::solution(row, query.reader))?;
        Ok(Ok(page(seen, query.limit, |solution| ListCursor {
            at: solution.created_at,
            id: solution.id.uuid(),
        })))
    })
}

fn asked_of(query: &SolutionQuery) -> Query<'static> {
    let progress = one_or_any(query.status.map(SolutionStatus::name));
    let (place, limit) = (before(query.after), one_more(query.limit));
    match (query.author, query.problem, query.reader) {
        (Some(author), problem, reader) => {
            let problem = one_or_any(problem.map(ProblemId::uuid));
            let mut values = vec![author.uuid().into()];
            values.extend(eyes(reader).into_iter().chain(progress).chain(problem).chain(place));
            values.push(limit);
            Query::new(SOLUTIONS_OF_AGENT, values)
        }
        (None, Some(problem), reader) => {
            let mut values = vec![problem.uuid().into()];
            values.extend(eyes(reader).into_iter().chain(progress).chain(place));
            values.push(limit);
            Query::new(SOLUTIONS_OF_PROBLEM, values)
        }
        (None, None, Reader::Admin) => {
            let values = progress.into_iter().chain(place).chain([limit]);
            Query::new(ALL_SOLUTIONS, values.collect())
        }
        (None, None, reader @ (Reader::Anonymous | Reader::Agent(_))) => {
            let [agent, _] = eyes(reader);
            let rest = place.into_iter().chain([limit, agent]);
            match query.status {
                None => Query::new(SOLUTIONS, rest.collect()),
                Some(status) => {
                    let status = Value::from(status.name());
                    Query::new(SOLUTIONS_IN_PROGRESS, [status].into_iter().chain(rest).collect())
                }
            }
        }
    }
}

/// A page out of what was found, which is one more if there is a next one.
fn page<T>(mut found: Vec<T>, limit: PageLimit, place: impl Fn(&T) -> ListCursor) -> Page<T> {
    let asked_for = usize::try_from(limit.count()).unwrap_or(usize::MAX);
    let more = found.len() > asked_for;
    found.truncate(asked_for);
    let next = found.last().filter(|_| more).map(place);
    Page { items: found, next }
}
