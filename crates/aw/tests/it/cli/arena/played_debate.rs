//! A debate with seats, played by two agents and a person. Nothing is copied but the slug.

use serde_json::Value;
use tempfile::TempDir;

use super::agent_session::AgentSession;
use crate::support::{Cli, Server};

const PLAN: &str = "# Cache the index\n\nWe keep the index in memory.\n";

/// A folder with a plan, as both agents and the person see it.
fn project() -> TempDir {
    let folder = TempDir::new().expect("the system has a folder for temporary files");
    std::fs::write(folder.path().join("plan.md"), PLAN).expect("there is room");
    folder
}

fn agents(server: &Server, project: &TempDir) -> (AgentSession, AgentSession) {
    let cli = Cli::at(server);
    let proposer = AgentSession::start(&cli.clone().env("CLAUDECODE", "1"), project.path());
    let opponent = AgentSession::start(&cli.env("CODEX_SANDBOX", "seatbelt"), project.path());
    (proposer, opponent)
}

fn contents(report: &Value) -> Vec<&str> {
    let arguments = report["arguments"].as_array().expect("it lists them");
    arguments.iter().map(|each| each["content"].as_str().expect("it is text")).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("it is text").to_owned()
}

/// The commands of a report.
fn commands(report: &Value) -> Vec<String> {
    let moves = report["moves"].as_array().expect("it lists them");
    moves.iter().map(|each| text(&each["command"])).collect()
}

#[tokio::test]
async fn two_agents_and_a_person_play_a_debate_with_the_slug_alone() {
    let server = Server::with_seats().await;
    let project = project();
    let (mut proposer, mut opponent) = agents(&server, &project);

    let created = proposer.aw(&["debate", "new", "plan.md"]).await.data();
    let slug = text(&created["slug"]);
    assert!(slug.starts_with("cache-the-index-"), "{slug}");
    assert_eq!((&created["role"], &created["holder"]), (&"proposer".into(), &"claude-code".into()));
    assert_eq!(text(&created["url"]), format!("{}/arena/{slug}", server.url));
    assert!(text(&created["opponent_prompt"]).contains(&text(&created["join_command"])));

    let joined = opponent.aw(&["debate", "join", &slug]).await.data();
    assert_eq!((&joined["status"], &joined["holder"]), (&"your_turn".into(), &"codex".into()));
    assert_eq!(contents(&joined), [PLAN]);
    assert_eq!(commands(&joined)[0], "aw debate say -f FILE");

    // The opponent's command waits until its next turn, or until the debate is closed.
    let claim = opponent.aw(&["debate", "say", "It will not fit."]);
    let (claimed, ()) = tokio::join!(claim, finish(&mut proposer, &server));
    let claimed = claimed.data();
    assert_eq!(
        (&claimed["status"], &claimed["written"]["argument_seq"]),
        (&"closed".into(), &2.into())
    );
    let missed = contents(&claimed);
    assert_eq!(missed[..3], ["How much memory may we use?", "Two gigabytes.", "Agreed: hot keys."]);
    let closed = opponent.aw(&["debate", "next"]).await.data();
    assert_eq!(closed["status"], "closed");
    assert_eq!(contents(&closed).len(), 0, "nothing is printed twice");

    let shown = opponent.aw(&["debate", "show"]).await.data();
    let arguments = shown["arguments"].as_array().expect("it lists them");
    let authors: Vec<_> = arguments.iter().map(|each| text(&each["by"])).collect();
    assert_eq!(authors, ["codex", "claude-code", "arbitrator", "claude-code", "server"]);
    assert_eq!(shown["seats"][1]["holder"], "codex");
}

/// The proposer reads the claim, appeals, reads the ruling of a person, and resolves the debate.
async fn finish(proposer: &mut AgentSession, server: &Server) {
    let next = proposer.aw(&["debate", "next"]).await.data();
    assert_eq!(contents(&next), ["It will not fit."]);
    assert_eq!(
        (&next["arguments"][0]["by"], &next["status"]),
        (&"codex".into(), &"your_turn".into())
    );
    let appeal = ["debate", "say", "--appeal", "How much memory may we use?", "--no-wait"];
    let appealed = proposer.aw(&appeal).await.data();
    assert_eq!(appealed["debate_state"], "AWAITING_ARBITRATOR");
    assert_eq!(commands(&appealed)[0], "aw debate next");
    // Without a slug: it is the only debate that needs a ruling.
    let person = Cli::at(server).env("TERM", "dumb");
    let ruled = person.answer_in_terminal("aw rule 'Two gigabytes.'", "[y/N]", "y").await;
    assert_eq!(ruled.code, 0, "{ruled:?}");
    assert!(ruled.out.contains("Rule on “Cache the index”?"), "{ruled:?}");
    let next = proposer.aw(&["debate", "next"]).await.data();
    assert_eq!(contents(&next), ["Two gigabytes."]);
    assert_eq!(next["arguments"][0]["by"], "arbitrator");
    let resolved = proposer.aw(&["debate", "say", "--resolve", "Agreed: hot keys."]).await.data();
    assert_eq!(resolved["status"], "closed");
}

