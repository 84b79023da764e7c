//! Sources and destinations that a copy refuses; the destination stays empty.

use debate_core::DebateId;
use debate_store::{ArchiveError, ConnectError, Item, OpenError, Postgres, Sqlite};

use super::history::{file_with, long_debate};
use super::{End, copy_to, database};
use crate::earlier_versions::CURRENT;
use crate::legacy::fixture::{Layout, closed_file, story};
use crate::sqlite::temp_database::{TempDatabase, mode};
use crate::support::debate_id;

/// A file with debates 1 to 3 and one change.
fn damaged(damage: &str) -> TempDatabase {
    let folder = file_with((1..=3).map(|number| long_debate(number, 250)));
    let conn = folder.writable_connection();
    conn.execute_batch("pragma foreign_keys = off").expect("it is a setting");
    let second = format!("x'{}'", debate_id(2).uuid().simple());
    let changed = conn.execute(&damage.replace("SECOND", &second), []);
    assert!(changed.expect("the tables are there") > 0, "{damage}");
    folder
}

fn named(err: &ArchiveError) -> Option<DebateId> {
    match super::item(err) {
        Some(Item::Debate(debate)) => Some(debate),
        Some(Item::Run(_) | Item::Table(_)) | None => None,
    }
}

#[tokio::test]
async fn copy_names_the_debate_that_does_not_replay() {
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
        let folder = damaged(damage);
        let err = copy_to(&End::File(&folder), &End::Server(&between)).await.unwrap_err();
        assert_eq!(named(&err), Some(debate_id(2)), "{damage}: {err:?}");
        assert!(End::Server(&between).is_empty().await, "{damage}");
    }
}

#[tokio::test]
async fn copy_of_a_nul_character_fails_on_postgresql_only() {
    for damage in [
        // Neither argument has a request, so neither has a fingerprint.
        "update arguments set content = 'a' || char(0), client_request_id = null,
             fingerprint = null where debate_id = SECOND and seq = 249",
        "update arguments set content = 'a' || char(0), client_request_id = null,
             fingerprint = null where debate_id = SECOND and seq = 1",
    ] {
        let folder = damaged(damage);
        let between = database();
        let err = copy_to(&End::File(&folder), &End::Server(&between)).await.unwrap_err();
        assert!(
            matches!(&err, ArchiveError::Nul(item) if *item == Item::Debate(debate_id(2))),
            "{err:?}"
        );
        assert!(End::Server(&between).is_empty().await);
        copy_to(&End::File(&folder), &End::File(&TempDatabase::new())).await.unwrap();
    }
}

#[tokio::test]
async fn destination_with_debates_is_not_changed() {
    let before = file_with([long_debate(1, 3)]);
    let occupied = file_with([long_debate(2, 2)]);
    let bytes = occupied.bytes();
    let err = Sqlite::destination(&occupied.path()).err();
    assert!(matches!(err, Some(OpenError::NotEmpty(_))), "{err:?}");
    assert!(occupied.bytes() == bytes);

    let server = database();
    copy_to(&End::File(&occupied), &End::Server(&server)).await.unwrap();
    let digest = End::Server(&server).contents().await.digest;
    let err = copy_to(&End::File(&before), &End::Server(&server)).await.unwrap_err();
    assert!(matches!(err, ArchiveError::NotEmpty("debates")), "{err:?}");
    assert_eq!(End::Server(&server).contents().await.digest, digest);
}

#[tokio::test]
async fn copy_of_an_older_schema_version_requires_a_migration() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let bytes = folder.bytes();
        let err = Sqlite::source(&folder.path()).err().expect("it is old");
        assert!(matches!(err, OpenError::Older { found: 1, .. }), "{err:?}");
        assert!(err.to_string().contains("aw db migrate --db-path"), "{err}");
        let err = Sqlite::destination(&folder.path()).err().expect("it is not empty");
        assert!(matches!(err, OpenError::NotEmpty(_)), "{err:?}");
        assert!(folder.bytes() == bytes);
        let migrated = Sqlite::migrate(&folder.path()).unwrap();
        assert_eq!((migrated.from, migrated.to), (Some(1), CURRENT));
        End::File(&folder).contents().await;
    }
    let err = Postgres::source(database().url()).await.err().expect("there is nothing");
    assert!(matches!(err, ConnectError::Older { found: 0, .. }), "{err:?}");
}

#[tokio::test]
async fn destination_file_is_private_and_has_no_log() {
    let folder = TempDatabase::new();
    let before = file_with([long_debate(1, 3)]);
    copy_to(&End::File(&before), &End::File(&folder)).await.unwrap();
    assert_eq!(mode(&folder.path()), 0o600);
    assert!(!folder.beside("-wal").exists());
}
