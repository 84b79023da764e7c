//! Databases without slugs get them in their migration, and automatic rulings get their author.

use aw_testbed::Database;
use debate_core::DebateId;
use debate_core::arena::{Argument, Move, slug_candidates};

use crate::contract::slugs::colliding_openings;
use crate::earlier_versions::{CURRENT, file_back_to, server_back_to};
use crate::engine::Engine;
use crate::postgres::store_on;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{CLOSE, OPPOSE, debate_id, open};

/// The debates of an earlier version.
struct Earlier {
    resolved: DebateId,
    log: Vec<Argument>,
    /// Two debates with the same first slug, the smaller id first.
    colliding: [DebateId; 2],
}

/// A resolved debate, one that the arbitrator closed, and two with the same first slug.
async fn fill(on: &Engine) -> Earlier {
    let resolved = on.play_moves(100, &[OPPOSE, Move::Resolve]).await;
    on.play_moves(101, &[Move::Intervene, CLOSE]).await;
    let mut openings = colliding_openings(2);
    openings.sort_by_key(|opening| opening.debate);
    let ids: Vec<_> = openings.iter().map(|opening| opening.debate).collect();
    let colliding = ids.try_into().expect("there are two");
    // The larger id is opened first and has the shorter slug.
    for opening in openings.into_iter().rev() {
        on.store.open(open(opening, 3)).await.expect("the id is free");
    }
    Earlier { resolved, log: on.arguments(resolved).await, colliding }
}

async fn slug(on: &Engine, debate: DebateId) -> String {
    on.transcript(debate).await.debate.slug
}

async fn assert_migrated(on: &Engine, earlier: &Earlier) {
    let Earlier { resolved, log, colliding } = earlier;
    assert_eq!(&on.arguments(*resolved).await, log, "the automatic ruling is by the server");
    let by_hand = on.arguments(debate_id(101)).await;
    assert!(by_hand.iter().all(|argument| argument.by.is_none()), "{by_hand:?}");
    let title = on.transcript(*resolved).await.debate.title;
    assert_eq!(slug(on, *resolved).await, slug_candidates(&title, *resolved).remove(0));
    // In the order of the ids, whatever the order of creation.
    let [first, second] = [slug(on, colliding[0]).await, slug(on, colliding[1]).await];
    assert_eq!(first, slug_candidates("On the plan", colliding[0]).remove(0));
    assert!(second.starts_with(&first) && second.len() > first.len(), "{first} {second}");
    let found = on.store.debate_by_slug(&second).await.expect("it can be asked");
    assert_eq!(found, Some(colliding[1]));
}

#[tokio::test]
async fn debates_of_files_of_all_earlier_versions_get_slugs_and_authors() {
    for version in 2..CURRENT {
        let folder = TempDatabase::new();
        let on = folder.engine();
        let earlier = fill(&on).await;
        drop(on);
        file_back_to(&folder, version);
        assert_migrated(&folder.engine(), &earlier).await;
    }
}

#[tokio::test]
async fn debates_of_servers_of_all_earlier_versions_get_slugs_and_authors() {
    for version in 2..CURRENT {
        let database = Database::fresh().expect("PostgreSQL can be started");
        let on = store_on(database.url()).await;
        let earlier = fill(&on).await;
        drop(on);
        server_back_to(&database, version);
        assert_migrated(&store_on(database.url()).await, &earlier).await;
    }
}

/// More debates than one batch of the migration, with one title: some first slugs are equal.
const MANY: u32 = 2500;

const DISTINCT: &str = "select count(distinct slug) || '' from debates where slug is not null";

#[tokio::test]
async fn many_debates_of_a_file_get_different_slugs() {
    let folder = TempDatabase::new();
    drop(folder.engine());
    file_back_to(&folder, CURRENT - 1);
    let insert = format!(
        "with recursive numbers (number) as
             (select 1 union all select number + 1 from numbers where number < {MANY})
         insert into debates (id, title, debate_type, created_at)
         select randomblob(16), 'On the plan', 'general_debate', 0 from numbers;
         insert into debates (id, title, debate_type, created_at)
         values (x'01', 'Damaged', 'general_debate', 0)"
    );
    folder.writable_connection().execute_batch(&insert).expect("the rows fit");
    drop(folder.engine());
    let conn = folder.read_only_connection();
    let slugs: String = conn.query_row(DISTINCT, [], |row| row.get(0)).expect("it can be read");
    assert_eq!(slugs, MANY.to_string(), "a debate whose id is not a UUID gets none");
}

#[tokio::test]
async fn many_debates_of_a_server_get_different_slugs() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    drop(store_on(database.url()).await);
    server_back_to(&database, CURRENT - 1);
    let insert = format!(
        "insert into debates (id, title, debate_type, state, last_seq, created_at, updated_at)
         select gen_random_uuid(), 'On the plan', 'general_debate', 'CLOSED', 1, 0, 0
         from generate_series(1, {MANY})"
    );
    database.sql(&[&insert]).expect("the rows fit");
    drop(store_on(database.url()).await);
    let slugs = database.sql(&[DISTINCT]).expect("it can be read");
    assert_eq!(slugs.trim(), MANY.to_string());
}
