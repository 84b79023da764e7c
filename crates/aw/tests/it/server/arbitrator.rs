//! The file of the arbitrator token, the proof of the token, and one-time login codes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::seats::{ARBITRATOR, SEAT, new_secret, new_token, seated_body};
use crate::support::{Server, Setup, create_body, new_id};

fn token_file(setup: &Setup) -> PathBuf {
    setup.home().path().join(".aweave/arbitrator.token")
}

fn write_token(setup: &Setup, text: &str, mode: u32) {
    let file = token_file(setup);
    fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be created");
    fs::write(&file, text).expect("it can be written");
    fs::set_permissions(&file, Permissions::from_mode(mode)).expect("it is our own");
}

async fn assert_no_seats(server: &Server) {
    let reply = server.post("/debates", &seated_body(&new_id())).await;
    assert_eq!((reply.status, reply.code().as_str()), (422, "SEATS_NOT_CONFIGURED"));
    let reply = server.post("/debates", &create_body(&new_id())).await;
    assert_eq!(reply.status, 201, "debates without seats work: {}", reply.text);
    let proof = format!("/proof?of=arbitrator&nonce={}", "a".repeat(64));
    assert!(server.get(&proof).await.data()["proof"].is_null());
    let (path, token) = ("/session/codes", new_secret("awa_"));
    let reply = server.send(Method::POST, path, None, &[(ARBITRATOR, &token)]).await;
    assert_eq!((reply.status, reply.code().as_str()), (403, "SEAT_INVALID"));
}

#[tokio::test]
async fn token_is_created_once_and_readable_by_its_owner_only() {
    let setup = Setup::new().with_seats();
    let server = setup.start().await;
    let metadata = fs::metadata(token_file(&setup)).expect("the server created it");
    assert_eq!(metadata.mode() & 0o777, 0o600);
    assert_eq!(metadata.nlink(), 1, "the draft is gone");
    let token = server.arbitrator_token();
    assert!(token.starts_with("awa_") && token.len() == 47, "the form of a token");
    let folder = token_file(&setup).parent().expect("it is in a folder").to_owned();
    let names = fs::read_dir(folder).expect("it exists").map(|entry| entry.expect("it too"));
    let drafts = names.filter(|entry| entry.path().extension().is_some_and(|end| end == "new"));
    assert_eq!(drafts.count(), 0);
    server.kill().await;
    assert_eq!(setup.start().await.arbitrator_token(), token, "it stays");
}

#[tokio::test]
async fn servers_that_start_at_once_end_with_one_token() {
    let shared = Setup::new();
    let file = token_file(&shared).display().to_string();
    let setups: Vec<_> =
        (0..4).map(|_| Setup::new().env("DEBATE_ARBITRATOR_TOKEN_FILE", &file)).collect();
    let starts = setups.iter().map(Setup::start);
    let servers = futures_util::future::join_all(starts).await;
    let token = fs::read_to_string(token_file(&shared)).expect("one of them created it");
    for server in &servers {
        let credential = [(ARBITRATOR, token.trim())];
        let reply = server.send(Method::POST, "/session/codes", None, &credential).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
    }
}

#[tokio::test]
async fn malformed_or_readable_file_stops_the_start() {
    let good = new_secret("awa_");
    for (text, mode, expected) in [
        ("", 0o600, "does not contain an arbitrator token"),
        ("secret", 0o600, "does not contain an arbitrator token"),
        (&new_token(), 0o600, "does not contain an arbitrator token"),
        (&format!("{good}x"), 0o600, "does not contain an arbitrator token"),
        (&good, 0o640, "other users can read or change it"),
        (&good, 0o604, "other users can read or change it"),
        (&good, 0o620, "other users can read or change it"),
    ] {
        let setup = Setup::new().with_seats();
        write_token(&setup, text, mode);
        let (status, error) = setup.start_refused().await;
        assert!(!status.success(), "{mode:o} {text}");
        assert!(error.contains(expected) && error.contains("arbitrator.token"), "{error}");
        assert!(text.is_empty() || !error.contains(text), "the content is not repeated");
        let database = setup.home().path().join(".aweave/db");
        assert!(!database.exists(), "the database is not touched");
    }
    let setup = Setup::new().with_seats();
    write_token(&setup, &format!("  {good}\n\n"), 0o600);
    let server = setup.start().await;
    let reply = server.send(Method::POST, "/session/codes", None, &[(ARBITRATOR, &good)]).await;
    assert_eq!(reply.status, 201, "white space around the token is ignored: {}", reply.text);
}

