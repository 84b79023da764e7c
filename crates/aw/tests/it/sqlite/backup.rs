//! `aw db backup`: a copy of a file while its server writes to it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::support::{Debate, Server, Setup, argument_id, until};

/// Enough load for checkpoints of the write-ahead log during the copy.
const WRITERS: usize = 8;
const ACKNOWLEDGED_FIRST: usize = 200;

/// Both roles answer each other until `stop`; every acknowledged write is recorded.
async fn write_until_stopped(
    server: &Server,
    acknowledged: &Mutex<Vec<(String, String)>>,
    stop: &AtomicBool,
) {
    let debate = Debate::open(server).await;
    let mut newest = debate.motion.clone();
    for number in 0_u32.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let role = if number % 2 == 0 { "opponent" } else { "proposer" };
        let reply = debate.claim(role, &newest, &format!("k-{number}")).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        newest = argument_id(&reply);
        acknowledged
            .lock()
            .expect("no thread panics while it holds the lock")
            .push((debate.id.clone(), newest.clone()));
    }
}

/// The ids of all arguments. Asserts that the log of every debate has no gap.
async fn read_argument_ids(server: &Server) -> Vec<String> {
    let mut ids = Vec::new();
    for debate in list(&server.get("/debates?limit=100").await.data()["debates"]) {
        let read = server.get(&format!("/debates/{}", text(&debate["id"]))).await.data();
        assert_eq!(read["motion"]["seq"], 1);
        for (place, argument) in (2..).zip(list(&read["arguments"])) {
            assert_eq!(argument["seq"], place);
            ids.push(text(&argument["id"]).to_owned());
        }
    }
    ids
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("it is a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("it is a text")
}

#[tokio::test]
async fn backup_under_load_contains_every_write_acknowledged_before_it() {
    let setup = Setup::sqlite();
    let server = setup.start().await;
    let (acknowledged, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let to = setup.home().path().join("backup.db").display().to_string();
    let writers = (0..WRITERS).map(|_| write_until_stopped(&server, &acknowledged, &stop));
    let backup = async {
        let count = || async { acknowledged.lock().unwrap().len() };
        until("much is written", || async { count().await >= ACKNOWLEDGED_FIRST }).await;
        let before = acknowledged.lock().unwrap().clone();
        let output = setup.db(&["backup", "--to", &to]).await;
        let during = count().await;
        until("it goes on", || async { count().await > during }).await;
        stop.store(true, Ordering::Relaxed);
        (before, output.expect("it is made"))
    };
    let (_, (before, output)) = tokio::join!(futures_util::future::join_all(writers), backup);
    assert!(output.contains("the replay of every debate and run"), "{output}");

    let restored = Setup::sqlite().env("DEBATE_DB_PATH", &to).start().await;
    let kept = read_argument_ids(&restored).await;
    for (debate, argument) in before {
        assert!(kept.contains(&argument), "{argument} of {debate} is not in the backup");
    }
    Debate::open(&restored).await;
}

#[tokio::test]
async fn backup_is_private_and_never_overwrites_a_file() {
    let setup = Setup::sqlite();
    let server = setup.start().await;
    Debate::open(&server).await;
    let to = setup.home().path().join("backup.db");
    // The part file of an aborted backup does not prevent a new one.
    std::fs::write(setup.home().path().join("backup.db.part"), "half").expect("it is ours");
    let path = to.display().to_string();
    setup.db(&["backup", "--to", &path]).await.expect("it is made");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode();
    assert_eq!(mode(&to) & 0o777, 0o600);
    let beside: Vec<_> = std::fs::read_dir(setup.home().path())
        .expect("it is ours")
        .map(|entry| entry.expect("it can be read").file_name().into_string().unwrap())
        .filter(|name| name.starts_with("backup.db"))
        .collect();
    assert_eq!(beside, ["backup.db"]);

    let bytes = std::fs::read(&to).expect("it is there");
    let output = setup.db(&["backup", "--to", &path]).await.expect_err("it exists");
    assert!(output.contains("already exists and was not changed"), "{output}");
    assert!(std::fs::read(&to).expect("it is there") == bytes);
}

#[tokio::test]
async fn damaged_file_is_not_backed_up() {
    let setup = Setup::sqlite();
    let server = setup.start().await;
    let debate = Debate::open(&server).await;
    debate.advance_to("CLOSED").await;
    let conn = rusqlite::Connection::open(setup.home().database_name()).expect("it is there");
    conn.execute_batch("update standings set state = 'AWAITING_OPPONENT'")
        .expect("it can be written");
    let to = setup.home().path().join("backup.db").display().to_string();
    let output = setup.db(&["backup", "--to", &to]).await.expect_err("it does not fold");
    assert!(output.contains("the backup was discarded") && output.contains(&debate.id), "{output}");
    assert!(!Path::new(&to).exists() && !Path::new(&format!("{to}.part")).exists());
}

#[tokio::test]
async fn backup_of_postgresql_is_refused_with_a_hint_to_pg_dump() {
    let url = "postgres://me@127.0.0.1:1/debates";
    let output = Setup::sqlite().db(&["backup", "--to", "x.dump", "--database-url", url]).await;
    let output = output.expect_err("it is no file");
    let command = "pg_dump --format=custom --file=x.dump \"$DEBATE_DATABASE_URL\"";
    assert!(output.contains(command) && output.contains("127.0.0.1:1/debates"), "{output}");
}

/// Creates a part file from a target and a path.
type MakePart = fn(&Path, &Path);

#[tokio::test]
async fn backup_does_not_touch_a_part_file_that_is_not_a_plain_file() {
    let setup = Setup::sqlite();
    let server = setup.start().await;
    Debate::open(&server).await;
    let home = setup.home().path();
    let (to, part, target) =
        (home.join("backup.db"), home.join("backup.db.part"), home.join("precious"));
    std::fs::write(&target, "precious").expect("it is ours");
    let ways: [(&str, MakePart); 4] = [
        ("symbolic link", |target, part| std::os::unix::fs::symlink(target, part).unwrap()),
        ("hard link", |target, part| std::fs::hard_link(target, part).unwrap()),
        ("folder", |_, part| std::fs::create_dir(part).unwrap()),
        ("pipe", |_, part| {
            let made = std::process::Command::new("mkfifo").arg(part).status();
            assert!(made.expect("mkfifo runs").success());
        }),
    ];
    for (what, make) in ways {
        make(&target, &part);
        let output = setup.db(&["backup", "--to", &to.display().to_string()]).await;
        let output = output.expect_err("the part file is foreign");
        assert!(
            output.contains("backup.db.part") && output.contains("not changed"),
            "{what}: {output}"
        );
        assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "precious", "{what}");
        assert!(std::fs::symlink_metadata(&part).is_ok(), "{what} was removed");
        assert!(!to.exists(), "{what}");
        let removed = if part.is_dir() { std::fs::remove_dir } else { std::fs::remove_file };
        removed(&part).expect("it is ours");
    }
    setup.db(&["backup", "--to", &to.display().to_string()]).await.expect("the name is free");
}

#[tokio::test]
async fn backup_refuses_a_dangling_link_as_its_destination() {
    let setup = Setup::sqlite();
    let server = setup.start().await;
    Debate::open(&server).await;
    let to = setup.home().path().join("backup.db");
    std::os::unix::fs::symlink("nowhere", &to).expect("the folder is ours");
    let output = setup.db(&["backup", "--to", &to.display().to_string()]).await;
    let output = output.expect_err("the name is taken");
    assert!(output.contains("already exists and was not changed"), "{output}");
    assert!(std::fs::symlink_metadata(&to).expect("it is there").is_symlink());
}
