//! Problems and solutions.

use debate_app::WorkOffer;
use debate_app::forum::ForumError;
use debate_core::forum::guardrail::{Decision, GuardrailStatus};
use debate_core::forum::{
    Exposure, ListCursor, Problem, ProblemQuery, Solution, SolutionQuery, SolutionStatus, Viewer,
};

use super::fixture::{
    agent_id, evaluation_id, page_limit, post_id, problem_draft, problem_id, solution_draft,
    solution_id, viewers,
};
use crate::engine::Engine;
use crate::support::instant;

fn problems(viewer: Viewer) -> ProblemQuery {
    let limit = page_limit(100);
    ProblemQuery { viewer, author: None, status: None, after: None, limit }
}

fn solutions(viewer: Viewer) -> SolutionQuery {
    let limit = page_limit(100);
    SolutionQuery { viewer, author: None, status: None, problem: None, after: None, limit }
}

/// All items of all pages.
async fn all_problems(on: &Engine, mut query: ProblemQuery) -> Vec<Problem> {
    let mut all = Vec::new();
    loop {
        let page = on.forum.problems(query.clone()).await.expect("it is allowed");
        assert!(page.items.len() <= usize::try_from(query.limit.count()).expect("a u32 fits"));
        all.extend(page.items);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return all,
        }
    }
}

async fn all_solutions(on: &Engine, mut query: SolutionQuery) -> Vec<Solution> {
    let mut all = Vec::new();
    loop {
        let page = on.forum.solutions(query.clone()).await.expect("it is allowed");
        all.extend(page.items);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return all,
        }
    }
}

pub(crate) async fn create_saves_every_field_of_a_problem(on: &Engine) {
    on.register_agent(1).await;
    let problem = on.create_problem(1, 1, 5).await;
    let draft = problem_draft(1);
    assert_eq!((&problem.title, &problem.description), (&draft.title, &draft.description));
    assert_eq!((&problem.domain, problem.severity), (&draft.domain, draft.severity));
    assert_eq!((problem.solutions, problem.created_at), (0, instant(5)));
    assert_eq!(problem.guardrail.status, GuardrailStatus::Pending);
    assert_eq!(problem.guardrail.exposure, Exposure::Withheld);
    let own = Viewer::Agent(agent_id(1));
    assert_eq!(on.forum.problem(own, problem_id(1)).await.expect("it is allowed"), problem);
    let task = on.acquire_evaluation_task(5).await;
    assert_eq!(task.lease.item, draft.evaluation);
    assert_eq!(task.text, draft.evaluated_text());
}

pub(crate) async fn unregistered_agent_cannot_create_problems_or_solutions(on: &Engine) {
    let raised = on
        .forum
        .create_problem(agent_id(9), problem_draft(1), instant(0))
        .await
        .expect_err("it is refused");
    assert!(matches!(raised, ForumError::UnknownAgent(_)), "{raised:?}");
}

pub(crate) async fn solution_of_a_problem_that_its_author_cannot_see_is_refused(on: &Engine) {
    on.register_agent(1).await;
    on.register_agent(2).await;
    let draft = || solution_draft(1, 1);
    let none = on
        .forum
        .create_solution(agent_id(1), draft(), instant(0))
        .await
        .expect_err("it is refused");
    assert!(matches!(none, ForumError::UnknownProblem(_)), "{none:?}");
    on.create_problem(1, 1, 0).await;
    let unseen = on
        .forum
        .create_solution(agent_id(2), draft(), instant(0))
        .await
        .expect_err("it is refused");
    assert!(matches!(unseen, ForumError::UnknownProblem(_)), "{unseen:?}");
    let solution = on.create_solution(1, draft(), 3).await;
    assert_eq!(solution.approach, draft().approach);
    assert_eq!((solution.status, solution.posts), (SolutionStatus::Proposed, 0));
    assert_eq!((solution.created_at, solution.updated_at), (instant(3), instant(3)));
    let own = Viewer::Agent(agent_id(1));
    assert_eq!(on.forum.solution(own, solution_id(1)).await.expect("it is allowed"), solution);
}

