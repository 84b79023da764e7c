//! Seats that sessions keep: their files, the choice among them, and attempts to use a seat of
//! another session.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::lossy_proxy::LossyProxy;
use crate::support::{Cli, Output, Server};

/// A session that names itself, with commands in the home folder of the server.
struct NamedSession {
    cli: Cli,
}

impl NamedSession {
    fn new(cli: &Cli, name: &str) -> Self {
        Self { cli: cli.clone().env("AW_SESSION", name).env("USER", name) }
    }

    async fn aw(&self, words: &[&str]) -> Output {
        self.cli.run(words).await
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("it is text").to_owned()
}

fn plan(server: &Server) -> String {
    let path = server.home().path().join("plan.md");
    std::fs::write(&path, "# Cache the index\n\nWe keep it in memory.\n").expect("there is room");
    path.display().to_string()
}

/// A debate of the sessions `ada` and `bob`; its slug.
async fn seated(server: &Server) -> (NamedSession, NamedSession, String) {
    let cli = Cli::at(server);
    let (ada, bob) = (NamedSession::new(&cli, "ada"), NamedSession::new(&cli, "bob"));
    let created = ada.aw(&["debate", "new", &plan(server)]).await.data();
    let slug = text(&created["slug"]);
    bob.aw(&["debate", "join", &slug]).await.data();
    (ada, bob, slug)
}

fn seat_files(server: &Server) -> Vec<PathBuf> {
    let folder = server.home().path().join(".aweave/seats");
    let entries = std::fs::read_dir(folder).expect("it was created");
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777
}

fn refusal(output: &Output) -> (i32, String) {
    (output.code, output.error_code())
}

#[tokio::test]
async fn seats_are_kept_in_private_files_outside_the_project() {
    let server = Server::with_seats().await;
    seated(&server).await;
    assert_eq!(mode(&server.home().path().join(".aweave/seats")), 0o700);
    let files = seat_files(&server);
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
}

#[tokio::test]
async fn damaged_seat_files_do_not_disturb_the_others() {
    let server = Server::with_seats().await;
    let (ada, bob, slug) = seated(&server).await;
    let is_bobs = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|t| t.contains("bob"));
    let file = seat_files(&server).into_iter().find(is_bobs).expect("he joined");
    let whole = std::fs::read(&file).expect("it can be read");
    std::fs::write(&file, &whole[..whole.len() / 2]).expect("it can be written");
    let refused = bob.aw(&["debate", "say", "No."]).await;
    assert_eq!(refusal(&refused), (4, "ROLE_AMBIGUOUS".to_owned()), "{refused:?}");
    assert_eq!(ada.aw(&["debate", "show"]).await.data()["debate"]["slug"], slug);
    std::fs::write(&file, &whole).expect("it can be written");
    bob.aw(&["debate", "say", "No.", "--no-wait"]).await.data();
}

#[tokio::test]
async fn session_with_several_roles_or_none_is_told_the_kept_seats() {
    let server = Server::with_seats().await;
    let (ada, _, slug) = seated(&server).await;
    let stranger = NamedSession::new(&Cli::at(&server), "eve");
    let refused = stranger.aw(&["debate", "next"]).await;
    assert_eq!(refusal(&refused), (4, "ROLE_AMBIGUOUS".to_owned()), "{refused:?}");
    let message = text(&refused.error()["message"]);
    for seat in [format!("proposer of {slug}"), format!("opponent of {slug}")] {
        assert!(message.contains(&seat), "{message}");
    }
    // A named role picks the only seat of this folder with that role.
    let picked = stranger.aw(&["debate", "next", "--as", "opponent"]).await.data();
    assert_eq!((&picked["role"], &picked["status"]), (&"opponent".into(), &"your_turn".into()));
    let by_variable = stranger.cli.clone().env("AW_ROLE", "opponent");
    by_variable.data(&["debate", "say", "No.", "--no-wait"]).await;
    let next = ada.aw(&["debate", "next"]).await.data();
    assert_eq!(next["arguments"][0]["by"], "bob");
}

#[tokio::test]
async fn session_with_both_seats_must_name_its_role() {
    let server = Server::with_seats().await;
    let both = NamedSession::new(&Cli::at(&server), "ada");
    let created = both.aw(&["debate", "new", &plan(&server)]).await.data();
    let slug = text(&created["slug"]);
    both.aw(&["debate", "join", &slug]).await.data();
    let refused = both.aw(&["debate", "next"]).await;
    assert_eq!(refusal(&refused), (4, "ROLE_AMBIGUOUS".to_owned()), "{refused:?}");
    let seats = &refused.json()["content"][0]["data"]["seats"];
    assert_eq!(seats.as_array().map(Vec::len), Some(2), "{refused:?}");
    let claimed = both.aw(&["debate", "say", "No.", "--as", "opponent", "--no-wait"]).await.data();
    assert_eq!(claimed["role"], "opponent");
    let command = text(&claimed["moves"][0]["command"]);
    assert_eq!(command, format!("aw debate next {slug} --as opponent"));
}

#[tokio::test]
async fn taken_seat_is_refused_to_another_session() {
    let server = Server::with_seats().await;
    let (_, bob, slug) = seated(&server).await;
    let attacker = NamedSession::new(&Cli::at(&server), "eve");
    for role in ["opponent", "proposer"] {
        let refused = attacker.aw(&["debate", "join", &slug, "--as", role]).await;
        assert_eq!(refusal(&refused), (5, "SEAT_TAKEN".to_owned()), "{refused:?}");
        assert!(text(&refused.error()["suggestion"]).contains("--take-over"), "{refused:?}");
    }
    assert_eq!(seat_files(&server).len(), 2, "the refused tokens are not kept");
    bob.aw(&["debate", "join", &slug]).await.data();
}

