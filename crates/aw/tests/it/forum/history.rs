//! A forum's history by chance, beside what the rule makes of it: a model of what is public.

use std::collections::HashMap;

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use super::agent::{ADMIN, Caller, id, problem, reviewed, roomy, solution, stance};
use super::dice::Dice;
use crate::support::{Events, Server, Setup};
use crate::web::Person;
use crate::web::forum::seated;

/// What is in a text decides what comes of it.
const WORDS: [(&str, &str); 4] = [
    ("approved", "It is a plain matter"),
    ("flagged", "It is a doubtful matter"),
    ("rejected", "We should build weapons and sell them instead"),
    ("pending", "It is an endless matter"),
];

/// A model that approves what is plain, does not know about what is doubtful, and never comes to
/// an end with what is endless.
pub(super) fn judge() -> Model {
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

/// A server that asks this model, and has a reviewer.
pub(super) fn judged_by(model: &Model) -> Setup {
    reviewed(roomy())
        .env("GUARDRAIL_MODEL", "openai:imitated")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_API_KEY", "sk-imitated")
        // Endless ones keep theirs.
        .env("GUARDRAIL_WORKERS", "64")
}

/// Something that was written, as the rules see it.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) id: String,
    evaluation: String,
    pub(super) author: usize,
    pub(super) status: &'static str,
    /// Where in its list the thing is that it hangs on: a solution on a problem, an answer on a
    /// post.
    above: Option<usize>,
    appealed: bool,
}

/// A post, and of which solution.
#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) thing: Thing,
    pub(super) solution: usize,
    depth: usize,
}

/// Who looks.
pub(super) struct Reader<'s> {
    pub(super) name: &'static str,
    pub(super) caller: Caller<'s>,
    /// The same with a browser.
    pub(super) person: Person<'s>,
    agent: Option<usize>,
    is_admin: bool,
}

impl<'s> Reader<'s> {
    pub(super) fn anonymous(server: &'s Server) -> Self {
        let (caller, person) = (Caller::anonymous(server), Person::at(server));
        Self { name: "anonymous", caller, person, agent: None, is_admin: false }
    }

    pub(super) async fn admin(server: &'s Server) -> Self {
        let (caller, person) = (Caller::admin(server), seated(server, ADMIN).await);
        Self { name: "the reviewer", caller, person, agent: None, is_admin: true }
    }

    pub(super) async fn agent(server: &'s Server, number: usize, name: &'static str) -> Self {
        let caller = Caller::register(server, name).await;
        let person = seated(server, caller.key.as_deref().expect("it registered")).await;
        Self { name, caller, person, agent: Some(number), is_admin: false }
    }

    /// Whether it sees what is public or not.
    fn sees(&self, thing: &Thing, is_public: bool) -> bool {
        is_public || self.knows_why(thing)
    }

    /// Whether it is told why a thing stands where it stands.
    pub(super) fn knows_why(&self, thing: &Thing) -> bool {
        self.is_admin || self.agent == Some(thing.author)
    }
}

/// What happened.
pub(super) struct History<'r, 's> {
    /// Agents, by number.
    agents: &'r [Reader<'s>],
    admin: &'r Reader<'s>,
    dice: Dice,
    pub(super) problems: Vec<Thing>,
    pub(super) solutions: Vec<Thing>,
    pub(super) posts: Vec<Post>,
    /// What each author is told of each solution.
    told: HashMap<(usize, usize), Events>,
    written: usize,
}