#[tokio::test]
async fn prompt_is_the_text_that_a_new_debate_prints_for_the_opponent() {
    let server = Server::with_seats().await;
    let project = project();
    let (mut proposer, mut opponent) = agents(&server, &project);
    let created = proposer.aw(&["debate", "new", "plan.md"]).await.data();
    let slug = text(&created["slug"]);
    let last = proposer.aw(&["prompt", "opponent"]).await;
    assert_eq!(last.out, text(&created["opponent_prompt"]));
    let named = opponent.aw(&["prompt", "arbitrator", &slug]).await;
    assert!(named.out.contains(&format!("aw rule {slug}")), "{named:?}");
    // The opponent runs the command of the text.
    let (_, rest) = last.out.split_once("`aw debate join").expect("it joins");
    let (join, _) = rest.split_once('`').expect("the command ends");
    let joined = opponent.line(&format!("aw debate join{join}")).await.data();
    assert_eq!(joined["role"], "opponent");
}

#[tokio::test]
async fn seat_keeps_its_server_and_commands_need_no_further_flags() {
    let server = Server::with_seats().await;
    let project = project();
    let cli = Cli::with_home(server.home().path()).env("DEBATE_AUTO_START", "false");
    let mut proposer = AgentSession::start(&cli, project.path());
    let new = ["debate", "new", "plan.md", "--server", &server.url];
    let slug = text(&proposer.aw(&new).await.data()["slug"]);
    let mut opponent = AgentSession::start(&cli, project.path());
    // The port of the server is not the default one, and the name is another loopback name.
    let local = server.url.replace("127.0.0.1", "localhost");
    opponent.aw(&["debate", "join", &slug, "--server", &local]).await.data();
    opponent.aw(&["debate", "say", "No.", "--no-wait"]).await.data();
    let next = proposer.aw(&["debate", "next"]).await.data();
    assert_eq!(contents(&next), ["No."]);
    let with_name = proposer.aw(&["debate", "show", "--server", &local]).await.data();
    assert_eq!(with_name["debate"]["slug"], slug);
}

#[tokio::test]
async fn existing_commands_send_the_kept_token() {
    let server = Server::with_seats().await;
    let project = project();
    let (mut proposer, mut opponent) = agents(&server, &project);
    let created = proposer.aw(&["debate", "new", "plan.md"]).await.data();
    let slug = text(&created["slug"]);
    let joined = opponent.aw(&["debate", "join", &slug]).await.data();
    let motion = text(&joined["arguments"][0]["id"]);
    let claim = ["debate", "submit", "--debate-id", &slug, "--role", "opponent", "--target-id"];
    let claim = [&claim[..], &[&motion, "--content", "It will not fit."]].concat();
    let claimed = text(&opponent.aw(&claim).await.data()["argument_id"]);
    let refused = proposer.aw(&claim).await;
    assert_eq!((refused.code, refused.error_code().as_str()), (6, "SEAT_REQUIRED"), "{refused:?}");
    let wait = ["debate", "wait", "--debate-id", &slug, "--role", "proposer", "--argument-id"];
    let waited = proposer.aw(&[&wait[..], &[&motion]].concat()).await.data();
    assert_eq!(waited["argument"]["id"], claimed);
    let seats = server.get(&format!("/debates/{slug}/seats")).await;
    assert!(seats.data()[0]["last_seen"].is_string(), "{}", seats.text);
    let appeal = ["debate", "appeal", "--debate-id", &slug, "--target-id", &claimed];
    let appealed = proposer.aw(&[&appeal[..], &["--content", "How much?"]].concat()).await.data();
    assert_eq!(appealed["debate_state"], "AWAITING_ARBITRATOR");
}

#[tokio::test]
async fn debate_without_seats_is_played_with_the_same_commands() {
    let server = Server::start().await;
    let project = project();
    let (mut proposer, mut opponent) = agents(&server, &project);
    let (id, _) = Cli::at(&server).create("Cache the index").await;
    let prefix = &id[..id.len() - 1];
    let joined = opponent.aw(&["debate", "join", prefix]).await.data();
    let slug = text(&joined["slug"]);
    opponent.aw(&["debate", "say", "No.", "--no-wait"]).await.data();
    proposer.aw(&["debate", "join", &slug, "--as", "proposer"]).await.data();
    let resolved = proposer.aw(&["debate", "say", "--resolve", "Fine."]).await.data();
    assert_eq!(resolved["status"], "closed");
    let shown = proposer.aw(&["debate", "show"]).await.data();
    assert_eq!(shown["arguments"][0]["by"], Value::Null);
    assert_eq!(shown["seats"], Value::Null);
}
