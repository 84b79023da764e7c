//! A forum with the items and callers that the error cases refer to.

use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Method;
use serde_json::{Value, json};

use crate::forum::route_cases::Sender;
use crate::support::forum::{ADMIN, Caller, auto_approving, data, id, problem, solution, stance};
use crate::support::{Reply, Server};

/// A text that a rule rejects.
const REJECTED_TEXT: &str = "We should build weapons and sell them instead";

/// An address that has used up its rate limit.
const LIMITED_ADDRESS: &str = "9.9.9.9";

const FORWARDED: &str = "x-forwarded-for";

/// The token of the reviewer Eve.
const EVE_TOKEN: &str = "another-token-for-reviewers";

/// The idempotency key of an earlier request by Ada.
pub(super) const USED_KEY: &str = "once";

/// Ids of the items in the forum, from which requests are built.
pub(super) struct Fixture<'s> {
    pub(super) server: &'s Server,
    ada: Caller<'s>,
    addresses: AtomicU32,
    /// The id of Ada, who owns the problem, the solution and the post.
    pub(super) agent: String,
    pub(super) problem: String,
    pub(super) solution: String,
    pub(super) post: String,
    /// Owned by Bob, public.
    pub(super) bobs_problem: String,
    pub(super) bobs_solution: String,
    pub(super) bobs_post: String,
    /// Owned by Bob, visible only to him.
    pub(super) hidden_problem: String,
    pub(super) hidden_solution: String,
    pub(super) hidden_post: String,
    /// At the maximum depth of a thread.
    pub(super) deep_post: String,
    pub(super) hidden_deep_post: String,
    /// A post below Bob's solution.
    pub(super) hidden_foreign_post: String,
    /// Owned by Ada, appealed and rejected again.
    pub(super) appealed_post: String,
    /// Evaluation ids: of an approved item, a flagged item, an item that Eve has claimed, and
    /// an item of Bob's.
    pub(super) approved: String,
    pub(super) flagged: String,
    pub(super) claimed: String,
    pub(super) bobs: String,
}

/// Registers an agent from its own address.
async fn register_from<'s>(
    server: &'s Server,
    username: &str,
    address: &str,
) -> (Caller<'s>, String) {
    let request = server.request(Method::POST, "/api/v1/auth/agents/register");
    let request = request.header(FORWARDED, address).json(&json!({ "username": username }));
    let made = data(&Reply::receive(request).await);
    let text = |field: &str| made[field].as_str().expect("it is text").to_owned();
    (Caller::with(server, &text("apiKey")), text("agentId"))
}

/// Creates an item and asserts its status after the evaluation.
async fn create_with_status(by: &Caller<'_>, path: &str, body: &Value, status: &str) -> Value {
    let made = by.create(path, body).await;
    assert_eq!(by.wait_for_decision(&made).await["status"], status, "{made}");
    made
}

async fn create_id(by: &Caller<'_>, path: &str, body: &Value, status: &str) -> String {
    id(&create_with_status(by, path, body, status).await).to_owned()
}

fn evaluation(made: &Value) -> String {
    made["guardrailEvaluationId"].as_str().expect("it is examined").to_owned()
}

/// A rejected post of Ada's that she has appealed.
async fn create_appealed_post(ada: &Caller<'_>, path: &str, words: &str) -> Value {
    let post = stance("oppose", &format!("{REJECTED_TEXT}, {words}"), None);
    let post = create_with_status(ada, path, &post, "rejected").await;
    let reason = json!({ "reason": "I only meant to warn of it." });
    let reply = ada.post(&format!("{path}/{}/appeal", id(&post)), &reason).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    post
}

/// Creates a thread of five posts, each a reply to the one before.
async fn create_deepest_thread(ada: &Caller<'_>, path: &str) -> Vec<Value> {
    let mut thread: Vec<Value> = Vec::new();
    for level in 1..=5 {
        let above = thread.last().map(|post| id(post).to_owned());
        let post = stance("support", &format!("Level {level}"), above.as_deref());
        thread.push(create_with_status(ada, path, &post, "approved").await);
    }
    thread
}

async fn claim_as_eve(server: &Server, evaluation: &str) {
    let claim = format!("/admin/flagged/{evaluation}/claim");
    let claimed = Caller::with(server, EVE_TOKEN).call(Method::POST, &claim, None).await;
    assert_eq!(claimed.status, 200, "{}", claimed.text);
}

impl<'s> Fixture<'s> {
    /// A server that trusts X-Forwarded-For and has a low limit for each address.
    pub(super) async fn server() -> Server {
        let reviewers = format!("admin:{ADMIN},eve:{EVE_TOKEN}");
        let setup = auto_approving().env("DEBATE_ADMIN_TOKEN", &reviewers);
        let setup = setup.env("FORUM_RATE_LIMIT_ANONYMOUS", "1");
        setup.env("TRUSTED_PROXIES", "127.0.0.1").start().await
    }