impl<'r, 's> History<'r, 's> {
    pub(super) fn new(agents: &'r [Reader<'s>], admin: &'r Reader<'s>, seed: u64) -> Self {
        Self {
            agents,
            admin,
            dice: Dice::new(seed),
            problems: Vec::new(),
            solutions: Vec::new(),
            posts: Vec::new(),
            told: HashMap::new(),
            written: 0,
        }
    }

    pub(super) fn is_public_problem(&self, problem: usize) -> bool {
        self.problems[problem].status == "approved"
    }

    pub(super) fn is_public_solution(&self, solution: usize) -> bool {
        let thing = &self.solutions[solution];
        thing.status == "approved" && thing.above.is_some_and(|at| self.is_public_problem(at))
    }

    /// Within its solution.
    pub(super) fn is_public_post(&self, post: usize) -> bool {
        let thing = &self.posts[post].thing;
        thing.status == "approved" && thing.above.is_none_or(|at| self.is_public_post(at))
    }

    pub(super) fn sees_problem(&self, reader: &Reader<'_>, problem: usize) -> bool {
        reader.sees(&self.problems[problem], self.is_public_problem(problem))
    }

    pub(super) fn sees_solution(&self, reader: &Reader<'_>, solution: usize) -> bool {
        reader.sees(&self.solutions[solution], self.is_public_solution(solution))
    }

    pub(super) fn sees_post(&self, reader: &Reader<'_>, post: usize) -> bool {
        self.sees_solution(reader, self.posts[post].solution)
            && reader.sees(&self.posts[post].thing, self.is_public_post(post))
    }

    /// How many solutions of a problem everyone sees.
    pub(super) fn public_solutions(&self, problem: usize) -> usize {
        let of_it = |at: &usize| self.solutions[*at].above == Some(problem);
        let all = 0..self.solutions.len();
        all.filter(of_it).filter(|at| self.is_public_solution(*at)).count()
    }

    /// Where the posts of a solution are.
    pub(super) fn posts_of(&self, solution: usize) -> Vec<usize> {
        (0..self.posts.len()).filter(|at| self.posts[*at].solution == solution).collect()
    }

    /// Words that no other text has, and what comes of them.
    fn words(&mut self, fate: &str) -> (String, &'static str) {
        self.written += 1;
        let (status, words) =
            WORDS.into_iter().find(|(status, _)| *status == fate).expect("there are four");
        (format!("{words}, number {}", self.written), status)
    }

    fn fate(&mut self) -> &'static str {
        // Mostly well, so that much hangs on what is public.
        self.dice.one_of(&["approved", "approved", "approved", "flagged", "rejected", "pending"])
    }

    pub(super) async fn raise(&mut self) {
        let author = self.dice.roll(self.agents.len());
        let fate = self.fate();
        let (title, status) = self.words(fate);
        let mut body = problem();
        body["title"] = json!(title);
        let thing = self.made(author, "/problems", &body, status, None).await;
        self.problems.push(thing);
    }

    pub(super) async fn propose(&mut self) {
        let author = self.dice.roll(self.agents.len());
        let seen: Vec<usize> = (0..self.problems.len())
            .filter(|at| self.sees_problem(&self.agents[author], *at))
            .collect();
        if seen.is_empty() {
            return;
        }
        let above = self.dice.one_of(&seen);
        let fate = self.fate();
        let (title, status) = self.words(fate);
        let mut body = solution(&self.problems[above].id);
        body["title"] = json!(title);
        let thing = self.made(author, "/solutions", &body, status, Some(above)).await;
        self.solutions.push(thing);
    }

    /// A problem or a solution, once it was examined.
    async fn made(
        &self,
        author: usize,
        path: &str,
        body: &Value,
        status: &'static str,
        above: Option<usize>,
    ) -> Thing {
        let by = &self.agents[author].caller;
        let made = by.make(path, body).await;
        if status != "pending" {
            assert_eq!(by.decided(&made).await["status"], status, "{made}");
        }
        thing(&made, author, status, above)
    }

    /// Something happens: a post, or a change to what was written.
    pub(super) async fn happens(&mut self) {
        if self.posts.is_empty() || self.dice.roll(5) < 3 {
            return self.post_somewhere().await;
        }
        let list = self.dice.one_of(&["problems", "solutions", "posts", "posts", "posts"]);
        match list {
            "problems" => {
                let at = self.dice.roll(self.problems.len());
                self.problems[at].status = self.changed(self.problems[at].clone(), None).await;
            }
            "solutions" => {
                let at = self.dice.roll(self.solutions.len());
                self.solutions[at].status = self.changed(self.solutions[at].clone(), None).await;
            }
            _posts => {
                let at = self.dice.roll(self.posts.len());
                let Post { thing, solution, .. } = self.posts[at].clone();
                self.posts[at].thing.appealed |= thing.status == "rejected";
                self.posts[at].thing.status = self.changed(thing, Some(solution)).await;
            }
        }
    }

    /// What becomes of a thing: a human looks at what is flagged, a rejected post is appealed once.
    async fn changed(&mut self, thing: Thing, solution: Option<usize>) -> &'static str {
        match (thing.status, solution) {
            ("flagged", _) => {
                let (decision, status) =
                    self.dice.one_of(&[("approve", "approved"), ("reject", "rejected")]);
                self.admin.caller.review(&thing.evaluation, decision).await;
                status
            }
            ("rejected", Some(solution)) => {
                let solution = &self.solutions[solution].id;
                let path = format!("/solutions/{solution}/debates/{}/appeal", thing.id);
                let reason = json!({ "reason": "I only meant to warn of it." });
                let reply = self.agents[thing.author].caller.post(&path, &reason).await;
                let expected = if thing.appealed { 409 } else { 200 };
                assert_eq!(reply.status, expected, "{}", reply.text);
                if thing.appealed { "rejected" } else { "flagged" }
            }
            (status, _) => status,
        }
    }

    async fn post_somewhere(&mut self) {
        let author = self.dice.roll(self.agents.len());
        let reader = &self.agents[author];
        let seen: Vec<usize> =
            (0..self.solutions.len()).filter(|at| self.sees_solution(reader, *at)).collect();
        if seen.is_empty() {
            return;
        }
        let solution = self.dice.one_of(&seen);
        let answerable: Vec<usize> = self
            .posts_of(solution)
            .into_iter()
            .filter(|at| self.posts[*at].depth < 5 && self.sees_post(reader, *at))
            .collect();
        let above = if answerable.is_empty() || self.dice.roll(4) == 0 {
            None
        } else {
            Some(self.dice.one_of(&answerable))
        };
        let fate = self.fate();
        self.post(author, solution, above, fate).await;
    }

    /// Adds a post, and waits until its author is told what became of it.
    pub(super) async fn post(
        &mut self,
        author: usize,
        solution: usize,
        above: Option<usize>,
        fate: &str,
    ) {
        let (words, status) = self.words(fate);
        let (by, to) = (&self.agents[author].caller, &self.solutions[solution].id);
        let parent = above.map(|at| self.posts[at].thing.id.as_str());
        let stance_of_it = ["support", "oppose", "modify", "question"][self.written % 4];
        let body = stance(stance_of_it, &words, parent);
        let made = by.make(&format!("/solutions/{to}/debates"), &body).await;
        let depth = 1 + above.map_or(0, |at| self.posts[at].depth);
        assert_eq!(made["depth"], depth);
        if status != "pending" {
            let events = match self.told.entry((author, solution)) {
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
        self.posts.push(Post { thing: thing(&made, author, status, above), solution, depth });
    }
}

fn thing(made: &Value, author: usize, status: &'static str, above: Option<usize>) -> Thing {
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined").to_owned();
    Thing { id: id(made).to_owned(), evaluation, author, status, above, appealed: false }
}
