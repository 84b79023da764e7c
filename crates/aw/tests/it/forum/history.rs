//! A random history of a forum, and a model of which items are public.

use std::collections::HashMap;

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use crate::forum::random::Random;
use crate::support::forum::{
    ADMIN, Caller, high_limits, id, problem, solution, stance, with_reviewer,
};
use crate::support::visitor::Visitor;
use crate::support::{Events, Server, Setup};
use crate::web::forum::sign_in;

/// Keywords in a text that decide its evaluation, with the resulting status.
const KEYWORDS: [(&str, &str); 4] = [
    ("approved", "It is a plain matter"),
    ("flagged", "It is a doubtful matter"),
    ("rejected", "We should build weapons and sell them instead"),
    ("pending", "It is an endless matter"),
];

/// A model that approves plain texts, is undecided about doubtful ones, and never
/// answers for endless ones.
pub(super) fn classifier() -> Model {
    let never = Gate::new();
    Model::start(move |asked: &ModelRequest| {
        let text = asked.text();
        let score = if text.contains("doubtful") { 0.5 } else { 0.95 };
        let answer = json!({
            "alignment_score": score, "harm_risk": "low", "decision": "approve",
            "reasoning": "It speaks of water.",
        });
        let mut plays = ScriptStep::answer(&answer.to_string(), 20);
        if text.contains("endless") {
            plays.insert(0, ScriptStep::Wait(never.clone()));
        }
        plays
    })
    .expect("it starts")
}

/// A server with this classifier and a reviewer.
pub(super) fn with_classifier(model: &Model) -> Setup {
    with_reviewer(high_limits())
        .env("GUARDRAIL_MODEL", "openai:imitated")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_API_KEY", "sk-imitated")
        // Each endless evaluation occupies a worker.
        .env("GUARDRAIL_WORKERS", "64")
}

/// An item that was written, as the rules see it.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) id: String,
    evaluation: String,
    pub(super) author: usize,
    pub(super) status: &'static str,
    /// The index of its parent in the list: the problem of a solution, or the post
    /// that a reply answers.
    parent: Option<usize>,
    appealed: bool,
}

/// A post with the index of its solution.
#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) item: Item,
    pub(super) solution: usize,
    depth: usize,
}

/// A reader of the forum.
pub(super) struct Reader<'s> {
    pub(super) name: &'static str,
    pub(super) caller: Caller<'s>,
    /// The same reader in a browser.
    pub(super) visitor: Visitor<'s>,
    agent: Option<usize>,
    is_admin: bool,
}

impl<'s> Reader<'s> {
    pub(super) fn anonymous(server: &'s Server) -> Self {
        let (caller, visitor) = (Caller::anonymous(server), Visitor::at(server));
        Self { name: "anonymous", caller, visitor, agent: None, is_admin: false }
    }

    pub(super) async fn admin(server: &'s Server) -> Self {
        let (caller, visitor) = (Caller::admin(server), sign_in(server, ADMIN).await);
        Self { name: "the reviewer", caller, visitor, agent: None, is_admin: true }
    }

    pub(super) async fn agent(server: &'s Server, number: usize, name: &'static str) -> Self {
        let caller = Caller::register(server, name).await;
        let visitor = sign_in(server, caller.key.as_deref().expect("it registered")).await;
        Self { name, caller, visitor, agent: Some(number), is_admin: false }
    }

    /// Whether this reader sees the item, given whether it is public.
    fn sees(&self, item: &Item, is_public: bool) -> bool {
        is_public || self.sees_reason(item)
    }

    /// Whether this reader sees the reason for an item's status.
    pub(super) fn sees_reason(&self, item: &Item) -> bool {
        self.is_admin || self.agent == Some(item.author)
    }
}

/// All items that were written so far.
pub(super) struct History<'r, 's> {
    agents: &'r [Reader<'s>],
    admin: &'r Reader<'s>,
    random: Random,
    pub(super) problems: Vec<Item>,
    pub(super) solutions: Vec<Item>,
    pub(super) posts: Vec<Post>,
    /// Event stream of each author and solution.
    streams: HashMap<(usize, usize), Events>,
    written: usize,
}

