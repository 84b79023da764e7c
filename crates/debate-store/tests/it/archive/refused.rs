//! What is not copied, and leaves the destination as empty as it was.

use debate_app::arena::{ArchiveError, Source};
use debate_app::moving::MoveError;
use debate_core::DebateId;
use debate_store::{ConnectError, OpenError, Postgres, Sqlite};

use super::history::{file_with, long_debate};
use super::{End, copied, database};
use crate::legacy::fixture::{Layout, left_behind, story};
use crate::sqlite::file::{Folder, mode};
use crate::support::debate_id;

/// Debates 1 to 3, and what somebody did to the file.
async fn damaged(damage: &str) -> Folder {
    let folder = file_with((1..=3).map(|number| long_debate(number, 250))).await;
    let conn = folder.stranger();
    conn.execute_batch("pragma foreign_keys = off").expect("it is a setting");
    let second = format!("x'{}'", debate_id(2).uuid().simple());
    let changed = conn.execute(&damage.replace("SECOND", &second), []);
    assert!(changed.expect("the tables are there") > 0, "{damage}");
    folder
}

fn named(err: &MoveError) -> Option<DebateId> {
    let MoveError::Arena(err) = err else { return None };
    match err {
        ArchiveError::Unfit { debate, .. }
        | ArchiveError::NoSuchDebate(debate)
        | ArchiveError::Unreadable { debate, .. }
        | ArchiveError::Nul(debate) => Some(*debate),
        ArchiveError::NotEmpty
        | ArchiveError::Different { .. }
        | ArchiveError::Stale(_)
        | ArchiveError::Store(_) => None,
    }
}

#[tokio::test]
async fn a_log_that_does_not_fold_is_refused_by_its_debates_name() {
    let between = database();
    for damage in [
        "delete from arguments where debate_id = SECOND and seq = 7",
        "delete from arguments where debate_id = SECOND and seq = 1",
        "delete from arguments where debate_id = SECOND and seq = 250",
        "delete from arguments where debate_id = SECOND",
        "delete from debates where id = SECOND",
        "update standings set state = 'CLOSED' where debate_id = SECOND",
        "update standings set last_seq = 251 where debate_id = SECOND",
        "update standings set updated_at = updated_at + 1 where debate_id = SECOND",
        "delete from standings where debate_id = SECOND",
        "update debates set title = 'Another' where id = SECOND",
        "update arguments set state_after = 'CLOSED' where debate_id = SECOND and seq = 250",
        "update arguments set kind = 'APPEAL' where debate_id = SECOND and seq = 3",
        "update arguments set role = 'arbitrator' where debate_id = SECOND and seq = 3",
        "update arguments set kind = 'SHOUT' where debate_id = SECOND and seq = 3",
        "update arguments set content = 'other' where debate_id = SECOND and seq = 3",
        "update arguments set fingerprint = null where debate_id = SECOND and seq = 3",
        "update arguments set fingerprint = x'00' where debate_id = SECOND and seq = 3",
        "update arguments set content = cast(x'ff' as text) where debate_id = SECOND and seq = 3",
        "update debates set title = cast(x'c3' as text) where id = SECOND",
    ] {
        let folder = damaged(damage).await;
        let err = copied(&End::File(&folder), &End::Server(&between)).await.unwrap_err();
        assert_eq!(named(&err), Some(debate_id(2)), "{damage}: {err:?}");
        assert!(End::Server(&between).is_empty().await, "{damage}");
    }
}

#[tokio::test]
async fn a_nul_is_refused_by_postgresql_and_kept_by_sqlite() {
    for damage in [
        // Neither has a request of its own, so neither has a fingerprint.
        "update arguments set content = 'a' || char(0), client_request_id = null,
             fingerprint = null where debate_id = SECOND and seq = 249",
        "update arguments set content = 'a' || char(0), client_request_id = null,
             fingerprint = null where debate_id = SECOND and seq = 1",
    ] {
        let folder = damaged(damage).await;
        let between = database();
        let err = copied(&End::File(&folder), &End::Server(&between)).await.unwrap_err();
        assert!(
            matches!(&err, MoveError::Arena(ArchiveError::Nul(debate)) if *debate == debate_id(2)),
            "{err:?}"
        );
        assert!(End::Server(&between).is_empty().await);
        copied(&End::File(&folder), &End::File(&Folder::new())).await.unwrap();
    }
}

#[tokio::test]
async fn a_destination_that_holds_debates_is_left_as_it_is() {
    let before = file_with([long_debate(1, 3)]).await;
    let occupied = file_with([long_debate(2, 2)]).await;
    let bytes = occupied.bytes();
    let err = Sqlite::fill(&occupied.path()).err();
    assert!(matches!(err, Some(OpenError::NotEmpty(_))), "{err:?}");
    assert!(occupied.bytes() == bytes);

    let server = database();
    copied(&End::File(&occupied), &End::Server(&server)).await.unwrap();
    let digest = End::Server(&server).account().await.digest();
    let err = copied(&End::File(&before), &End::Server(&server)).await.unwrap_err();
    assert!(matches!(err, MoveError::Arena(ArchiveError::NotEmpty)), "{err:?}");
    assert_eq!(End::Server(&server).account().await.digest(), digest);
}

#[tokio::test]
async fn an_older_layout_is_told_to_be_migrated_first() {
    for layout in Layout::BOTH {
        let folder = left_behind(layout, &story());
        let bytes = folder.bytes();
        let err = Sqlite::read(&folder.path()).err().expect("it is old");
        assert!(matches!(err, OpenError::Older { found: 1, .. }), "{err:?}");
        assert!(err.to_string().contains("aw db migrate --db-path"), "{err}");
        let err = Sqlite::fill(&folder.path()).err().expect("it is not empty");
        assert!(matches!(err, OpenError::NotEmpty(_)), "{err:?}");
        assert!(folder.bytes() == bytes);
        let migrated = Sqlite::migrate(&folder.path()).unwrap();
        assert_eq!((migrated.from, migrated.to), (Some(1), 6));
        Sqlite::read(&folder.path()).unwrap().debates(None).await.unwrap();
    }
    let err = Postgres::read(database().url()).await.err().expect("there is nothing");
    assert!(matches!(err, ConnectError::Older { found: 0, .. }), "{err:?}");
}

#[tokio::test]
async fn a_file_that_was_filled_is_private_and_not_left_in_a_log() {
    let folder = file_with([long_debate(1, 3)]).await;
    assert_eq!(mode(&folder.path()), 0o600);
    assert!(!folder.beside("-wal").exists());
}
