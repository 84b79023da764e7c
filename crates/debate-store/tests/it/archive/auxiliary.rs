//! Copies of original ids and types, deleted ids and revoked sessions.

use debate_store::ArchiveError;

use super::{End, copy_to, database, export};
use crate::sqlite::temp_database::TempDatabase;

pub(super) const ROWS: &str = "
    insert into original_ids values
        ('debate', 'my-debate', x'00000000000000000000000000000001'),
        ('argument', 'my-debate', x'00000000000000000000000000000002'),
        ('argument', 'Z', x'00000000000000000000000000000003'),
        ('argument', 'a', x'00000000000000000000000000000004'),
        ('argument', 'ä', x'00000000000000000000000000000005');
    insert into deleted_debates values
        (x'00000000000000000000000000000006', 17, 'on-the-plan-0123'),
        (x'00000000000000000000000000000007', 17, null);
    insert into revoked_sessions values (x'0102', 18);
    insert into login_codes values (x'0304', 19);
    update debates set original_type = 'architecture';";

async fn filled() -> TempDatabase {
    let folder = TempDatabase::new();
    folder.engine().open_debate(1).await;
    folder.writable_connection().execute_batch(ROWS).expect("the rows fit");
    folder
}

#[tokio::test]
async fn auxiliary_rows_are_the_same_after_a_copy_to_each_engine_and_back() {
    let (before, between, after) = (filled().await, database(), TempDatabase::new());
    let there = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    let rows = ["original_ids", "deleted_debates", "revoked_sessions"];
    assert_eq!(rows.map(|table| there.written.count(table)), [5, 2, 1]);
    copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
    assert!(export(&before) == export(&after), "the exports differ");
}

#[tokio::test]
async fn digest_covers_every_auxiliary_table_and_the_original_type() {
    let folder = filled().await;
    let mut digests = vec![End::File(&folder).contents().await.digest];
    for change in [
        "update debates set original_type = 'architectures'",
        "update debates set original_type = null",
        "update original_ids set original = 'b' where original = 'a'",
        "update deleted_debates set deleted_at = 18",
        "update deleted_debates set slug = 'on-the-plan-0124' where slug is not null",
        "update deleted_debates set slug = null",
        "delete from revoked_sessions",
    ] {
        folder.writable_connection().execute_batch(change).unwrap();
        let digest = End::File(&folder).contents().await.digest;
        assert!(!digests.contains(&digest), "{change}");
        digests.push(digest);
    }
}

#[tokio::test]
async fn copy_is_refused_if_an_auxiliary_table_of_the_destination_has_rows() {
    let (before, after) = (filled().await, TempDatabase::new());
    drop(after.open().unwrap());
    after
        .writable_connection()
        .execute_batch("insert into revoked_sessions values (x'03', 1)")
        .unwrap();
    let refusal = copy_to(&End::File(&before), &End::File(&after)).await.unwrap_err();
    assert!(matches!(refusal, ArchiveError::NotEmpty("revoked_sessions")), "{refusal:?}");
}