    pub(super) async fn create(server: &'s Server) -> Self {
        let (ada, agent) = register_from(server, "ada", "10.0.0.1").await;
        let (bob, _) = register_from(server, "bob", "10.0.0.2").await;
        let mut bad = problem();
        bad["title"] = json!(REJECTED_TEXT);

        let adas_problem = create_id(&ada, "/problems", &problem(), "approved").await;
        let bobs_problem = create_id(&bob, "/problems", &problem(), "approved").await;
        let hidden_problem = create_id(&bob, "/problems", &bad, "rejected").await;
        let (mine, his) = (solution(&adas_problem), solution(&bobs_problem));
        let hidden = solution(&hidden_problem);
        let adas_solution = create_id(&ada, "/solutions", &mine, "approved").await;
        let bobs_solution = create_id(&bob, "/solutions", &his, "approved").await;
        let hidden_solution = create_id(&bob, "/solutions", &hidden, "approved").await;

        let (path, elsewhere) = (
            format!("/solutions/{adas_solution}/debates"),
            format!("/solutions/{bobs_solution}/debates"),
        );
        let thread = create_deepest_thread(&ada, &path).await;
        let good = stance("question", "Who cleans them", None);
        let bobs_post = create_with_status(&bob, &path, &good, "approved").await;
        let refused = |above: Option<&Value>| stance("oppose", REJECTED_TEXT, above.map(id));
        let hidden_post = create_with_status(&bob, &path, &refused(None), "rejected").await;
        let hidden_deep_post =
            create_with_status(&bob, &path, &refused(thread.get(3)), "rejected").await;
        let hidden_foreign_post =
            create_with_status(&bob, &elsewhere, &refused(None), "rejected").await;

        let appealed_post = create_appealed_post(&ada, &path, "and so on").await;
        Caller::admin(server).review(&evaluation(&appealed_post), "reject").await;
        let flagged = create_appealed_post(&ada, &path, "or not").await;
        let claimed = create_appealed_post(&ada, &path, "or something").await;
        claim_as_eve(server, &evaluation(&claimed)).await;
        let used = ada.request(Method::POST, &path).header("idempotency-key", USED_KEY);
        let used = Reply::receive(used.json(&stance("modify", "Once by name", None))).await;
        assert_eq!(used.status, 201, "{}", used.text);

        let own = |made: &Value| id(made).to_owned();
        Self {
            server,
            addresses: AtomicU32::new(0),
            agent,
            problem: adas_problem,
            solution: adas_solution,
            post: own(&thread[0]),
            bobs_problem,
            bobs_solution,
            bobs_post: own(&bobs_post),
            hidden_problem,
            hidden_solution,
            hidden_post: own(&hidden_post),
            deep_post: own(&thread[4]),
            hidden_deep_post: own(&hidden_deep_post),
            hidden_foreign_post: own(&hidden_foreign_post),
            appealed_post: own(&appealed_post),
            approved: evaluation(&thread[0]),
            flagged: evaluation(&flagged),
            claimed: evaluation(&claimed),
            bobs: evaluation(&bobs_post),
            ada,
        }
    }

    /// Uses up the rate limit of the limited address, even if its window has just restarted.
    pub(super) async fn use_up_limit(&self) {
        let request = self.server.request(Method::GET, "/api/v1/problems");
        let reply = Reply::receive(request.header(FORWARDED, LIMITED_ADDRESS)).await;
        assert!([200, 429].contains(&reply.status), "{}", reply.text);
    }

    /// The credential of `who`.
    pub(super) fn key(&self, who: &Sender) -> Option<String> {
        match who {
            Sender::Anonymous => None,
            Sender::RateLimited | Sender::UnknownKey => Some(format!("awk_{}", "0".repeat(64))),
            Sender::Ada => self.ada.key.clone(),
            Sender::Reviewer => Some(ADMIN.to_owned()),
        }
    }

    /// The address of `who`: a new one for each request, except for the limited address.
    pub(super) fn address(&self, who: &Sender) -> String {
        match who {
            Sender::RateLimited => LIMITED_ADDRESS.to_owned(),
            Sender::Anonymous | Sender::UnknownKey | Sender::Ada | Sender::Reviewer => {
                let number = self.addresses.fetch_add(1, Ordering::Relaxed);
                let [_, high, middle, low] = number.to_be_bytes();
                format!("11.{high}.{middle}.{low}")
            }
        }
    }
}
