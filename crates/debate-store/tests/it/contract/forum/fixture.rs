//! Agents and items of the forum with default values that a test can override.

use std::collections::BTreeSet;

use debate_app::forum::{
    CreatedPost, EvaluationAttemptResult, EvaluationTask, FeedQuery, LayerResults,
};
use debate_app::{LeaseRequest, Settlement, WorkOffer};
use debate_core::forum::guardrail::{Decision, GuardrailStatus, Ruling};
use debate_core::forum::{
    Agent, AgentDraft, AgentKey, Links, Notes, PageLimit, Post, PostDraft, PostOrder, PostQuery,
    Problem, ProblemDraft, Severity, Solution, SolutionDraft, Stance, Text, ThreadPath, Username,
    Viewer,
};
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, Seq, SolutionId};
use jiff::SignedDuration;
use uuid::Uuid;

use crate::engine::Engine;
use crate::support::instant;

/// Ranges of ids that do not overlap, so that no two items of a test get the same id.
const AGENTS: u128 = 0xa6e4_0000_0000;
const PROBLEMS: u128 = 0x4066_0000_0000;
const SOLUTIONS: u128 = 0x5016_0000_0000;
const POSTS: u128 = 0x4057_0000_0000;
const EVALUATIONS: u128 = 0xe7a1_0000_0000;

/// Duration of a lease without a renewal.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(30);

pub(crate) fn agent_id(number: u32) -> AgentId {
    AgentId::new(Uuid::from_u128(AGENTS + u128::from(number)))
}

pub(crate) fn problem_id(number: u32) -> ProblemId {
    ProblemId::new(Uuid::from_u128(PROBLEMS + u128::from(number)))
}

pub(crate) fn solution_id(number: u32) -> SolutionId {
    SolutionId::new(Uuid::from_u128(SOLUTIONS + u128::from(number)))
}

pub(crate) fn post_id(number: u32) -> PostId {
    PostId::new(Uuid::from_u128(POSTS + u128::from(number)))
}

/// The evaluation of the item with this id.
pub(crate) fn evaluation_id(id: Uuid) -> EvaluationId {
    EvaluationId::new(Uuid::from_u128(EVALUATIONS << 64 | id.as_u128()))
}

pub(crate) fn text<const LEAST: usize, const MOST: usize>(words: &str) -> Text<LEAST, MOST> {
    let mut words = words.to_owned();
    while words.len() < LEAST {
        words.push_str(" and so on");
    }
    Text::new(words).expect("tests say what can be said")
}

pub(crate) fn page_limit(count: u32) -> PageLimit {
    PageLimit::new(count).expect("tests ask for pages that can be")
}

pub(crate) fn username(name: &str) -> Username {
    Username::new(name.to_owned()).expect("tests use plain names")
}

pub(crate) fn agent_key(number: u32) -> AgentKey {
    let mut random = [7; 32];
    random[..4].copy_from_slice(&number.to_be_bytes());
    AgentKey::new(random)
}

pub(crate) fn agent_draft(number: u32) -> AgentDraft {
    let key = agent_key(number);
    AgentDraft {
        id: agent_id(number),
        username: username(&format!("agent_{number}")),
        display_name: Some(text(&format!("Agent {number}"))),
        profile: None,
        prefix: key.prefix(),
        digest: key.digest(),
    }
}

pub(crate) fn problem_draft(number: u32) -> ProblemDraft {
    ProblemDraft {
        id: problem_id(number),
        evaluation: evaluation_id(problem_id(number).uuid()),
        title: text(&format!("Problem {number}")),
        description: text(&format!("What problem {number} is")),
        domain: Some(text("water")),
        severity: Severity::High,
    }
}

pub(crate) fn solution_draft(number: u32, problem: u32) -> SolutionDraft {
    SolutionDraft {
        id: solution_id(number),
        evaluation: evaluation_id(solution_id(number).uuid()),
        problem: problem_id(problem),
        title: text(&format!("Solution {number}")),
        description: text(&format!("What solution {number} is")),
        approach: text(&format!("How solution {number} is done")),
    }
}

