//! Visibility: every read shows exactly the items that the rule in core allows.

use debate_app::forum::ForumError;
use debate_core::forum::guardrail::{Decision, GuardrailStatus, Ruling};
use debate_core::forum::{
    AppealReason, Exposure, Post, PostOrder, PostQuery, ProblemQuery, SolutionQuery, Stance,
    Viewer, can_see, exposure,
};
use debate_core::{AgentId, Seq};

use super::fixture::{
    agent_id, page_limit, post_id, post_number, problem_id, set, solution_draft, solution_id, text,
    threads, viewers,
};
use crate::engine::Engine;
use crate::support::{Dice, instant};

/// Brings the item with this id to a status.
async fn set_status(on: &Engine, id: uuid::Uuid, status: GuardrailStatus, second: u32) {
    match status {
        GuardrailStatus::Pending => {}
        GuardrailStatus::Approved => on.decide_item(id, Decision::Approve, second).await,
        GuardrailStatus::Rejected => on.decide_item(id, Decision::Reject, second).await,
        GuardrailStatus::Flagged => on.decide_item(id, Decision::Flag, second).await,
    }
}

/// The fields of a post that decide about its visibility.
#[derive(Debug, Clone, Copy)]
struct Known {
    number: u32,
    author: AgentId,
    parent: Option<u32>,
    status: GuardrailStatus,
}

/// Whether a post is public by the rule.
fn expected_exposure(known: &[Known], number: u32) -> Exposure {
    let post = known.iter().find(|post| post.number == number).expect("it was posted");
    let above = post.parent.map_or(Exposure::Public, |parent| expected_exposure(known, parent));
    exposure(post.status, above)
}

/// Compares every read of the posts of solution 1 with the rule, for every viewer.
async fn assert_seen_as_allowed(on: &Engine, known: &[Known]) {
    let public = known
        .iter()
        .filter(|post| expected_exposure(known, post.number) == Exposure::Public)
        .count();
    for viewer in viewers() {
        let allowed = set(known
            .iter()
            .filter(|post| can_see(viewer, post.author, expected_exposure(known, post.number)))
            .map(|post| post.number));
        let walked = on.all_posts(viewer, 2).await;
        assert_eq!(set(walked.iter().map(post_number)), allowed, "{viewer:?}");
        assert_eq!(walked.len(), allowed.len(), "{viewer:?} sees one twice");
        let flat = PostOrder::Flat(Stance::Support);
        let query = PostQuery { order: flat, ..threads(viewer) };
        let page = on.forum.posts(query).await.expect("it is allowed");
        assert_eq!(set(page.posts.iter().map(post_number)), allowed, "{viewer:?}, flat");
        let told = on.feed(viewer).await;
        assert_eq!(
            set(told.iter().map(|(_, post)| post_number(post))),
            allowed,
            "{viewer:?}, feed"
        );
        for post in known {
            let one = on.forum.post(viewer, solution_id(1), post_id(post.number)).await;
            match one {
                Ok(seen) => {
                    assert!(allowed.contains(&post.number), "{viewer:?} finds {}", post.number);
                    assert_standing(&seen, viewer, *post, expected_exposure(known, post.number));
                }
                Err(ForumError::UnknownPost(_)) => {
                    assert!(!allowed.contains(&post.number), "{viewer:?} misses {}", post.number);
                }
                Err(err) => panic!("{err:?}"),
            }
        }
        let solution = on.forum.solution(viewer, solution_id(1)).await.expect("it is allowed");
        assert_eq!(usize::try_from(solution.public_posts).expect("a u32 fits"), public);
        assert_eq!(usize::try_from(solution.posts).expect("a u32 fits"), known.len());
    }
}

fn assert_standing(seen: &Post, viewer: Viewer, known: Known, exposure: Exposure) {
    assert_eq!((seen.guardrail.status, seen.guardrail.exposure), (known.status, exposure));
    let may_know = viewer == Viewer::Reviewer || viewer == Viewer::Agent(known.author);
    let decided = known.status != GuardrailStatus::Pending;
    assert_eq!(seen.guardrail.reason.is_some(), may_know && decided, "{viewer:?}");
}

/// Every status of a post below every status of its parent, by either author.
pub(crate) async fn visibility_of_every_status_follows_the_rule(on: &Engine) {
    on.open_forum().await;
    let mut known = Vec::new();
    for (nth, (above, below)) in (0_u32..)
        .zip(GuardrailStatus::ALL.iter().flat_map(|a| GuardrailStatus::ALL.map(|b| (*a, b))))
    {
        let (root, answer) = (10 * nth + 1, 10 * nth + 2);
        let author = 1 + nth % 2;
        on.create_post(author, root, None, 1).await;
        on.create_post(author, answer, Some(root), 1).await;
        set_status(on, post_id(root).uuid(), above, 2).await;
        set_status(on, post_id(answer).uuid(), below, 2).await;
        let author = agent_id(author);
        known.push(Known { number: root, author, parent: None, status: above });
        known.push(Known { number: answer, author, parent: Some(root), status: below });
    }
    assert_seen_as_allowed(on, &known).await;
}