#[tokio::test]
async fn session_cannot_use_the_seat_of_the_other_side() {
    let server = Server::with_seats().await;
    let (_, bob, slug) = seated(&server).await;
    bob.aw(&["debate", "say", "No.", "--no-wait"]).await.data();
    let refused = bob.aw(&["debate", "say", "I give up.", "--as", "proposer"]).await;
    assert_eq!(refusal(&refused), (4, "ROLE_AMBIGUOUS".to_owned()), "{refused:?}");
    let shown = bob.aw(&["debate", "show"]).await.data();
    let newest = text(&shown["arguments"][0]["id"]);
    for command in ["submit --role proposer", "appeal", "request-completion"] {
        let words: Vec<_> = command.split(' ').collect();
        let rest = ["--debate-id", &slug, "--target-id", &newest, "--content", "I give up."];
        let refused = bob.aw(&[&["debate"], &words[..], &rest[..]].concat()).await;
        assert_eq!(refusal(&refused), (6, "SEAT_REQUIRED".to_owned()), "{command}: {refused:?}");
    }
    let shown = bob.aw(&["debate", "show"]).await.data();
    assert_eq!(shown["arguments"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn invite_is_needed_and_travels_in_a_file() {
    let server = Server::with_seats().await;
    let cli = Cli::at(&server);
    let (ada, bob) = (NamedSession::new(&cli, "ada"), NamedSession::new(&cli, "bob"));
    let created = ada.aw(&["debate", "new", &plan(&server), "--invite-only"]).await.data();
    let (slug, file) = (text(&created["slug"]), text(&created["invite_file"]));
    assert_eq!(mode(Path::new(&file)), 0o600);
    let refused = bob.aw(&["debate", "join", &slug]).await;
    assert_eq!(refusal(&refused), (6, "INVITE_REQUIRED".to_owned()), "{refused:?}");
    let invite = std::fs::read(&file).expect("it can be read");
    let joined = bob.cli.run_with(&["debate", "join", &slug, "--invite", "-"], &invite).await;
    assert_eq!(joined.data()["role"], "opponent");
    assert!(text(&created["join_command"]).contains(&file), "{created}");
}

#[tokio::test]
async fn lost_answers_are_repeated_with_the_same_token() {
    let server = Server::with_seats().await;
    let about_new = LossyProxy::to(&server, "POST /debates ", 1).await;
    let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &about_new.url);
    let ada = NamedSession::new(&cli, "ada");
    let created = ada.aw(&["debate", "new", &plan(&server)]).await.data();
    assert_eq!(about_new.dropped(), 1);
    let slug = text(&created["slug"]);
    assert_eq!(server.get("/debates").await.data()["total"], 1, "the retry made no second debate");
    let about_seat = LossyProxy::to(
        &server,
        &format!("POST /debates/{}/seats", { text(&created["debate_id"]) }),
        1,
    )
    .await;
    let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &about_seat.url);
    let bob = NamedSession::new(&cli, "bob");
    bob.aw(&["debate", "join", &slug]).await.data();
    assert_eq!(about_seat.dropped(), 1);
    bob.aw(&["debate", "say", "No.", "--no-wait"]).await.data();
}

#[tokio::test]
async fn command_that_got_no_answer_repeats_its_request_when_it_runs_again() {
    let server = Server::with_seats().await;
    let proxy = LossyProxy::to(&server, "POST /debates ", 1).await;
    let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &proxy.url);
    let ada = NamedSession::new(&cli.env("DEBATE_RETRY_DEADLINE", "0"), "ada");
    let plan = plan(&server);
    let failed = ada.aw(&["debate", "new", &plan]).await;
    assert_eq!(refusal(&failed), (3, "SERVER_UNREACHABLE".to_owned()), "{failed:?}");
    assert!(text(&failed.error()["suggestion"]).contains("aw debate new"), "{failed:?}");
    let created = ada.aw(&["debate", "new", &plan]).await.data();
    assert_eq!(server.get("/debates").await.data()["total"], 1, "{created}");
    // The creation is complete: the same plan is now another debate.
    ada.aw(&["debate", "new", &plan]).await.data();
    assert_eq!(server.get("/debates").await.data()["total"], 2);
}

#[tokio::test]
async fn debate_is_found_by_slug_id_and_unique_beginning_of_an_id() {
    let server = Server::with_seats().await;
    let (ada, _, slug) = seated(&server).await;
    let shown = ada.aw(&["debate", "show"]).await.data();
    let id = text(&shown["debate"]["id"]);
    for name in [&slug, &id, &id[..35], &id[..13]] {
        let found = ada.aw(&["debate", "get-context", "--debate-id", name]).await.data();
        assert_eq!(found["debate"]["id"], id, "{name}");
    }
    // Two debates that were made together share the beginning of their ids.
    let (other, _) = Cli::at(&server).create("Another").await;
    assert_eq!(other[..4], id[..4]);
    let ambiguous = ada.aw(&["debate", "get-context", "--debate-id", &id[..4]]).await;
    assert_eq!(refusal(&ambiguous), (4, "INVALID_INPUT".to_owned()));
    assert!(text(&ambiguous.error()["message"]).contains(&slug), "{ambiguous:?}");
    let missing = ada.aw(&["debate", "get-context", "--debate-id", "ffff"]).await;
    assert_eq!(missing.code, 2, "{missing:?}");
}