pub(crate) async fn approved_solution_is_withheld_until_its_problem_is_public(on: &Engine) {
    on.register_agent(1).await;
    on.create_problem(1, 1, 0).await;
    for number in [1, 2] {
        on.create_solution(1, solution_draft(number, 1), 1).await;
    }
    on.decide_item(solution_id(1).uuid(), Decision::Approve, 2).await;
    let waiting = on.solution_1().await;
    assert_eq!(waiting.guardrail.status, GuardrailStatus::Approved);
    assert_eq!(waiting.guardrail.exposure, Exposure::Withheld);
    let hidden =
        on.forum.solution(Viewer::Anonymous, solution_id(1)).await.expect_err("it is refused");
    assert!(matches!(hidden, ForumError::UnknownSolution(_)), "{hidden:?}");
    on.decide_item(problem_id(1).uuid(), Decision::Approve, 3).await;
    let seen = on.forum.solution(Viewer::Anonymous, solution_id(1)).await.expect("it is allowed");
    assert_eq!(seen.guardrail.exposure, Exposure::Public);
    let count = || async {
        on.forum.problem(Viewer::Anonymous, problem_id(1)).await.expect("it is allowed").solutions
    };
    assert_eq!(count().await, 1);
    on.decide_item(solution_id(2).uuid(), Decision::Approve, 4).await;
    assert_eq!(count().await, 2);
    assert_eq!(on.forum.agent(agent_id(1)).await.expect("it is allowed").approved, 3);
}

/// Problems 1 to 12 by agents 1 and 2 in turn, of which every third is approved and every fourth
/// rejected; solution 1 and 2 for problem 3, and one by each agent for it.
async fn many(on: &Engine) {
    on.register_agent(1).await;
    on.register_agent(2).await;
    for number in 1..=12 {
        // Some have the same time and are ordered by their ids.
        on.create_problem(1 + number % 2, number, number / 2).await;
    }
    for number in 1..=12_u32 {
        let decision = match (number.is_multiple_of(3), number.is_multiple_of(4)) {
            (true, _) => Decision::Approve,
            (false, true) => Decision::Reject,
            (false, false) => continue,
        };
        on.decide_item(problem_id(number).uuid(), decision, 20).await;
    }
}

fn status_of(number: u32) -> GuardrailStatus {
    match (number.is_multiple_of(3), number.is_multiple_of(4)) {
        (true, _) => GuardrailStatus::Approved,
        (false, true) => GuardrailStatus::Rejected,
        (false, false) => GuardrailStatus::Pending,
    }
}

pub(crate) async fn each_filter_lists_its_problems(on: &Engine) {
    many(on).await;
    let authors = [None, Some(1), Some(2)];
    let statuses = [None].into_iter().chain(GuardrailStatus::ALL.map(Some));
    for (status, author) in statuses.flat_map(|s| authors.map(|a| (s, a))) {
        for viewer in viewers() {
            let wanted: Vec<_> = (1..=12_u32)
                .rev()
                .filter(|number| status.is_none_or(|status| status_of(*number) == status))
                .filter(|number| author.is_none_or(|author| 1 + number % 2 == author))
                .filter(|number| {
                    let public = status_of(*number) == GuardrailStatus::Approved;
                    let own = viewer == Viewer::Agent(agent_id(1 + number % 2));
                    public || own || viewer == Viewer::Reviewer
                })
                .map(problem_id)
                .collect();
            for limit in [1, 2, 100] {
                let limit = page_limit(limit);
                let author = author.map(agent_id);
                let query = ProblemQuery { author, status, limit, ..problems(viewer) };
                let found = all_problems(on, query).await;
                let found: Vec<_> = found.iter().map(|problem| problem.id).collect();
                assert_eq!(found, wanted, "{viewer:?} {status:?} {author:?} {limit:?}");
            }
        }
    }
}

pub(crate) async fn each_filter_lists_its_solutions(on: &Engine) {
    on.open_forum().await;
    on.create_problem(1, 2, 0).await;
    on.decide_item(problem_id(2).uuid(), Decision::Approve, 0).await;
    // Solutions 2 to 9: for problems 1 and 2, by agents 1 and 2, even ones approved.
    for number in 2..=9 {
        on.create_solution(1 + number % 2, solution_draft(number, 1 + number / 2 % 2), number)
            .await;
        if number % 2 == 0 {
            on.decide_item(solution_id(number).uuid(), Decision::Approve, 20).await;
        }
    }
    on.create_post(1, 1, None, 21).await;
    let all = all_solutions(on, solutions(Viewer::Reviewer)).await;
    assert_eq!(all.len(), 9);
    let statuses = [None, Some(SolutionStatus::Proposed), Some(SolutionStatus::Debating)];
    for (viewer, status) in viewers().into_iter().flat_map(|r| statuses.map(|s| (r, s))) {
        for (author, problem) in
            [(None, None), (Some(1), None), (None, Some(2)), (Some(2), Some(1))]
        {
            let (author, problem) = (author.map(agent_id), problem.map(problem_id));
            let wanted: Vec<_> = all
                .iter()
                .filter(|solution| status.is_none_or(|status| solution.status == status))
                .filter(|solution| author.is_none_or(|author| solution.agent == author))
                .filter(|solution| problem.is_none_or(|problem| solution.problem == problem))
                .filter(|solution| {
                    debate_core::forum::can_see(viewer, solution.agent, solution.guardrail.exposure)
                })
                .map(|solution| solution.id)
                .collect();
            for limit in [1, 3, 100] {
                let limit = page_limit(limit);
                let query = SolutionQuery { author, status, problem, limit, ..solutions(viewer) };
                let found = all_solutions(on, query).await;
                let found: Vec<_> = found.iter().map(|solution| solution.id).collect();
                assert_eq!(found, wanted, "{viewer:?} {status:?} {author:?} {problem:?}");
            }
        }
    }
}

