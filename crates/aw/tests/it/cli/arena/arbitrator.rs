//! Arbitrator rights on the command line: a terminal, the token of this machine, and a server that
//! proves to have it.

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::agent_session::AgentSession;
use crate::support::{Cli, Output, Server};

fn text(value: &Value) -> String {
    value.as_str().expect("it is text").to_owned()
}

fn refusal(output: &Output) -> (i32, String) {
    (output.code, output.error_code())
}

fn person(server: &Server) -> Cli {
    Cli::at(server).env("TERM", "dumb")
}

/// A debate that needs a ruling, its two agents, and its slug.
async fn appealed(server: &Server, project: &TempDir) -> (AgentSession, AgentSession, String) {
    std::fs::write(project.path().join("plan.md"), "# Cache the index\n").expect("there is room");
    let cli = Cli::at(server);
    let mut proposer = AgentSession::start(&cli.clone().env("USER", "ada"), project.path());
    let mut opponent = AgentSession::start(&cli.env("USER", "bob"), project.path());
    let slug = text(&proposer.aw(&["debate", "new", "plan.md"]).await.data()["slug"]);
    opponent.aw(&["debate", "join", &slug]).await.data();
    opponent.aw(&["debate", "say", "No.", "--no-wait"]).await.data();
    proposer.aw(&["debate", "next"]).await.data();
    proposer.aw(&["debate", "say", "--appeal", "Who is right?", "--no-wait"]).await.data();
    (proposer, opponent, slug)
}

async fn state(server: &Server, slug: &str) -> String {
    let reply = server.get(&format!("/debates/{slug}?limit=0")).await;
    text(&reply.data()["debate"]["state"])
}

#[tokio::test]
async fn agent_without_a_terminal_cannot_rule() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let (_, mut opponent, slug) = appealed(&server, &project).await;
    for words in [
        vec!["rule", "The opponent is right."],
        vec!["rule", &slug, "The opponent is right.", "--close"],
        vec!["debate", "ruling", "--debate-id", &slug, "--content", "The opponent is right."],
        vec!["debate", "delete", "--debate-id", &slug, "--yes"],
    ] {
        let refused = opponent.aw(&words).await;
        assert_eq!(refusal(&refused), (6, "SEAT_REQUIRED".to_owned()), "{refused:?}");
        let advice = text(&refused.error()["suggestion"]);
        assert!(advice.contains("--arbitrator-token-file"), "{advice}");
    }
    assert_eq!(state(&server, &slug).await, "AWAITING_ARBITRATOR");
}

#[tokio::test]
async fn person_at_a_terminal_rules_pauses_and_deletes() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let (_, _, slug) = appealed(&server, &project).await;
    let person = person(&server);
    let line = format!("aw rule {slug} 'Both.'");
    let declined = person.answer_in_terminal(&line, "[y/N]", "n").await;
    assert_eq!(declined.code, 6, "{declined:?}");
    assert_eq!(state(&server, &slug).await, "AWAITING_ARBITRATOR");
    let ruled = person.answer_in_terminal(&line, "[y/N]", "y").await;
    assert_eq!((ruled.code, state(&server, &slug).await.as_str()), (0, "AWAITING_PROPOSER"));
    let pause = format!("aw debate intervention --debate-id {slug}");
    person.answer_in_terminal(&pause, "Pause “Cache the index”", "y").await;
    assert_eq!(state(&server, &slug).await, "INTERVENTION_PENDING");
    let listed = person.data(&["rule"]).await;
    assert_eq!(listed["debates"][0]["slug"], slug);
    let delete = format!("aw debate delete --debate-id {slug}");
    let deleted = person.answer_in_terminal(&delete, "Delete “Cache the index”", "y").await;
    assert_eq!(deleted.code, 0, "{deleted:?}");
    assert_eq!(server.get(&format!("/debates/{slug}")).await.status, 404);
}

#[tokio::test]
async fn token_file_replaces_the_terminal() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let (_, mut opponent, slug) = appealed(&server, &project).await;
    let file = server.home().path().join(".aweave/arbitrator.token").display().to_string();
    let rule = ["rule", &slug, "Both.", "--close", "--arbitrator-token-file", &file];
    assert_eq!(opponent.aw(&rule).await.data()["debate_state"], "CLOSED");
}

