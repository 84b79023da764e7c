//! Pages of debates with seats: arbitrator rights of a browser, free seats and participants.

mod appearance;
mod injection;
mod login;
mod panel;
mod rights;

use std::os::unix::fs::OpenOptionsExt;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::visitor::{Visitor, redirect_target};
use crate::support::{Reply, Server, Setup, argument_id, create_body, new_id};
use crate::web::access::TOKEN;

/// The arbitrator token of the servers of these tests.
pub(crate) const ARBITRATOR: &str = "awa_ArbitratorTokenOfTheTests0123456789-abcdefg";

/// A server with an arbitrator token, on either engine.
pub(crate) fn with_arbitrator() -> Setup {
    write_token(Setup::new(), ARBITRATOR)
}

/// A server with an arbitrator token and a token of its own.
pub(super) fn with_both_tokens() -> Setup {
    with_arbitrator().env("DEBATE_AUTH_TOKEN", TOKEN)
}

/// Writes the arbitrator token of a setup, and names its file.
pub(super) fn write_token(setup: Setup, token: &str) -> Setup {
    let file = setup.home().path().join("arbitrator-of-the-test");
    let mut options = std::fs::File::options();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(&file);
    let mut opened = opened.expect("the folder is ours");
    std::io::Write::write_all(&mut opened, token.as_bytes()).expect("the file is ours");
    let file = file.to_str().expect("the path is text").to_owned();
    setup.env("DEBATE_ARBITRATOR_TOKEN_FILE", &file)
}

/// A browser with a session for this secret.
pub(crate) async fn sign_in<'s>(server: &'s Server, secret: &str) -> Visitor<'s> {
    let visitor = Visitor::at(server);
    visitor.get("/login").await;
    let reply = visitor.post("/login", &[("token", secret), ("next", "/arena")]).await;
    assert_eq!(redirect_target(&reply), "/arena");
    visitor
}

/// A one-time code.
async fn make_code(server: &Server) -> String {
    let request = server.request(Method::POST, "/session/codes");
    let reply = Reply::receive(request.header("debate-arbitrator", ARBITRATOR)).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    reply.data()["code"].as_str().expect("a code is text").to_owned()
}

/// A debate with seats. Its proposer is the creator.
pub(crate) struct SeatedDebate<'s> {
    server: &'s Server,
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) motion: String,
}

const PROPOSER: &str = "aws_ProposerTokenOfTheTests0123456789-_abcdefgh";
const OPPONENT: &str = "aws_OpponentTokenOfTheTests0123456789-_abcdefgh";

fn token_of(role: &str) -> &'static str {
    if role == "proposer" { PROPOSER } else { OPPONENT }
}

impl<'s> SeatedDebate<'s> {
    pub(crate) async fn open(server: &'s Server, holder: &str) -> Self {
        Self::open_with(server, |body| body["holder"] = holder.into()).await
    }

    pub(crate) async fn open_with(server: &'s Server, change: impl FnOnce(&mut Value)) -> Self {
        let id = new_id();
        let mut body = create_body(&id);
        body["seats"] = true.into();
        change(&mut body);
        let request = server.request(Method::POST, "/debates").header("debate-seat", PROPOSER);
        let reply = Reply::receive(request.json(&body)).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        let slug = reply.data()["debate"]["slug"].as_str().expect("a slug is text").to_owned();
        Self { server, id, slug, motion: argument_id(&reply) }
    }

    /// A debate whose seats are both open.
    pub(crate) async fn find(server: &'s Server, slug: &str) -> Self {
        let whole = server.get(&format!("/debates/{slug}")).await.data();
        let text = |value: &Value| value.as_str().expect("it is text").to_owned();
        let (id, motion) = (text(&whole["debate"]["id"]), text(&whole["motion"]["id"]));
        Self { server, id, slug: slug.to_owned(), motion }
    }

    /// The path of the debate's page.
    pub(crate) fn page(&self) -> String {
        format!("/arena/{}", self.slug)
    }

    async fn send(&self, method: Method, path: &str, header: (&str, &str), body: &Value) -> Reply {
        let path = format!("/debates/{}{path}", self.id);
        let request = self.server.request(method, &path).header(header.0, header.1);
        Reply::receive(request.json(body)).await
    }

    pub(crate) async fn take_opponent_seat(&self, holder: &str) {
        self.take_seat("opponent", holder).await;
    }

    pub(crate) async fn take_seat(&self, role: &str, holder: &str) {
        let (path, seat) = (format!("/seats/{role}"), ("debate-seat", token_of(role)));
        let reply = self.send(Method::POST, &path, seat, &json!({ "holder": holder })).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
    }

    pub(crate) async fn release(&self, role: &str) {
        let arbitrator = ("debate-arbitrator", ARBITRATOR);
        let path = format!("/seats/{role}");
        let reply = self.send(Method::DELETE, &path, arbitrator, &json!({})).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }

    /// The opponent's claim on the motion; returns its id.
    pub(crate) async fn object(&self, content: &str) -> String {
        self.claim("opponent", &self.motion, content).await
    }

    /// A claim of a side; returns its id.
    pub(crate) async fn claim(&self, role: &str, target: &str, content: &str) -> String {
        let body = json!({
            "role": role, "target_id": target, "content": content, "client_request_id": new_id(),
        });
        let seat = ("debate-seat", token_of(role));
        let reply = self.send(Method::POST, "/arguments", seat, &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        argument_id(&reply)
    }

    /// The proposer's appeal or resolution.
    pub(crate) async fn ask(&self, what: &str, target: &str) {
        let body = json!({
            "target_id": target, "content": format!("{what}?"), "client_request_id": new_id(),
        });
        let seat = ("debate-seat", PROPOSER);
        let reply = self.send(Method::POST, &format!("/{what}"), seat, &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
    }

    /// Leads the debate to an appeal, with `codex` as the opponent.
    pub(crate) async fn appeal(&self) {
        self.take_opponent_seat("codex").await;
        let claim = self.object("It does not fit.").await;
        self.ask("appeal", &claim).await;
    }

    pub(crate) async fn read(&self) -> Value {
        self.server.get(&format!("/debates/{}", self.id)).await.data()
    }
}