pub(crate) async fn list_cursor_of_a_deleted_item_is_valid(on: &Engine) {
    on.register_agent(1).await;
    for number in 1..=4 {
        on.create_problem(1, number, number).await;
    }
    let own = Viewer::Agent(agent_id(1));
    on.forum.delete_problem(agent_id(1), problem_id(3)).await.expect("it is allowed");
    let after = Some(ListCursor { at: instant(3), id: problem_id(3).uuid() });
    let found = all_problems(on, ProblemQuery { after, ..problems(own) }).await;
    let found: Vec<_> = found.iter().map(|problem| problem.id).collect();
    assert_eq!(found, [problem_id(2), problem_id(1)]);
}

pub(crate) async fn only_the_author_can_delete_a_problem_or_solution(on: &Engine) {
    on.open_forum().await;
    on.create_problem(1, 2, 1).await;
    let deleted =
        on.forum.delete_problem(agent_id(2), problem_id(1)).await.expect_err("it is refused");
    assert!(matches!(deleted, ForumError::NotTheAuthor), "{deleted:?}");
    let deleted =
        on.forum.delete_problem(agent_id(2), problem_id(2)).await.expect_err("it is refused");
    assert!(matches!(deleted, ForumError::UnknownProblem(_)), "{deleted:?}");
    let deleted =
        on.forum.delete_solution(agent_id(2), solution_id(1)).await.expect_err("it is refused");
    assert!(matches!(deleted, ForumError::NotTheAuthor), "{deleted:?}");
    let deleted =
        on.forum.delete_solution(agent_id(1), solution_id(2)).await.expect_err("it is refused");
    assert!(matches!(deleted, ForumError::UnknownSolution(_)), "{deleted:?}");
}

pub(crate) async fn delete_of_a_solution_removes_its_posts(on: &Engine) {
    on.open_forum().await;
    on.create_post(2, 1, None, 1).await;
    on.create_post(2, 2, Some(1), 1).await;
    on.decide_post(1, Decision::Flag, 2).await;
    on.forum.delete_solution(agent_id(1), solution_id(1)).await.expect("it is allowed");
    let gone =
        on.forum.solution(Viewer::Reviewer, solution_id(1)).await.expect_err("it is refused");
    assert!(matches!(gone, ForumError::UnknownSolution(_)), "{gone:?}");
    for id in [solution_id(1).uuid(), post_id(1).uuid(), post_id(2).uuid()] {
        let gone = on.forum.reviewable(evaluation_id(id)).await.expect_err("it is refused");
        assert!(matches!(gone, ForumError::UnknownEvaluation(_)), "{gone:?}");
    }
    assert!(matches!(on.acquire_evaluation(1000).await, WorkOffer::Nothing { next_due: None }));
    let problem = on.forum.problem(Viewer::Anonymous, problem_id(1)).await.expect("it is allowed");
    assert_eq!(problem.solutions, 0);
    // The same text may be posted to another solution.
    on.create_solution(1, solution_draft(1, 1), 3).await;
}

pub(crate) async fn delete_of_a_problem_removes_its_solutions(on: &Engine) {
    on.open_forum().await;
    on.create_post(2, 1, None, 1).await;
    let mut subscription = on.notifier.subscribe(solution_id(1)).expect("the notifier has room");
    on.forum.delete_problem(agent_id(1), problem_id(1)).await.expect("it is allowed");
    assert!(crate::engine::has_changed(&mut subscription));
    let gone = on.forum.problem(Viewer::Reviewer, problem_id(1)).await.expect_err("it is refused");
    assert!(matches!(gone, ForumError::UnknownProblem(_)), "{gone:?}");
    let gone =
        on.forum.solution(Viewer::Reviewer, solution_id(1)).await.expect_err("it is refused");
    assert!(matches!(gone, ForumError::UnknownSolution(_)), "{gone:?}");
    assert!(matches!(on.acquire_evaluation(1000).await, WorkOffer::Nothing { next_due: None }));
}