#[tokio::test]
async fn ruling_without_a_slug_needs_exactly_one_pending_debate() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let person = person(&server);
    let none = person.run(&["rule", "Yes."]).await;
    assert_eq!(refusal(&none), (4, "INVALID_INPUT".to_owned()), "{none:?}");
    let (_, _, one) = appealed(&server, &project).await;
    let (_, _, other) = appealed(&server, &project).await;
    let several = person.run(&["rule", "Yes."]).await;
    assert_eq!(refusal(&several), (4, "INVALID_INPUT".to_owned()), "{several:?}");
    let message = text(&several.error()["message"]);
    assert!(message.contains(&one) && message.contains(&other), "{message}");
}

#[tokio::test]
async fn taken_over_seat_is_lost_for_its_holder_at_once() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let (mut proposer, mut opponent, slug) = appealed(&server, &project).await;
    let refused = opponent.aw(&["debate", "join", &slug, "--as", "proposer", "--take-over"]).await;
    assert_eq!(refusal(&refused), (6, "SEAT_REQUIRED".to_owned()), "{refused:?}");
    let line = format!("aw debate join {slug} --take-over --holder carol");
    let taken = person(&server).answer_in_terminal(&line, "from bob?", "y").await;
    assert_eq!(taken.code, 0, "{taken:?}");
    person(&server).answer_in_terminal(&format!("aw rule {slug} Both."), "[y/N]", "y").await;
    proposer.aw(&["debate", "next"]).await.data();
    proposer.aw(&["debate", "say", "Then we share it.", "--no-wait"]).await.data();
    opponent.aw(&["debate", "next"]).await.data();
    let refused = opponent.aw(&["debate", "say", "I was here first."]).await;
    assert_eq!(refusal(&refused), (6, "SEAT_INVALID".to_owned()), "{refused:?}");
    let advice = text(&refused.error()["suggestion"]);
    assert!(advice.contains("carol holds the seat"), "{advice}");
    assert_eq!(state(&server, &slug).await, "AWAITING_OPPONENT");
}

/// Another process on a port of this machine, which relays everything to the real server.
#[tokio::test]
async fn arbitrator_token_is_not_sent_to_a_process_that_relays_the_proof() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let (_, _, slug) = appealed(&server, &project).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let relay = listener.local_addr().expect("it listens").to_string();
    let real = server.address().to_owned();
    let received = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let log = std::sync::Arc::clone(&received);
    let own = relay.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut there = tokio::net::TcpStream::connect(&real).await.expect("it listens");
            let mut buffer = vec![0; 64 * 1024];
            loop {
                let count = client.read(&mut buffer).await.unwrap_or_default();
                if count == 0 {
                    break;
                }
                let request = String::from_utf8_lossy(&buffer[..count]).into_owned();
                log.lock().expect("nothing panics").push_str(&request);
                let passed_on = request.replace(&own, &real);
                there.write_all(passed_on.as_bytes()).await.expect("it reads");
                let count = there.read(&mut buffer).await.expect("it answers");
                client.write_all(&buffer[..count]).await.expect("it reads");
            }
        }
    });
    let person = person(&server).env("DEBATE_SERVER_URL", &format!("http://{relay}"));
    let line = format!("aw rule {slug} Both. --format json");
    let refused = person.answer_in_terminal(&line, "[y/N]", "y").await;
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.out.contains("SERVER_NOT_PROVEN"), "{refused:?}");
    let received = received.lock().expect("nothing panics").clone();
    assert!(received.contains("/proof?of=arbitrator"), "{received}");
    assert!(!received.contains(&server.arbitrator_token()), "the token was sent");
    assert_eq!(state(&server, &slug).await, "AWAITING_ARBITRATOR");
}

#[tokio::test]
async fn link_on_a_terminal_signs_in_once_and_elsewhere_it_is_the_plain_address() {
    let server = Server::with_seats().await;
    let project = TempDir::new().expect("there is room");
    let (_, _, slug) = appealed(&server, &project).await;
    let cli = person(&server);
    let page = format!("{}/arena/{slug}", server.url);
    for words in [&["open", slug.as_str()][..], &["debate", "open", "--debate-id", &slug]] {
        assert_eq!(cli.data(words).await["url"], page);
        let shown = cli.in_terminal(&format!("aw {}", words.join(" "))).await;
        let link = format!("{}/login?code=", server.url);
        assert!(shown.contains(&link) && shown.contains("&next="), "{shown}");
    }
    let overview = cli.in_terminal("aw").await;
    assert!(overview.contains("/login?code="), "{overview}");
}