/// A post on solution 1.
pub(crate) fn post_draft(number: u32, parent: Option<u32>) -> PostDraft {
    PostDraft {
        id: post_id(number),
        evaluation: evaluation_id(post_id(number).uuid()),
        solution: solution_id(1),
        stance: Stance::Support,
        content: text(&format!("What post {number} says")),
        links: Links::default(),
        parent: parent.map(post_id),
        key: None,
    }
}

pub(crate) fn take_at(second: u32) -> LeaseRequest {
    LeaseRequest { holder: "a worker".to_owned(), at: instant(second), duration: LEASE }
}

pub(crate) fn decision_result(decision: Decision) -> EvaluationAttemptResult {
    let reason = format!("the layers say {}", decision.name());
    EvaluationAttemptResult::Decided { decision, reason, layers: LayerResults::default() }
}

/// The threads of solution 1, from the start.
pub(crate) fn threads(viewer: Viewer) -> PostQuery {
    PostQuery {
        viewer,
        solution: solution_id(1),
        order: PostOrder::Threads,
        after: ThreadPath::START,
        limit: page_limit(100),
    }
}

/// All viewers: an anonymous one, two agents, a reviewer.
pub(crate) fn viewers() -> [Viewer; 4] {
    [Viewer::Anonymous, Viewer::Agent(agent_id(1)), Viewer::Agent(agent_id(2)), Viewer::Reviewer]
}

impl Engine {
    /// Registers agent `number` at second 0.
    pub(crate) async fn register_agent(&self, number: u32) -> Agent {
        self.forum.register(agent_draft(number), instant(0)).await.expect("the name is free")
    }

    pub(crate) async fn create_problem(&self, by: u32, number: u32, second: u32) -> Problem {
        let raised =
            self.forum.create_problem(agent_id(by), problem_draft(number), instant(second)).await;
        raised.expect("it can be raised")
    }

    pub(crate) async fn create_solution(
        &self,
        by: u32,
        draft: SolutionDraft,
        second: u32,
    ) -> Solution {
        let proposed = self.forum.create_solution(agent_id(by), draft, instant(second)).await;
        proposed.expect("it can be proposed")
    }

    /// Adds post `number` to solution 1.
    pub(crate) async fn create_post(
        &self,
        by: u32,
        number: u32,
        parent: Option<u32>,
        second: u32,
    ) -> Post {
        self.create_post_as(by, post_draft(number, parent), second).await
    }

    pub(crate) async fn create_post_as(&self, by: u32, draft: PostDraft, second: u32) -> Post {
        match self
            .forum
            .create_post(agent_id(by), draft, instant(second))
            .await
            .expect("it can be said")
        {
            CreatedPost::Fresh(post) => post,
            CreatedPost::Replayed(post) => panic!("{} is there already", post.id),
        }
    }

    /// Adds post `number` to solution 1 and has it approved.
    pub(crate) async fn publish_post(
        &self,
        by: u32,
        number: u32,
        parent: Option<u32>,
        second: u32,
    ) {
        self.create_post(by, number, parent, second).await;
        self.decide_post(number, Decision::Approve, second).await;
    }

    /// Agents 1 and 2, and a public solution 1 of agent 1's for its public problem 1, at second 0.
    pub(crate) async fn open_forum(&self) {
        for number in [1, 2] {
            self.register_agent(number).await;
        }
        self.create_problem(1, 1, 0).await;
        self.decide_item(problem_id(1).uuid(), Decision::Approve, 0).await;
        self.create_solution(1, solution_draft(1, 1), 0).await;
        self.decide_item(solution_id(1).uuid(), Decision::Approve, 0).await;
    }

    pub(crate) async fn acquire_evaluation(&self, second: u32) -> WorkOffer<EvaluationTask> {
        self.forum.acquire(take_at(second)).await.expect("the store is well")
    }

    pub(crate) async fn acquire_evaluation_task(&self, second: u32) -> EvaluationTask {
        match self.acquire_evaluation(second).await {
            WorkOffer::Task(task) => task,
            other @ (WorkOffer::Cleaned | WorkOffer::Nothing { .. }) => {
                panic!("no task: {other:?}")
            }
        }
    }

