//! What was acknowledged is on the disk, and what is on the disk is sound.

use std::fs;

use debate_core::arena::{Draft, ListFilter};

use crate::contract::list::{listed, query, totals};
use crate::contract::model::live_through;
use crate::engine::turn;
use crate::sqlite::temp_database::{Folder, asked};
use crate::support::{content, draft};

/// The oldest SQLite that can't corrupt a log under two connections.
const SQLITE_VERSION_LEAST: i32 = 3_051_003;

#[test]
fn built_in_sqlite_has_the_required_version() {
    assert!(rusqlite::version_number() >= SQLITE_VERSION_LEAST, "{}", rusqlite::version());
}

#[tokio::test]
async fn acknowledged_writes_exist_after_a_restart() {
    let folder = Folder::new();
    let on = folder.engine();
    live_through(&on, 7).await;
    let before = listed(&on, query(ListFilter::Any, 500)).await;
    assert!(before.total > 0);
    let mut logs = Vec::new();
    for debate in &before.debates {
        logs.push(on.log(debate.id).await);
    }
    let totals_before = totals(&on).await;
    drop(on);

    let on = folder.engine();
    let after = listed(&on, query(ListFilter::Any, 500)).await;
    assert_eq!(after.debates, before.debates);
    for (debate, log) in after.debates.iter().zip(logs) {
        assert_eq!(on.log(debate.id).await, log);
    }
    assert_eq!(totals(&on).await, totals_before);
}

/// The files as they lie at some moment, without the process that wrote them.
#[tokio::test]
async fn acknowledged_writes_exist_after_a_kill() {
    let (folder, found) = (Folder::new(), Folder::new());
    let on = folder.engine();
    let debate = on.long_debate(20).await;
    let log = on.log(debate).await;
    // A look that lasts keeps the log from being folded in and cut while it is copied.
    let onlooker = folder.onlooker();
    onlooker.execute_batch("begin; select 1 from debates").unwrap();
    for end in ["", "-wal"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
    }
    let survivor = found.engine();
    assert_eq!(survivor.log(debate).await, log);
    survivor.added(debate, 21, turn(21)).await;
    assert_eq!(survivor.log(debate).await.len(), 22);
}

#[tokio::test]
async fn closed_database_has_no_other_files() {
    let folder = Folder::new();
    let on = folder.engine();
    on.long_debate(3).await;
    assert!(folder.beside("-wal").exists());
    drop(on);
    assert!(!folder.beside("-wal").exists());
    assert!(!folder.beside("-shm").exists());
}

/// Some 80 MB go through the log in one go; it begins anew whenever it has been folded in.
#[tokio::test]
async fn wal_stays_short_during_continuous_writes() {
    const LOG_BYTES_MAX: u64 = 40 << 20;
    let folder = Folder::new();
    let on = folder.engine();
    let debate = on.opened(1).await;
    let mut longest = 0;
    for number in 1..=4000 {
        let long = Draft { content: content(&"x".repeat(9_000)), ..draft(number, turn(number)) };
        on.added_as(debate, long, number).await;
        longest = longest.max(fs::metadata(folder.beside("-wal")).unwrap().len());
    }
    assert!(longest < LOG_BYTES_MAX, "{longest}");
    assert_eq!(on.log(debate).await.len(), 4001);
}

#[tokio::test]
async fn file_is_in_wal_mode() {
    let folder = Folder::new();
    let on = folder.engine();
    on.opened(1).await;
    assert_eq!(asked(&folder.onlooker(), "pragma journal_mode"), "wal");
}

#[tokio::test]
async fn integrity_check_passes_after_a_random_history() {
    let folder = Folder::new();
    let on = folder.engine();
    live_through(&on, 11).await;
    assert_sound(&folder);
    drop(on);
    assert_sound(&folder);
}

fn assert_sound(folder: &Folder) {
    let conn = folder.onlooker();
    assert_eq!(asked(&conn, "pragma integrity_check"), "ok");
    let broken = "select cast(count(*) as text) from pragma_foreign_key_check";
    assert_eq!(asked(&conn, broken), "0");
    let astray = "select cast(count(*) as text) from arguments
                  where debate_id not in (select id from debates)";
    assert_eq!(asked(&conn, astray), "0");
    let unsearchable = "select cast((select count(*) from debates)
                                    - (select count(*) from debate_search) as text)";
    assert_eq!(asked(&conn, unsearchable), "0");
    let astray = "select cast(count(*) as text) from debates d left join standings s
                  on s.debate_id = d.id and (s.updated_at, s.state, s.last_seq) =
                      (select coalesce(updated_after, created_at), state_after, seq
                       from arguments where debate_id = d.id order by seq desc limit 1)
                  where s.debate_id is null";
    assert_eq!(asked(&conn, astray), "0");
    let too_many = "select cast((select count(*) from standings)
                                - (select count(*) from debates) as text)";
    assert_eq!(asked(&conn, too_many), "0");
    let below_zero = "select cast(count(*) as text) from debate_counts where debates < 0";
    assert_eq!(asked(&conn, below_zero), "0");
}