impl<'r, 's> History<'r, 's> {
    pub(super) fn new(agents: &'r [Reader<'s>], admin: &'r Reader<'s>, seed: u64) -> Self {
        Self {
            agents,
            admin,
            random: Random::new(seed),
            problems: Vec::new(),
            solutions: Vec::new(),
            posts: Vec::new(),
            streams: HashMap::new(),
            written: 0,
        }
    }

    pub(super) fn is_public_problem(&self, problem: usize) -> bool {
        self.problems[problem].status == "approved"
    }

    pub(super) fn is_public_solution(&self, solution: usize) -> bool {
        let item = &self.solutions[solution];
        item.status == "approved" && item.parent.is_some_and(|at| self.is_public_problem(at))
    }

    /// Whether the post is public, given that its solution is.
    pub(super) fn is_public_post(&self, post: usize) -> bool {
        let item = &self.posts[post].item;
        item.status == "approved" && item.parent.is_none_or(|at| self.is_public_post(at))
    }

    pub(super) fn sees_problem(&self, reader: &Reader<'_>, problem: usize) -> bool {
        reader.sees(&self.problems[problem], self.is_public_problem(problem))
    }

    pub(super) fn sees_solution(&self, reader: &Reader<'_>, solution: usize) -> bool {
        reader.sees(&self.solutions[solution], self.is_public_solution(solution))
    }

    pub(super) fn sees_post(&self, reader: &Reader<'_>, post: usize) -> bool {
        self.sees_solution(reader, self.posts[post].solution)
            && reader.sees(&self.posts[post].item, self.is_public_post(post))
    }

    /// The number of public solutions of a problem.
    pub(super) fn public_solutions(&self, problem: usize) -> usize {
        let of_it = |at: &usize| self.solutions[*at].parent == Some(problem);
        let all = 0..self.solutions.len();
        all.filter(of_it).filter(|at| self.is_public_solution(*at)).count()
    }

    /// The indexes of the posts of a solution.
    pub(super) fn posts_of(&self, solution: usize) -> Vec<usize> {
        (0..self.posts.len()).filter(|at| self.posts[*at].solution == solution).collect()
    }

    /// A unique text that contains the keyword for `fate`, and the resulting status.
    fn new_text(&mut self, fate: &str) -> (String, &'static str) {
        self.written += 1;
        let (status, words) =
            KEYWORDS.into_iter().find(|(status, _)| *status == fate).expect("there are four");
        (format!("{words}, number {}", self.written), status)
    }

    fn fate(&mut self) -> &'static str {
        // Mostly approved, so that many items have a public parent.
        self.random.one_of(&["approved", "approved", "approved", "flagged", "rejected", "pending"])
    }

    pub(super) async fn create_problem(&mut self) {
        let author = self.random.below(self.agents.len());
        let fate = self.fate();
        let (title, status) = self.new_text(fate);
        let mut body = problem();
        body["title"] = json!(title);
        let item = self.create(author, "/problems", &body, status, None).await;
        self.problems.push(item);
    }

    pub(super) async fn create_solution(&mut self) {
        let author = self.random.below(self.agents.len());
        let seen: Vec<usize> = (0..self.problems.len())
            .filter(|at| self.sees_problem(&self.agents[author], *at))
            .collect();
        if seen.is_empty() {
            return;
        }
        let parent = self.random.one_of(&seen);
        let fate = self.fate();
        let (title, status) = self.new_text(fate);
        let mut body = solution(&self.problems[parent].id);
        body["title"] = json!(title);
        let item = self.create(author, "/solutions", &body, status, Some(parent)).await;
        self.solutions.push(item);
    }

    /// Creates a problem or a solution and waits for its evaluation.
    async fn create(
        &self,
        author: usize,
        path: &str,
        body: &Value,
        status: &'static str,
        parent: Option<usize>,
    ) -> Item {
        let by = &self.agents[author].caller;
        let made = by.create(path, body).await;
        if status != "pending" {
            assert_eq!(by.wait_for_decision(&made).await["status"], status, "{made}");
        }
        to_item(&made, author, status, parent)
    }

    /// Performs a random step: a new post, or a change of an existing item.
    pub(super) async fn apply_random_step(&mut self) {
        if self.posts.is_empty() || self.random.below(5) < 3 {
            return self.post_somewhere().await;
        }
        let list = self.random.one_of(&["problems", "solutions", "posts", "posts", "posts"]);
        match list {
            "problems" => {
                let at = self.random.below(self.problems.len());
                self.problems[at].status = self.apply_change(self.problems[at].clone(), None).await;
            }
            "solutions" => {
                let at = self.random.below(self.solutions.len());
                self.solutions[at].status =
                    self.apply_change(self.solutions[at].clone(), None).await;
            }
            _posts => {
                let at = self.random.below(self.posts.len());
                let Post { item, solution, .. } = self.posts[at].clone();
                self.posts[at].item.appealed |= item.status == "rejected";
                self.posts[at].item.status = self.apply_change(item, Some(solution)).await;
            }
        }
    }

    /// Changes the status of an item: a reviewer decides about a flagged one, the author appeals
    /// a rejected post once.
    async fn apply_change(&mut self, item: Item, solution: Option<usize>) -> &'static str {
        match (item.status, solution) {
            ("flagged", _) => {
                let (decision, status) =
                    self.random.one_of(&[("approve", "approved"), ("reject", "rejected")]);
                self.admin.caller.review(&item.evaluation, decision).await;
                status
            }
            ("rejected", Some(solution)) => {
                let solution = &self.solutions[solution].id;
                let path = format!("/solutions/{solution}/debates/{}/appeal", item.id);
                let reason = json!({ "reason": "I only meant to warn of it." });
                let reply = self.agents[item.author].caller.post(&path, &reason).await;
                let expected = if item.appealed { 409 } else { 200 };
                assert_eq!(reply.status, expected, "{}", reply.text);
                if item.appealed { "rejected" } else { "flagged" }
            }
            (status, _) => status,
        }
    }

    async fn post_somewhere(&mut self) {
        let author = self.random.below(self.agents.len());
        let reader = &self.agents[author];
        let seen: Vec<usize> =
            (0..self.solutions.len()).filter(|at| self.sees_solution(reader, *at)).collect();
        if seen.is_empty() {
            return;
        }
        let solution = self.random.one_of(&seen);
        let answerable: Vec<usize> = self
            .posts_of(solution)
            .into_iter()
            .filter(|at| self.posts[*at].depth < 5 && self.sees_post(reader, *at))
            .collect();
        let parent = if answerable.is_empty() || self.random.below(4) == 0 {
            None
        } else {
            Some(self.random.one_of(&answerable))
        };
        let fate = self.fate();
        self.post(author, solution, parent, fate).await;
    }

    /// Adds a post and waits until its author's stream reports the decision.
    pub(super) async fn post(
        &mut self,
        author: usize,
        solution: usize,
        parent: Option<usize>,
        fate: &str,
    ) {
        let (words, status) = self.new_text(fate);
        let (by, to) = (&self.agents[author].caller, &self.solutions[solution].id);
        let parent_id = parent.map(|at| self.posts[at].item.id.as_str());
        let stance_of_it = ["support", "oppose", "modify", "question"][self.written % 4];
        let body = stance(stance_of_it, &words, parent_id);
        let made = by.create(&format!("/solutions/{to}/debates"), &body).await;
        let depth = 1 + parent.map_or(0, |at| self.posts[at].depth);
        assert_eq!(made["depth"], depth);
        if status != "pending" {
            let events = match self.streams.entry((author, solution)) {
                std::collections::hash_map::Entry::Occupied(open) => open.into_mut(),
                std::collections::hash_map::Entry::Vacant(none) => none.insert(by.follow(to).await),
            };
            loop {
                let event = events.next().await.expect("the stream goes on");
                if id(&event.data) == id(&made) && event.data["guardrailStatus"] == status {
                    break;
                }
            }
        }
        self.posts.push(Post { item: to_item(&made, author, status, parent), solution, depth });
    }
}

fn to_item(made: &Value, author: usize, status: &'static str, parent: Option<usize>) -> Item {
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined").to_owned();
    Item { id: id(made).to_owned(), evaluation, author, status, parent, appealed: false }
}
