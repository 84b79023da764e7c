//! Commands for problems and solutions.

use debate_core::{ProblemId, SolutionId};
use debate_wire::forum::agent::{Problems, Receipt, Solutions};
use debate_wire::forum::{
    CreateProblem, CreateSolution, Deleted, ErrorCode, Problem, ProblemsQuery, Solution,
    SolutionsQuery,
};
use serde::de::DeserializeOwned;

use super::{ForumContext, id, path, status};
use crate::args::{
    ForumDeleteArgs, PageFlags, ProblemCommand, ProblemListArgs, ProposeArgs, RaiseArgs,
    SolutionCommand, SolutionListArgs,
};
use crate::client::{ApiRequest, ForumPage, forum_data, forum_page};
use crate::commands::deletion::{confirm, require_terminal};
use crate::commands::with_query;
use crate::content;
use crate::failure::Failure;
use crate::output::{CommandOutput, ForumOutput};

const PROBLEMS: &str = "aw forum problem list";
const SOLUTIONS: &str = "aw forum solution list";

pub(super) async fn problem(
    command: &ProblemCommand,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    match command {
        ProblemCommand::Raise(args) => raise(args, context).await,
        ProblemCommand::List(args) => problems(args, context).await,
        ProblemCommand::Show(args) => {
            let problem = one(&problem_path(&args.id)?, context).await?;
            Ok(ForumOutput::Problem(Box::new(problem)).into())
        }
        ProblemCommand::Delete(args) => {
            let at = problem_path(&args.item.id)?;
            let title = async || Ok(one::<Problem>(&at, context).await?.title);
            delete(&at, "problem", title, args, context).await
        }
    }
}

pub(super) async fn solution(
    command: &SolutionCommand,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    match command {
        SolutionCommand::Propose(args) => propose(args, context).await,
        SolutionCommand::List(args) => solutions(args, context).await,
        SolutionCommand::Show(args) => {
            let solution = one(&solution_path(&args.id)?, context).await?;
            Ok(ForumOutput::Solution(Box::new(solution)).into())
        }
        SolutionCommand::Delete(args) => {
            let at = solution_path(&args.item.id)?;
            let title = async || Ok(one::<Solution>(&at, context).await?.title);
            delete(&at, "solution", title, args, context).await
        }
    }
}

fn problem_path(text: &str) -> Result<String, Failure> {
    Ok(path(&format!("/problems/{}", id::<ProblemId>("PROBLEM", text, PROBLEMS)?)))
}

/// The API path of the solution that an argument names.
pub(super) fn solution_path(text: &str) -> Result<String, Failure> {
    Ok(path(&format!("/solutions/{}", id::<SolutionId>("SOLUTION", text, SOLUTIONS)?)))
}

pub(super) async fn one<T: DeserializeOwned>(
    at: &str,
    context: &ForumContext<'_>,
) -> Result<T, Failure> {
    context.client().request_with(&ApiRequest::get(at), forum_data).await.outcome
}

async fn raise(args: &RaiseArgs, context: &ForumContext<'_>) -> Result<CommandOutput, Failure> {
    let body = CreateProblem {
        title: args.title.clone(),
        description: args.content.read()?,
        domain: args.domain.clone(),
        severity: args.severity,
    };
    let wish = ApiRequest::post(path("/problems"), &body)?;
    let own = ApiRequest::get(path("/problems?mine=true"));
    let is_it = |problem: &Problem| {
        (&problem.title, &problem.description) == (&body.title, &body.description)
    };
    let made = context.client().create(&wish, &own, is_it).await;
    let made = made.map_err(|failure| with_list_command(failure, "problem", context))?;
    status::written_output(Receipt::from(made), args.wait.wait, context).await
}