/// The same for solutions of problems, with every read.
pub(crate) async fn visibility_of_problems_and_solutions_follows_the_rule(on: &Engine) {
    on.register_agent(1).await;
    on.register_agent(2).await;
    let mut known = Vec::new();
    for (number, (above, below)) in (1_u32..)
        .zip(GuardrailStatus::ALL.iter().flat_map(|a| GuardrailStatus::ALL.map(|b| (*a, b))))
    {
        let author = 1 + number % 2;
        on.create_problem(author, number, number).await;
        on.create_solution(author, solution_draft(number, number), number).await;
        set_status(on, problem_id(number).uuid(), above, 20).await;
        set_status(on, solution_id(number).uuid(), below, 20).await;
        let problem = exposure(above, Exposure::Public);
        known.push((number, agent_id(author), problem, exposure(below, problem)));
    }
    for viewer in viewers() {
        let limit = page_limit(100);
        let query = ProblemQuery { viewer, author: None, status: None, after: None, limit };
        let problems = on.forum.problems(query).await.expect("it is allowed").items;
        let query =
            SolutionQuery { viewer, author: None, status: None, problem: None, after: None, limit };
        let solutions = on.forum.solutions(query).await.expect("it is allowed").items;
        for (number, author, problem, solution) in &known {
            let (id, allowed) = (problem_id(*number), can_see(viewer, *author, *problem));
            assert_eq!(problems.iter().any(|item| item.id == id), allowed, "{viewer:?} {number}");
            let one = on.forum.problem(viewer, id).await;
            assert_eq!(one.is_ok(), allowed, "{viewer:?} {number}: {one:?}");
            if let Ok(one) = one {
                let count = u32::from(*solution == Exposure::Public);
                assert_eq!((one.guardrail.exposure, one.solutions), (*problem, count));
            }
            let (id, allowed) = (solution_id(*number), can_see(viewer, *author, *solution));
            assert_eq!(solutions.iter().any(|item| item.id == id), allowed, "{viewer:?} {number}");
            let one = on.forum.solution(viewer, id).await;
            assert_eq!(one.is_ok(), allowed, "{viewer:?} {number}: {one:?}");
            let feed = debate_app::forum::FeedQuery { viewer, solution: id, after: Seq::START };
            assert_eq!(on.forum.feed(feed).await.is_ok(), allowed, "{viewer:?} {number}");
            let query = PostQuery { solution: id, ..threads(viewer) };
            assert_eq!(on.forum.posts(query).await.is_ok(), allowed, "{viewer:?} {number}");
        }
    }
}

/// One step of a history: a post, or a change to one.
async fn random_step(on: &Engine, dice: &mut Dice, known: &mut Vec<Known>, second: u32) {
    let number = u32::try_from(known.len()).expect("tests have few posts") + 1;
    if known.is_empty() || dice.roll(3) == 0 {
        let author = 1 + dice.roll(2);
        let viewer = Viewer::Agent(agent_id(author));
        let candidates: Vec<u32> = known
            .iter()
            .filter(|post| can_see(viewer, post.author, expected_exposure(known, post.number)))
            .map(|post| post.number)
            .collect();
        let parent = (!candidates.is_empty() && dice.roll(4) > 0)
            .then(|| dice.one_of(&candidates))
            .filter(|parent| post_depth(known, *parent) < 5);
        on.create_post(author, number, parent, second).await;
        let (author, status) = (agent_id(author), GuardrailStatus::Pending);
        known.push(Known { number, author, parent, status });
        return;
    }
    let index = usize::try_from(dice.roll(number - 1)).expect("a u32 fits");
    let post = known.get_mut(index).expect("the roll is below the count");
    let id = post_id(post.number);
    post.status = match post.status {
        GuardrailStatus::Pending => {
            let decision = dice.one_of(&Decision::ALL);
            on.decide_item(id.uuid(), decision, second).await;
            match decision {
                Decision::Approve => GuardrailStatus::Approved,
                Decision::Reject => GuardrailStatus::Rejected,
                Decision::Flag => GuardrailStatus::Flagged,
            }
        }
        GuardrailStatus::Flagged => {
            let ruling = dice.one_of(&Ruling::ALL);
            on.review_item(id.uuid(), ruling, second).await;
            match ruling {
                Ruling::Approve => GuardrailStatus::Approved,
                Ruling::Reject => GuardrailStatus::Rejected,
            }
        }
        GuardrailStatus::Rejected => {
            let reason: AppealReason = text("it says nothing bad");
            match on.forum.appeal(post.author, id, reason, instant(second)).await {
                Ok(_) => GuardrailStatus::Flagged,
                Err(ForumError::Guardrail(_)) => GuardrailStatus::Rejected,
                Err(err) => panic!("{err:?}"),
            }
        }
        GuardrailStatus::Approved => GuardrailStatus::Approved,
    };
}

fn post_depth(known: &[Known], number: u32) -> u32 {
    let post = known.iter().find(|post| post.number == number).expect("it was posted");
    1 + post.parent.map_or(0, |parent| post_depth(known, parent))
}

pub(crate) async fn visibility_follows_the_rule_after_a_random_history(on: &Engine) {
    on.open_forum().await;
    let mut dice = Dice::new(2026);
    let mut known = Vec::new();
    for step in 1..=90 {
        random_step(on, &mut dice, &mut known, step).await;
        if step % 15 == 0 {
            assert_seen_as_allowed(on, &known).await;
        }
    }
    let statuses: std::collections::HashSet<_> = known.iter().map(|post| post.status).collect();
    assert_eq!(statuses.len(), 4, "the history went everywhere");
}
