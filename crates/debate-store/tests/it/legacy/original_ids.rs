//! Ids that are not UUIDs, and unknown types: migrated, and found by their original ids.

use debate_app::arena::WriteOutcome;
use debate_core::arena::{Argument, DebateType, Draft};
use debate_core::{ArgumentId, DebateId, OriginalId};
use debate_store::{LegacyMigrationEvent, LegacyMigrationSummary, Sqlite, SqliteOptions};

use super::fixture::{Layout, closed_file, id_at, story};
use crate::archive::{End, copy_to, database};
use crate::engine::{Engine, notifier};
use crate::postgres::store_on;
use crate::sqlite::temp_database::{TempDatabase, query_text};
use crate::support::{OPPOSE, content, debate_id, draft, key};

/// Debate 3, its second and its third argument get other ids, and the debate another type.
fn rename() -> String {
    format!(
        "pragma foreign_keys = off;
         update debates set id = 'My debate/1', debate_type = 'architecture' where id = '{0}';
         update arguments set debate_id = 'My debate/1' where debate_id = '{0}';
         update arguments set id = 'arg-2' where id = '{1}';
         update arguments set parent_id = 'arg-2' where parent_id = '{1}';
         update arguments set id = '3' where id = '{2}';
         update debates set debate_type = '' where id = '{3}';",
        debate_id(3),
        id_at(3, 2),
        id_at(3, 3),
        debate_id(4),
    )
}

fn renamed(layout: Layout) -> TempDatabase {
    let folder = closed_file(layout, &story());
    folder.writable_connection().execute_batch(&rename()).expect("the rows are there");
    folder
}

fn original(text: &str) -> OriginalId {
    OriginalId::new(text).expect("it is an id")
}

fn debate() -> DebateId {
    original("My debate/1").to_debate_id()
}

/// Debate 3 of the fixture, as it must be after the migration.
fn log(layout: Layout) -> Vec<Argument> {
    let new_id = |id: ArgumentId| match id {
        id if id == id_at(3, 2) => original("arg-2").to_argument_id(),
        id if id == id_at(3, 3) => original("3").to_argument_id(),
        id => id,
    };
    let mut log = story().get(2).expect("there are seven").expected_arguments(layout);
    for argument in &mut log {
        argument.debate = debate();
        argument.id = new_id(argument.id);
        argument.parent = argument.parent.map(new_id);
    }
    log
}

async fn assert_found(on: &Engine, layout: Layout) {
    assert_eq!(on.arguments(debate()).await, log(layout), "{layout:?}");
    assert_eq!(on.transcript(debate()).await.debate.debate_type, DebateType::General);
    let found =
        on.store.debate_by_original(&original("My debate/1")).await.expect("it can be asked");
    assert_eq!(found, Some(debate()));
    let found = on.store.argument_by_original(&original("arg-2")).await.expect("it can be asked");
    assert_eq!(found, Some(original("arg-2").to_argument_id()));
    // Neither in another case, nor an id of the other kind.
    for unknown in ["my debate/1", "arg-2"] {
        let found = on.store.debate_by_original(&original(unknown)).await.expect("it can be asked");
        assert_eq!(found, None, "{unknown}");
    }
    let found =
        on.store.argument_by_original(&original("My debate/1")).await.expect("it can be asked");
    assert_eq!(found, None);
}

#[tokio::test]
async fn debates_with_original_ids_and_types_are_migrated_and_found_by_them() {
    for layout in Layout::BOTH {
        let folder = renamed(layout);
        let on = folder.engine();
        assert_found(&on, layout).await;
        for old in story().iter().filter(|old| old.number != 3) {
            assert_eq!(
                on.arguments(debate_id(old.number)).await,
                old.expected_arguments(layout),
                "{layout:?}"
            );
        }
        let types = "select group_concat(coalesce(original_type, 'none'), ',') from
             (select original_type from debates order by id)";
        // Derived ids are last, because they begin with other bytes than those of the fixture.
        let found = query_text(&folder.read_only_connection(), types);
        assert_eq!(found.matches("architecture").count(), 1, "{found}");
        assert_eq!(found.matches("none").count(), 5, "{found}");
    }
}

#[tokio::test]
async fn retry_with_an_original_target_gets_the_first_answer() {
    let folder = renamed(Layout::Prisma);
    let on = folder.engine();
    let old = &story()[2].arguments[2];
    let retry = Draft {
        target: on.store.argument_by_original(&original("arg-2")).await.unwrap(),
        content: content(&old.content),
        key: key("appeal"),
        ..draft(9_999, debate_core::arena::Move::Appeal)
    };
    let again = on.try_argument(debate(), retry).await.unwrap();
    assert_eq!(
        (again.outcome, again.argument.id),
        (WriteOutcome::Replayed, original("3").to_argument_id())
    );
}

#[tokio::test]
async fn original_id_of_a_deleted_debate_still_names_it() {
    let folder = renamed(Layout::Express);
    let on = folder.engine();
    on.delete(debate()).await.unwrap();
    let found = on.store.debate_by_original(&original("My debate/1")).await.unwrap();
    assert_eq!(found, Some(debate()));
}

#[tokio::test]
async fn copy_to_another_engine_keeps_original_ids() {
    let (before, between, after) = (renamed(Layout::Prisma), database(), TempDatabase::new());
    drop(before.engine());
    copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    assert_found(&store_on(between.url()).await, Layout::Prisma).await;
    copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
    assert_found(&after.engine(), Layout::Prisma).await;
}

fn migration_summary(folder: &TempDatabase) -> LegacyMigrationSummary {
    let mut summary = None;
    let mut report = |event| {
        if let LegacyMigrationEvent::Finished(finished) = event {
            summary = Some(finished);
        }
    };
    let options = SqliteOptions::at(folder.path());
    drop(Sqlite::open_reporting(&options, notifier(), &mut report).expect("it can be opened"));
    summary.expect("it was carried over")
}

#[test]
fn every_changed_value_is_listed_beside_the_backup() {
    for layout in Layout::BOTH {
        let folder = renamed(layout);
        let summary = migration_summary(&folder);
        let list = std::fs::read_to_string(summary.list.as_ref().unwrap()).unwrap();
        for line in [
            format!("debates row My debate/1: the id becomes {}", debate()),
            "debates row My debate/1: debate_type \"architecture\" is stored as general".to_owned(),
            format!("debates row {}: debate_type \"\" is stored as general", debate_id(4)),
            format!("arguments row arg-2: the id becomes {}", original("arg-2").to_argument_id()),
            format!("arguments row 3: the id becomes {}", original("3").to_argument_id()),
        ] {
            assert!(list.contains(&line), "{line}: {list}");
        }
        assert_eq!((list.lines().count(), summary.changes.len()), (5, 5), "{list}");
        assert_eq!((summary.debates, summary.arguments), (7, 27));
    }
}

#[tokio::test]
async fn migrated_debate_with_an_original_id_continues() {
    for layout in Layout::BOTH {
        let folder = renamed(layout);
        let on = folder.engine();
        on.add_argument(debate(), 9_001, crate::support::PROPOSE).await;
        on.add_argument(debate(), 9_002, OPPOSE).await;
        assert_eq!(on.arguments(debate()).await.len(), 6);
    }
}
