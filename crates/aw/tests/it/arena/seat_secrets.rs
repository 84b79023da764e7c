//! No token of a seat, no invite and no arbitrator token leaves the place where it belongs.

use std::path::Path;

use reqwest::Method;
use serde_json::json;

use crate::support::seats::{
    ARBITRATOR, Action, Credential, INVITE, SEAT, SeatedDebate, new_secret, new_token, seated_body,
};
use crate::support::visitor::Visitor;
use crate::support::{Engine, Events, Server, Setup, Ws, new_id};

/// The secrets of a run, and the texts in which none of them may appear.
struct Search {
    secrets: Vec<String>,
    texts: Vec<(String, String)>,
}

impl Search {
    fn add(&mut self, name: &str, text: String) {
        self.texts.push((name.to_owned(), text));
    }

    fn check(&self) {
        assert!(self.secrets.len() >= 7 && self.texts.len() >= 25, "the whole run is searched");
        for (name, text) in &self.texts {
            for secret in &self.secrets {
                // A part of a secret would be a leak too.
                let part = &secret[4..24];
                assert!(!text.contains(part), "{name} contains a secret");
            }
        }
    }
}

#[tokio::test]
async fn no_log_response_metric_export_or_database_contains_a_token() {
    let setup = Setup::new().with_seats().traced();
    let server = setup.start().await;
    let arbitrator = server.arbitrator_token();
    let mut search = Search { secrets: vec![arbitrator.clone()], texts: Vec::new() };
    let id = play(&server, &mut search).await;
    read_everything(&server, &id, &mut search).await;
    search.add("log", server.trace_log());
    server.kill().await;
    for command in [&["status"][..], &["check"]] {
        let output = setup.db(command).await.unwrap_or_else(|err| err);
        search.add("aw db", output);
    }
    if Engine::configured() == Engine::Sqlite {
        for file in files(&setup.home().path().join(".aweave/db")) {
            let bytes = std::fs::read(&file).expect("it can be read");
            search.add("the database", String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    search.check();
}

/// Takes seats with tokens of both sides, right and wrong, and writes with them.
async fn play(server: &Server, search: &mut Search) -> String {
    let (invite, wrong, wrong_arbitrator) = (new_secret("awi_"), new_token(), new_secret("awa_"));
    let debate = SeatedDebate::open(server).await;
    let arbitrator = debate.arbitrator.clone();
    let secrets = [&debate.proposer, &debate.opponent, &invite, &wrong, &wrong_arbitrator];
    search.secrets.extend(secrets.into_iter().cloned());
    let mut requests: Vec<(Method, String, Option<serde_json::Value>, Vec<Credential<'_>>)> =
        Vec::new();
    let seat = debate.path("/seats/opponent");
    let holder = Some(json!({ "holder": "bob" }));
    let own = (SEAT, debate.opponent.as_str());
    let by_wrong = vec![(SEAT, wrong.as_str()), (ARBITRATOR, wrong_arbitrator.as_str())];
    let ruling = Some(json!({ "content": "Go on." }));
    requests.push((Method::POST, seat.clone(), holder.clone(), vec![(SEAT, &debate.proposer)]));
    requests.push((Method::POST, seat.clone(), holder.clone(), vec![own, (INVITE, &invite)]));
    requests.push((Method::POST, seat.clone(), holder.clone(), vec![own]));
    requests.push((Method::POST, seat.clone(), holder.clone(), by_wrong.clone()));
    requests.push((Method::POST, seat.clone(), holder, vec![(SEAT, "garbage")]));
    requests.push((Method::DELETE, seat, None, by_wrong.clone()));
    requests.push((Method::POST, debate.path("/intervention"), None, by_wrong));
    let by_arbitrator = vec![(ARBITRATOR, arbitrator.as_str())];
    requests.push((Method::POST, debate.path("/intervention"), None, by_arbitrator.clone()));
    requests.push((Method::POST, debate.path("/ruling"), ruling, by_arbitrator.clone()));
    requests.push((Method::POST, "/session/codes".to_owned(), None, vec![]));
    requests.push((Method::GET, debate.path("/poll?role=opponent"), None, vec![own]));
    requests.push((Method::GET, debate.path("/nothing"), None, vec![own]));
    for (method, path, body, credentials) in requests {
        let reply = server.send(method.clone(), &path, body.as_ref(), &credentials).await;
        search.add(&format!("{method} {path}"), format!("{:?} {}", reply.headers, reply.text));
    }
    let code = server.send(Method::POST, "/session/codes", None, &by_arbitrator).await;
    search.add("the login code", code.text);
    let claim = debate.act(Action::ProposerClaim, &debate.motion, "c-1", &[own]).await;
    search.add("a claim", claim.text);
    make_tokens(server, search).await;
    debate.id.clone()
}

/// The server makes two tokens; later responses do not repeat them.
async fn make_tokens(server: &Server, search: &mut Search) {
    let body = seated_body(&new_id());
    let created = server.post("/debates", &body).await.data();
    let path =
        format!("/debates/{}/seats/opponent", created["debate"]["id"].as_str().expect("text"));
    let holder = json!({ "holder": "bob" });
    let taken = server.post(&path, &holder).await.data();
    for seat in [&created["seat"], &taken["seat"]] {
        search.secrets.push(seat["token"].as_str().expect("the server made it").to_owned());
    }
    let own = [(SEAT, search.secrets[search.secrets.len() - 1].clone())];
    let own = own.each_ref().map(|(name, token)| (*name, token.as_str()));
    let again = server.post_as(&path, &holder, &own).await;
    assert_eq!(again.status, 200, "{}", again.text);
    search.add("a repeat of the creation", server.post("/debates", &body).await.text);
    search.add("a repeat of the taking", again.text);
    search.add("the release", server.delete_as(&path, &own).await.text);
}

async fn read_everything(server: &Server, id: &str, search: &mut Search) {
    let arbitrator = server.arbitrator_token();
    let mut ws = Ws::try_open_with(
        server,
        &format!("?debate_id={id}"),
        &[(ARBITRATOR, arbitrator.as_str())],
    )
    .await
    .expect("it opens");
    search.add("a frame", ws.next().await.to_string());
    let mut events = Events::open(server, &format!("/debates/{id}/events"), None).await;
    events.next().await.expect("the motion");
    search.add("the event stream", events.raw.clone());
    for path in [
        format!("/debates/{id}"),
        format!("/debates/{id}/seats"),
        "/debates".to_owned(),
        "/metrics".to_owned(),
        "/health".to_owned(),
    ] {
        search.add(&path, server.get(&path).await.text);
    }
    let visitor = Visitor::at(server);
    for rest in ["", "/export.json", "/export.md", "/export.html"] {
        let path = format!("/arena/{id}{rest}");
        search.add(&path, visitor.get(&path).await.text);
    }
    let proof = format!("/proof?of=arbitrator&nonce={}", "a".repeat(64));
    search.add(&proof, server.get(&proof).await.text);
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}