    pub(crate) async fn settle_evaluation(
        &self,
        task: &EvaluationTask,
        end: EvaluationAttemptResult,
        second: u32,
    ) -> Settlement {
        let settled = self.forum.settle(task.lease, end, instant(second));
        settled.await.expect("the store is well")
    }

    /// Lets the layers decide about one item, whatever other evaluations are due.
    pub(crate) async fn decide_item(&self, id: Uuid, decision: Decision, second: u32) {
        let mut others = Vec::new();
        loop {
            let task = self.acquire_evaluation_task(second).await;
            if task.lease.item == evaluation_id(id) {
                assert_eq!(
                    self.settle_evaluation(&task, decision_result(decision), second).await,
                    Settlement::Saved
                );
                break;
            }
            others.push(task);
        }
        for task in others {
            assert_eq!(
                self.settle_evaluation(&task, EvaluationAttemptResult::Released, second).await,
                Settlement::Saved
            );
        }
    }

    pub(crate) async fn decide_post(&self, number: u32, decision: Decision, second: u32) {
        self.decide_item(post_id(number).uuid(), decision, second).await;
    }

    /// Lets a reviewer decide about a flagged item.
    pub(crate) async fn review_item(&self, id: Uuid, ruling: Ruling, second: u32) {
        let (evaluation, at) = (evaluation_id(id), instant(second));
        self.forum.claim(evaluation, "ann", at).await.expect("it is flagged");
        let notes: Notes = text("as far as a human can tell");
        let reviewed = self.forum.review(evaluation, "ann", ruling, notes, at).await;
        reviewed.expect("it was claimed");
    }

    /// All pages of the threads of solution 1 that `viewer` sees.
    pub(crate) async fn all_posts(&self, viewer: Viewer, limit: u32) -> Vec<Post> {
        let query = PostQuery { limit: page_limit(limit), ..threads(viewer) };
        self.pages(query).await.into_iter().flatten().collect()
    }

    /// Every page from `query` on.
    pub(crate) async fn pages(&self, mut query: PostQuery) -> Vec<Vec<Post>> {
        let mut pages = Vec::new();
        loop {
            let page = self.forum.posts(query.clone()).await.expect("the solution is seen");
            pages.push(page.posts);
            match page.next {
                Some(next) => query.after = next,
                None => return pages,
            }
        }
    }

    /// The numbers of the posts that `viewer` sees in the threads of solution 1, in order.
    pub(crate) async fn visible_numbers(&self, viewer: Viewer) -> Vec<u32> {
        self.all_posts(viewer, 100).await.iter().map(post_number).collect()
    }

    /// All posts of the feed of solution 1 that `viewer` sees, with their positions.
    pub(crate) async fn feed(&self, viewer: Viewer) -> Vec<(Seq, Post)> {
        let mut after = Seq::START;
        let mut all = Vec::new();
        loop {
            let query = FeedQuery { viewer, solution: solution_id(1), after };
            let news = self.forum.feed(query).await.expect("the solution is seen");
            all.extend(news.newer);
            if news.through == news.last {
                return all;
            }
            assert!(news.through > after, "a feed goes on");
            after = news.through;
        }
    }

    pub(crate) async fn solution_1(&self) -> Solution {
        let seen = self.forum.solution(Viewer::Reviewer, solution_id(1)).await;
        seen.expect("a reviewer sees all")
    }

    pub(crate) async fn find_post(&self, number: u32) -> Post {
        let seen = self.forum.post(Viewer::Reviewer, solution_id(1), post_id(number)).await;
        seen.expect("a reviewer sees all")
    }

    pub(crate) async fn post_status(&self, number: u32) -> GuardrailStatus {
        self.find_post(number).await.guardrail.status
    }
}

/// The number of a post in the test.
pub(crate) fn post_number(post: &Post) -> u32 {
    u32::try_from(post.id.uuid().as_u128() - POSTS).expect("tests have few posts")
}

pub(crate) fn set(numbers: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
    numbers.into_iter().collect()
}
