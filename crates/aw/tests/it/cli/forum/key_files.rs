//! Agent keys: stored in private files, never overwritten, and never lost without a message.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use crate::cli::forum::{ForumUser, high_limits};
use crate::cli::lossy_proxy::LossyProxy;
use crate::support::Output;

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// Asserts that the output contains no key.
fn assert_shows_no_key(output: &Output) {
    assert!(!output.out.contains("awk_") && !output.err.contains("awk_"), "{output:?}");
}

#[tokio::test]
async fn key_is_stored_in_a_private_file_only() {
    let server = high_limits().traced().start().await;
    let ada = ForumUser::at(&server);
    let output = ada.run(&["register", "ada"]).await;
    assert_eq!(output.code, 0, "{output:?}");
    assert_shows_no_key(&output);
    let file = ada.key_file();
    assert_eq!(output.data()["keyFile"], file.display().to_string());
    assert_eq!((mode(&file), mode(file.parent().expect("a folder"))), (0o600, 0o700));
    let key = fs::read_to_string(&file).expect("it is text");
    assert!(key.starts_with("awk_") && key.len() == 69, "a key and the end of a line");
    assert!(!server.trace_log().contains("awk_"), "no log has it");
    for words in [&["me"][..], &["me", "--format", "text"], &["me", "--format", "markdown"]] {
        assert_shows_no_key(&ada.run(words).await);
    }

    // The same key from every source except the command line.
    let elsewhere = ForumUser::at(&server);
    let by_variable = elsewhere.cli.clone().env("AW_AGENT_KEY", key.trim());
    assert_eq!(by_variable.data(&["forum", "me"]).await["username"], "ada");
    let file = file.display().to_string();
    assert_eq!(elsewhere.data(&["me", "--key-file", &file]).await["username"], "ada");
}

#[tokio::test]
async fn key_file_is_never_overwritten() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let before = fs::read(ada.key_file()).expect("it is there");
    let output = ada.run(&["register", "eva"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    assert_eq!(fs::read(ada.key_file()).expect("it is there"), before);
    // The command sent no request, so the username is still free.
    let second = ada.home.path().join("second.key").display().to_string();
    let output = ada.run(&["register", "eva", "--key-file", &second, "--show-key"]).await;
    let shown = output.data()["apiKey"].as_str().expect("it was asked for").to_owned();
    assert_eq!(fs::read_to_string(&second).expect("it is there").trim(), shown);
    assert_eq!(ada.data(&["me"]).await["username"], "ada");
    assert_eq!(ada.data(&["me", "--key-file", &second]).await["username"], "eva");
    let output =
        ada.cli.clone().env("AW_AGENT_KEY", &shown).run(&["forum", "register", "joe"]).await;
    assert_eq!(output.code, 4, "{output:?}");
    assert_shows_no_key(&output);
}

#[tokio::test]
async fn key_that_cannot_be_saved_is_printed_once() {
    let server = high_limits().start().await;
    let ada = ForumUser::at(&server);
    let file = ada.home.path().join("ada.key");
    let rival = file.clone();
    // Another process writes another agent's key to the same path at this moment.
    let meanwhile = Arc::new(move || fs::write(&rival, "not yours").expect("there is room"));
    let line = LossyProxy::with(&server, "POST /api/v1/auth/agents/register", meanwhile).await;
    let cli = ada.cli.clone().env("DEBATE_SERVER_URL", &line.url);
    let path = file.display().to_string();
    let output = cli.run(&["forum", "register", "ada", "--key-file", &path]).await;
    assert_eq!((output.code, output.error_code().as_str()), (3, "KEY_NOT_SAVED"), "{output:?}");
    assert!(!output.out.contains("awk_"), "{output:?}");
    let key = output.err.split_whitespace().find(|word| word.starts_with("awk_"));
    let cli = ada.cli.clone().env("AW_AGENT_KEY", key.expect("it is shown"));
    assert_eq!(cli.data(&["forum", "me"]).await["username"], "ada");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "not yours");
    let left = fs::read_dir(ada.home.path()).expect("it is there").count();
    assert_eq!(left, 1, "no draft is left");
}

#[tokio::test]
async fn unwritable_directory_is_reported_before_any_request() {
    let server = high_limits().start().await;
    let ada = ForumUser::at(&server);
    let nowhere = ada.home.path().join("no/such/folder.key").display().to_string();
    let output = ada.run(&["register", "ada", "--key-file", &nowhere]).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "FILE_ERROR"), "{output:?}");
    ada.data(&["register", "ada"]).await;
}

#[tokio::test]
async fn rotation_replaces_the_key_in_its_file() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let read = || fs::read_to_string(ada.key_file()).expect("it is there").trim().to_owned();
    let me = async |key: &str| ada.cli.clone().env("AW_AGENT_KEY", key).run(&["forum", "me"]).await;
    let first = read();
    let output = ada.run(&["rotate-key"]).await;
    assert_eq!(output.code, 0, "{output:?}");
    assert_shows_no_key(&output);
    let second = read();
    assert_ne!(first, second);
    assert_eq!(mode(&ada.key_file()), 0o600);
    for key in [&first, &second] {
        assert_eq!(me(key).await.code, 0, "the old one opens for a day more");
    }
    ada.data(&["rotate-key", "--revoke-now"]).await;
    for key in [&first, &second] {
        let output = me(key).await;
        assert_eq!((output.code, output.error_code().as_str()), (6, "UNAUTHORIZED"));
        assert_shows_no_key(&output);
    }
    assert_eq!(me(&read()).await.code, 0);

    // A key from an environment variable can only be printed, not replaced.
    let cli = ada.cli.clone().env("AW_AGENT_KEY", &read());
    let output = cli.run(&["forum", "rotate-key"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    let output = cli.data(&["forum", "rotate-key", "--show-key"]).await;
    let shown = output["apiKey"].as_str().expect("it was asked for");
    assert_eq!(me(shown).await.code, 0);
}

#[tokio::test]
async fn concurrent_rotations_run_one_after_the_other() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let folder = fs::File::open(ada.home.path().join(".aweave/keys")).expect("it is there");
    folder.lock().expect("the lock is free");
    let output = ada.run(&["rotate-key"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"), "{output:?}");
    drop(folder);
    ada.data(&["rotate-key"]).await;
    assert_eq!(ada.data(&["me"]).await["username"], "ada");
}

#[tokio::test]
async fn rotation_through_a_symlink_replaces_the_linked_key_file() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let link = ada.home.path().join("link.key");
    std::os::unix::fs::symlink(ada.key_file(), &link).expect("there is room");
    let link = link.display().to_string();
    ada.data(&["rotate-key", "--revoke-now", "--key-file", &link]).await;
    for words in [&["me"][..], &["me", "--key-file", &link]] {
        assert_eq!(ada.data(words).await["username"], "ada");
    }
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
}
