//! Durability: acknowledged writes are on the disk, and the file is intact.

use std::fs;

use debate_core::arena::{Draft, ListFilter};

use crate::contract::list::{listed, query, totals};
use crate::contract::model::live_through;
use crate::engine::turn;
use crate::sqlite::temp_database::{TempDatabase, query_text};
use crate::support::{content, draft};

/// The oldest SQLite that cannot corrupt a log under two connections.
const SQLITE_VERSION_LEAST: i32 = 3_051_003;

#[test]
fn built_in_sqlite_has_the_required_version() {
    assert!(rusqlite::version_number() >= SQLITE_VERSION_LEAST, "{}", rusqlite::version());
}

#[tokio::test]
async fn acknowledged_writes_exist_after_a_restart() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    live_through(&on, 7).await;
    let before = listed(&on, query(ListFilter::Any, 500)).await;
    assert!(before.total > 0);
    let mut logs = Vec::new();
    for debate in &before.debates {
        logs.push(on.arguments(debate.id).await);
    }
    let totals_before = totals(&on).await;
    drop(on);

    let on = folder.engine();
    let after = listed(&on, query(ListFilter::Any, 500)).await;
    assert_eq!(after.debates, before.debates);
    for (debate, log) in after.debates.iter().zip(logs) {
        assert_eq!(on.arguments(debate.id).await, log);
    }
    assert_eq!(totals(&on).await, totals_before);
}

/// A copy of the files at one moment, as after a kill.
#[tokio::test]
async fn acknowledged_writes_exist_after_a_kill() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    let on = folder.engine();
    let debate = on.open_long_debate(20).await;
    let log = on.arguments(debate).await;
    // An open read transaction prevents a checkpoint during the copy.
    let onlooker = folder.read_only_connection();
    onlooker.execute_batch("begin; select 1 from debates").unwrap();
    for end in ["", "-wal"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
    }
    let survivor = found.engine();
    assert_eq!(survivor.arguments(debate).await, log);
    survivor.add_argument(debate, 21, turn(21)).await;
    assert_eq!(survivor.arguments(debate).await.len(), 22);
}

#[tokio::test]
async fn closed_database_has_no_other_files() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.open_long_debate(3).await;
    assert!(folder.beside("-wal").exists());
    drop(on);
    assert!(!folder.beside("-wal").exists());
    assert!(!folder.beside("-shm").exists());
}

/// About 80 MB are written to the log, which restarts after each checkpoint.
#[tokio::test]
async fn wal_stays_short_during_continuous_writes() {
    const LOG_BYTES_MAX: u64 = 40 << 20;
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_debate(1).await;
    let mut longest = 0;
    for number in 1..=4000 {
        let long = Draft { content: content(&"x".repeat(9_000)), ..draft(number, turn(number)) };
        on.add_draft(debate, long, number).await;
        longest = longest.max(fs::metadata(folder.beside("-wal")).unwrap().len());
    }
    assert!(longest < LOG_BYTES_MAX, "{longest}");
    assert_eq!(on.arguments(debate).await.len(), 4001);
}

#[tokio::test]
async fn file_is_in_wal_mode() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.open_debate(1).await;
    assert_eq!(query_text(&folder.read_only_connection(), "pragma journal_mode"), "wal");
}

#[tokio::test]
async fn integrity_check_passes_after_a_random_history() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    live_through(&on, 11).await;
    assert_sound(&folder);
    drop(on);
    assert_sound(&folder);
}

fn assert_sound(folder: &TempDatabase) {
    let conn = folder.read_only_connection();
    assert_eq!(query_text(&conn, "pragma integrity_check"), "ok");
    let broken = "select cast(count(*) as text) from pragma_foreign_key_check";
    assert_eq!(query_text(&conn, broken), "0");
    let astray = "select cast(count(*) as text) from arguments
                  where debate_id not in (select id from debates)";
    assert_eq!(query_text(&conn, astray), "0");
    let unsearchable = "select cast((select count(*) from debates)
                                    - (select count(*) from debate_search) as text)";
    assert_eq!(query_text(&conn, unsearchable), "0");
    let astray = "select cast(count(*) as text) from debates d left join standings s
                  on s.debate_id = d.id and (s.updated_at, s.state, s.last_seq) =
                      (select coalesce(updated_after, created_at), state_after, seq
                       from arguments where debate_id = d.id order by seq desc limit 1)
                  where s.debate_id is null";
    assert_eq!(query_text(&conn, astray), "0");
    let too_many = "select cast((select count(*) from standings)
                                - (select count(*) from debates) as text)";
    assert_eq!(query_text(&conn, too_many), "0");
    let below_zero = "select cast(count(*) as text) from debate_counts where debates < 0";
    assert_eq!(query_text(&conn, below_zero), "0");
}