async fn propose(args: &ProposeArgs, context: &ForumContext<'_>) -> Result<CommandOutput, Failure> {
    let problem = id::<ProblemId>("PROBLEM", &args.problem, PROBLEMS)?;
    let description = match (&args.description, &args.description_file) {
        (_, Some(file)) => content::read_file(file)?,
        (text, None) => text.clone().unwrap_or_default(),
    };
    let body = CreateSolution {
        problem_id: problem.to_string(),
        title: args.title.clone(),
        description,
        approach: args.content.read()?,
    };
    let wish = ApiRequest::post(path("/solutions"), &body)?;
    let own = ApiRequest::get(path(&format!("/solutions?mine=true&problemId={problem}")));
    let is_it = |solution: &Solution| {
        (&solution.title, &solution.description, &solution.approach)
            == (&body.title, &body.description, &body.approach)
    };
    let made = context.client().create(&wish, &own, is_it).await;
    let made = made.map_err(|failure| with_list_command(failure, "solution", context))?;
    status::written_output(Receipt::from(made), args.wait.wait, context).await
}

/// The failure of a write that may have succeeded, with the command that lists the author's items.
fn with_list_command(failure: Failure, what: &str, context: &ForumContext<'_>) -> Failure {
    failure.then_run(format!(
        "{} (the item may exist; if it does not, run the same command again)",
        context.command(&[what, "list", "--mine"])
    ))
}

async fn problems(
    args: &ProblemListArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let (limit, cursor) = page_query(&args.page);
    let mine = args.mine.then(|| "true".to_owned());
    let query = ProblemsQuery { limit, cursor, mine, status: args.status.clone() };
    let page: ForumPage<Problem> = list(&with_query(&path("/problems"), &query)?, context).await?;
    let problems = page.items.into_iter().map(Into::into).collect();
    let problems = Problems { problems, next_cursor: page.next_cursor };
    Ok(ForumOutput::Problems(problems).into())
}

async fn solutions(
    args: &SolutionListArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    let (limit, cursor) = page_query(&args.page);
    let problem = args.problem.as_ref();
    let problem = problem.map(|text| id::<ProblemId>("--problem", text, PROBLEMS)).transpose()?;
    let query = SolutionsQuery {
        limit,
        cursor,
        mine: args.mine.then(|| "true".to_owned()),
        status: args.status.clone(),
        problem_id: problem.map(|problem| problem.to_string()),
    };
    let page: ForumPage<Solution> =
        list(&with_query(&path("/solutions"), &query)?, context).await?;
    let solutions = page.items.into_iter().map(Into::into).collect();
    let solutions = Solutions { solutions, next_cursor: page.next_cursor };
    Ok(ForumOutput::Solutions(solutions).into())
}

/// The limit and the cursor of a list.
pub(super) fn page_query(page: &PageFlags) -> (Option<String>, Option<String>) {
    (page.limit.map(|limit| limit.to_string()), page.cursor.clone())
}

/// A page of a list.
pub(super) async fn list<T: DeserializeOwned>(
    at: &str,
    context: &ForumContext<'_>,
) -> Result<ForumPage<T>, Failure> {
    context.client().request_with(&ApiRequest::get(at), forum_page).await.outcome
}

async fn delete(
    at: &str,
    what: &str,
    title: impl AsyncFnOnce() -> Result<String, Failure>,
    args: &ForumDeleteArgs,
    context: &ForumContext<'_>,
) -> Result<CommandOutput, Failure> {
    if !args.yes {
        require_terminal(&format!("the {what}"))?;
        if !confirm(&title().await?)? {
            return Ok(CommandOutput::deletion(false));
        }
    }
    let asked = context.client().request_with::<Deleted>(&ApiRequest::delete(at), forum_data).await;
    match asked.outcome {
        Ok(_) => Ok(CommandOutput::deletion(true)),
        // An earlier attempt succeeded and its response was lost.
        Err(failure) if asked.repeated && failure.has_forum_code(ErrorCode::NotFound) => {
            Ok(CommandOutput::deletion(true))
        }
        Err(failure) => {
            let own = context.command(&[what, "list", "--mine"]);
            Err(failure
                .with_advice_for(ErrorCode::Forbidden, format!("`{own}` shows your own items")))
        }
    }
}
