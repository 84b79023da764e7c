//! The database file: its location, permissions and lock.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Debate, Setup};

#[tokio::test]
async fn database_is_created_at_the_configured_path_with_private_permissions() {
    let setup =
        Setup::sqlite().env("DEBATE_DB_DIR", "~/elsewhere").env("DEBATE_DB_NAME", "d.sqlite");
    let server = setup.start().await;
    Debate::open(&server).await;
    let folder = setup.home().path().join("elsewhere");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).expect("it is there") {
        let path = entry.expect("it can be read").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert!(folder.join("d.sqlite").exists());

    let setup = Setup::sqlite();
    let path = setup.home().path().join("by-url.db");
    let url = format!("file:{}", path.display());
    let by_url = setup.env("DEBATE_DATABASE_URL", &url);
    by_url.start().await;
    assert!(path.exists());
    let both = Setup::sqlite().env("DEBATE_DATABASE_URL", &url).env("DEBATE_DB_PATH", "/tmp/x.db");
    let (_, output) = both.start_refused().await;
    assert!(output.contains("DEBATE_DB_PATH and DEBATE_DATABASE_URL both"), "{output}");
}

#[tokio::test]
async fn database_at_the_old_default_path_is_mentioned() {
    let setup = Setup::sqlite();
    let old = setup.home().path().join(".aweave/debate.db");
    std::fs::create_dir(setup.home().path().join(".aweave")).expect("the folder is ours");
    std::fs::write(&old, "").expect("the folder is ours");
    let server = setup.start().await;
    let hint = format!("aw serve --db-path {}", old.display());
    assert!(server.first_screen.contains(&hint), "{}", server.first_screen);
}

#[tokio::test]
async fn database_in_use_is_reported_with_its_path() {
    let first = Setup::sqlite();
    let server = first.start().await;
    let (status, output) = first.start_refused().await;
    assert!(!status.success() && output.contains("in use by another aw process"), "{output}");
    assert_eq!(output.lines().count(), 1, "{output}");
    assert_eq!(server.get("/health").await.status, 200, "the first goes on");
}

#[tokio::test]
async fn database_is_locked_through_every_name_of_its_file() {
    let setup = Setup::sqlite();
    let (real, link) = (setup.home().path().join("real.db"), setup.home().path().join("link.db"));
    let first = Setup::sqlite().env("DEBATE_DB_PATH", &real.display().to_string());
    let server = first.start().await;
    std::os::unix::fs::symlink(&real, &link).expect("the folder is ours");
    let second = Setup::sqlite().env("DEBATE_DB_PATH", &link.display().to_string());
    let (status, output) = second.start_refused().await;
    assert!(!status.success() && output.contains("in use by another aw process"), "{output}");
    assert_eq!(server.get("/health").await.status, 200);
}

fn files_in(folder: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.map(|path| (path.clone(), std::fs::read(&path).expect("it can be read"))).collect()
}

#[tokio::test]
async fn status_copy_and_backup_do_not_change_the_file_or_its_directory() {
    let setup = Setup::sqlite();
    let folder = setup.home().path().join(".aweave/db");
    for killed in [false, true] {
        let mut server = setup.start().await;
        Debate::open(&server).await;
        if killed {
            server.kill().await;
        } else {
            server.terminate();
            server.wait_for_exit().await;
        }
        let mut before = files_in(&folder);
        let to = |name| setup.home().path().join(format!("{name}-{killed}")).display().to_string();
        setup.db(&["status"]).await.expect("it can be read");
        setup.db(&["copy", "--to", &to("copy")]).await.expect("it can be read");
        setup.db(&["backup", "--to", &to("backup")]).await.expect("it can be read");
        let mut after = files_in(&folder);
        // The first reader rebuilds the shared-memory index from the log.
        before.retain(|path, _| !path.to_string_lossy().ends_with("-shm"));
        after.retain(|path, _| !killed || !path.to_string_lossy().ends_with("-shm"));
        assert!(before == after, "{:?} {:?}", before.keys(), after.keys());
    }
}

#[tokio::test]
async fn shutdown_checkpoints_the_write_ahead_log() {
    let setup = Setup::sqlite();
    let mut server = setup.start().await;
    Debate::open(&server).await;
    server.terminate();
    assert!(server.wait_for_exit().await.success());
    let files: Vec<_> = std::fs::read_dir(setup.home().path().join(".aweave/db"))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name())
        .collect();
    assert!(files.iter().all(|name| !name.to_string_lossy().ends_with("-wal")), "{files:?}");
}
