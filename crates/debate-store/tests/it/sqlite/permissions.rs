//! Permissions: database files are private to their user.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use debate_store::SqliteOptions;
use rustix::fs::Mode;

use crate::sqlite::temp_database::{TempDatabase, engine_at, mode};

/// Each test is a process of its own under nextest, so the umask affects this test only. In one
/// process, a umask of 0 does other tests no harm.
fn forget_the_mask() {
    rustix::process::umask(Mode::empty());
}

#[tokio::test]
async fn every_file_is_private_with_any_umask() {
    forget_the_mask();
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.open_debate(1).await;
    for end in ["", "-wal", "-shm", ".lock", ".mark"] {
        assert_eq!(mode(&folder.beside(end)), 0o600, "debate.db{end}");
    }
}

#[tokio::test]
async fn created_directories_are_private_with_any_umask() {
    forget_the_mask();
    let parent = tempfile::tempdir().unwrap();
    let (outer, inner) = (parent.path().join("aweave"), parent.path().join("aweave/db"));
    let on = engine_at(&SqliteOptions::at(inner.join("debate.db")));
    on.open_debate(1).await;
    assert_eq!((mode(&outer), mode(&inner)), (0o700, 0o700));
}

#[tokio::test]
async fn readable_file_becomes_private() {
    forget_the_mask();
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.open_debate(1).await;
    drop(on);
    fs::set_permissions(folder.path(), Permissions::from_mode(0o666)).unwrap();

    let on = folder.engine();
    on.open_debate(2).await;
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&folder.beside(end)), 0o600, "debate.db{end}");
    }
}

/// A server that was killed leaves its newest arguments in the log beside the file.
#[tokio::test]
async fn readable_wal_becomes_private() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    let on = folder.engine();
    on.open_long_debate(3).await;
    let onlooker = folder.read_only_connection();
    onlooker.execute_batch("begin; select 1 from debates").unwrap();
    for end in ["", "-wal", "-shm"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
        fs::set_permissions(found.beside(end), Permissions::from_mode(0o644)).unwrap();
    }

    let on = found.engine();
    on.open_debate(2).await;
    for end in ["", "-wal", "-shm"] {
        assert_eq!(mode(&found.beside(end)), 0o600, "debate.db{end}");
    }
}
