//! Problems, and solutions to them.

use debate_core::{ProblemId, SolutionId};
use debate_wire::forum::agent::{Problems, Receipt, Solutions};
use debate_wire::forum::{
    CreateProblem, CreateSolution, Deleted, ErrorCode, Problem, ProblemsQuery, Solution,
    SolutionsQuery,
};
use serde::de::DeserializeOwned;

use super::{Seat, id, path, status};
use crate::args::{
    ForumDeleteArgs, PageFlags, ProblemCommand, ProblemListArgs, ProposeArgs, RaiseArgs,
    SolutionCommand, SolutionListArgs,
};
use crate::client::{Leaf, Request, leaf, told};
use crate::commands::read::with_query;
use crate::commands::write::{confirmed, deletion, someone_to_ask};
use crate::content;
use crate::fault::Fault;
use crate::output::{Done, ForumDone};

const PROBLEMS: &str = "aw forum problem list";
const SOLUTIONS: &str = "aw forum solution list";

pub(super) async fn problem(command: &ProblemCommand, seat: &Seat<'_>) -> Result<Done, Fault> {
    match command {
        ProblemCommand::Raise(args) => raise(args, seat).await,
        ProblemCommand::List(args) => problems(args, seat).await,
        ProblemCommand::Show(args) => {
            let problem = one(&problem_path(&args.id)?, seat).await?;
            Ok(Done::Forum(ForumDone::Problem(Box::new(problem))))
        }
        ProblemCommand::Delete(args) => {
            let at = problem_path(&args.thing.id)?;
            let title = async || Ok(one::<Problem>(&at, seat).await?.title);
            delete(&at, "problem", title, args, seat).await
        }
    }
}

pub(super) async fn solution(command: &SolutionCommand, seat: &Seat<'_>) -> Result<Done, Fault> {
    match command {
        SolutionCommand::Propose(args) => propose(args, seat).await,
        SolutionCommand::List(args) => solutions(args, seat).await,
        SolutionCommand::Show(args) => {
            let solution = one(&solution_path(&args.id)?, seat).await?;
            Ok(Done::Forum(ForumDone::Solution(Box::new(solution))))
        }
        SolutionCommand::Delete(args) => {
            let at = solution_path(&args.thing.id)?;
            let title = async || Ok(one::<Solution>(&at, seat).await?.title);
            delete(&at, "solution", title, args, seat).await
        }
    }
}

fn problem_path(text: &str) -> Result<String, Fault> {
    Ok(path(&format!("/problems/{}", id::<ProblemId>("PROBLEM", text, PROBLEMS)?)))
}

/// The solution that a word names.
pub(super) fn solution_path(text: &str) -> Result<String, Fault> {
    Ok(path(&format!("/solutions/{}", id::<SolutionId>("SOLUTION", text, SOLUTIONS)?)))
}

pub(super) async fn one<T: DeserializeOwned>(at: &str, seat: &Seat<'_>) -> Result<T, Fault> {
    seat.client().ask_for(&Request::get(at), told).await.outcome
}

async fn raise(args: &RaiseArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let body = CreateProblem {
        title: args.title.clone(),
        description: args.content.read()?,
        domain: args.domain.clone(),
        severity: args.severity,
    };
    let wish = Request::post(path("/problems"), &body)?;
    let own = Request::get(path("/problems?mine=true"));
    let is_it = |problem: &Problem| {
        (&problem.title, &problem.description) == (&body.title, &body.description)
    };
    let made = seat.client().make(&wish, &own, is_it).await;
    let made = made.map_err(|fault| open(fault, "problem", seat))?;
    status::written(Receipt::from(made), args.wait.wait, seat).await
}

async fn propose(args: &ProposeArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let problem = id::<ProblemId>("PROBLEM", &args.problem, PROBLEMS)?;
    let description = match (&args.description, &args.description_file) {
        (_, Some(file)) => content::from_file(file)?,
        (text, None) => text.clone().unwrap_or_default(),
    };
    let body = CreateSolution {
        problem_id: problem.to_string(),
        title: args.title.clone(),
        description,
        approach: args.content.read()?,
    };
    let wish = Request::post(path("/solutions"), &body)?;
    let own = Request::get(path(&format!("/solutions?mine=true&problemId={problem}")));
    let is_it = |solution: &Solution| {
        (&solution.title, &solution.description, &solution.approach)
            == (&body.title, &body.description, &body.approach)
    };
    let made = seat.client().make(&wish, &own, is_it).await;
    let made = made.map_err(|fault| open(fault, "solution", seat))?;
    status::written(Receipt::from(made), args.wait.wait, seat).await
}

/// A write without an answer may have happened: what there is can be looked at.
fn open(fault: Fault, what: &str, seat: &Seat<'_>) -> Fault {
    fault.then_run(format!(
        "{} (the item may exist; if it does not, run the same command again)",
        seat.command(&[what, "list", "--mine"])
    ))
}

async fn problems(args: &ProblemListArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let (limit, cursor) = place(&args.page);
    let mine = args.mine.then(|| "true".to_owned());
    let query = ProblemsQuery { limit, cursor, mine, status: args.status.clone() };
    let page: Leaf<Problem> = list(&with_query(&path("/problems"), &query)?, seat).await?;
    let problems = page.items.into_iter().map(Into::into).collect();
    let problems = Problems { problems, next_cursor: page.next_cursor };
    Ok(Done::Forum(ForumDone::Problems(problems)))
}

async fn solutions(args: &SolutionListArgs, seat: &Seat<'_>) -> Result<Done, Fault> {
    let (limit, cursor) = place(&args.page);
    let problem = args.problem.as_ref();
    let problem = problem.map(|text| id::<ProblemId>("--problem", text, PROBLEMS)).transpose()?;
    let query = SolutionsQuery {
        limit,
        cursor,
        mine: args.mine.then(|| "true".to_owned()),
        status: args.status.clone(),
        problem_id: problem.map(|problem| problem.to_string()),
    };
    let page: Leaf<Solution> = list(&with_query(&path("/solutions"), &query)?, seat).await?;
    let solutions = page.items.into_iter().map(Into::into).collect();
    let solutions = Solutions { solutions, next_cursor: page.next_cursor };
    Ok(Done::Forum(ForumDone::Solutions(solutions)))
}

/// How much of a list is wanted, and from where.
pub(super) fn place(page: &PageFlags) -> (Option<String>, Option<String>) {
    (page.limit.map(|limit| limit.to_string()), page.cursor.clone())
}

/// A page of a list.
pub(super) async fn list<T: DeserializeOwned>(at: &str, seat: &Seat<'_>) -> Result<Leaf<T>, Fault> {
    seat.client().ask_for(&Request::get(at), leaf).await.outcome
}

async fn delete(
    at: &str,
    what: &str,
    title: impl AsyncFnOnce() -> Result<String, Fault>,
    args: &ForumDeleteArgs,
    seat: &Seat<'_>,
) -> Result<Done, Fault> {
    if !args.yes {
        someone_to_ask(&format!("the {what}"))?;
        if !confirmed(&title().await?)? {
            return Ok(deletion(false));
        }
    }
    let asked = seat.client().ask_for::<Deleted>(&Request::delete(at), told).await;
    match asked.outcome {
        Ok(_) => Ok(deletion(true)),
        // The first try deleted it; only its answer never came.
        Err(fault) if asked.repeated && fault.says(ErrorCode::NotFound) => Ok(deletion(true)),
        Err(fault) => {
            let own = seat.command(&[what, "list", "--mine"]);
            Err(fault.when(ErrorCode::Forbidden, format!("`{own}` shows your own items")))
        }
    }
}