#[tokio::test]
async fn file_of_another_user_stops_the_start() {
    let setup = Setup::new().with_seats();
    write_token(&setup, &new_secret("awa_"), 0o600);
    let other = rustix::fs::Uid::from_raw(65_534);
    if rustix::fs::chown(token_file(&setup), Some(other), None).is_err() {
        // Only root can give a file away.
        return;
    }
    let (status, error) = setup.start_refused().await;
    assert!(!status.success());
    assert!(error.contains("user 65534 owns it"), "{error}");
}

#[tokio::test]
async fn server_without_a_folder_for_the_token_starts_without_seats() {
    let setup = Setup::new();
    // A file in the place of the folder: nothing can be created below it.
    let blocked = setup.home().path().join("blocked");
    fs::write(&blocked, "").expect("it can be written");
    let file = blocked.join("arbitrator.token").display().to_string();
    let server = setup.env("DEBATE_ARBITRATOR_TOKEN_FILE", &file).start().await;
    assert_no_seats(&server).await;
    let warning = "arbitrator token cannot be created; debates with seats are refused";
    assert!(server.log().contains(warning), "{}", server.log());
}

#[tokio::test]
async fn postgres_without_the_setting_starts_without_seats() {
    let setup = Setup::postgres();
    let server = setup.start().await;
    assert_no_seats(&server).await;
    assert!(!token_file(&setup).exists());
    let warning = "arbitrator token not configured; debates with seats are refused";
    assert!(server.log().contains(warning), "{}", server.log());
    let default = Setup::postgres().env("DEBATE_SEATS", "true").start().await;
    let reply = default.post("/debates", &create_body(&new_id())).await;
    assert_eq!((reply.status, reply.code().as_str()), (422, "SEATS_NOT_CONFIGURED"));
}

#[tokio::test]
async fn arbitrator_token_is_proven_by_its_own_hmac() {
    let server = Server::with_seats().await;
    let nonce = "0123456789abcdef".repeat(4);
    let reply = server.get(&format!("/proof?of=arbitrator&nonce={nonce}")).await.data();
    let (_, port) = server.address().rsplit_once(':').expect("it has a port");
    let key = Sha256::digest(server.arbitrator_token());
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key).expect("any key will do");
    mac.update(format!("aweave-proof-v1 arbitrator {port} {nonce}").as_bytes());
    let digest = mac.finalize().into_bytes();
    let expected = digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    assert_eq!(reply, json!({ "proof": expected, "port": port.parse::<u16>().expect("a port") }));
    let server_proof = server.get(&format!("/proof?of=server&nonce={nonce}")).await.data();
    assert!(server_proof["proof"].is_null(), "the server has no token of its own");
}

#[tokio::test]
async fn login_code_needs_the_arbitrator_token() {
    let server = Server::with_seats().await;
    let token = server.arbitrator_token();
    let seat = new_token();
    for (credentials, status, code) in [
        (vec![], 401, "SEAT_REQUIRED"),
        (vec![(SEAT, seat.as_str())], 401, "SEAT_REQUIRED"),
        (vec![(ARBITRATOR, "garbage")], 403, "SEAT_INVALID"),
        (vec![(ARBITRATOR, &token), (ARBITRATOR, &token)], 403, "SEAT_INVALID"),
    ] {
        let reply = server.send(Method::POST, "/session/codes", None, &credentials).await;
        assert_eq!((reply.status, reply.code().as_str()), (status, code));
        assert_eq!(reply.error()["role"], "arbitrator");
    }
    let own = [(ARBITRATOR, token.as_str())];
    let mint = || server.send(Method::POST, "/session/codes", None, &own);
    let (first, second) = (mint().await, mint().await);
    assert_eq!((first.status, second.status), (201, 201));
    let code = first.data()["code"].as_str().expect("it is text").to_owned();
    assert_eq!(code.len(), 32, "128 bits in hexadecimal digits");
    assert_ne!(first.data()["code"], second.data()["code"]);
    assert_eq!(first.data()["expires_in"], 300);
}

#[tokio::test]
async fn wrong_arbitrator_tokens_are_counted_and_the_right_one_is_accepted_at_any_time() {
    let setup = Setup::new().with_seats().env("DEBATE_WRONG_TOKENS_PER_MINUTE", "3");
    let server = setup.start().await;
    let wrong = new_secret("awa_");
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let credential = [(ARBITRATOR, wrong.as_str())];
        statuses.push(server.send(Method::POST, "/session/codes", None, &credential).await.status);
    }
    assert_eq!(statuses, [403, 403, 403, 429]);
    let token = server.arbitrator_token();
    let reply = server.send(Method::POST, "/session/codes", None, &[(ARBITRATOR, &token)]).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
}
