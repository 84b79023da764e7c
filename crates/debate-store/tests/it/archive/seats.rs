//! Copies and checks of seats, slugs and authors.

use debate_core::arena::{ArbitratorRights, Move, Side};
use debate_store::{ArchiveError, Item};

use super::{End, copy_to, database, export, item};
use crate::engine::Engine;
use crate::postgres::store_on;
use crate::seating::{OPPONENT, refusal, seated_by, with_rights, with_token};
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{OPPOSE, debate_id, draft};

/// A debate with holders and a ruling, one with an invite and a released seat, and a deleted one.
pub(super) async fn fill(on: &Engine) {
    let debate = on.open_seated(51).await;
    on.play(debate, 5100, OPPOSE).await;
    on.play(debate, 5101, Move::Intervene).await;
    let invited = on.open_debate_as(seated_by(52, None, Some("invite"))).await.debate.id;
    let rights = with_rights(ArbitratorRights::Token);
    on.take_with(invited, Side::Proposer, "token", rights).await.expect("the arbitrator may");
    on.release(invited, Side::Proposer, rights).await.expect("the arbitrator may");
    let deleted = on.open_seated(53).await;
    on.delete_as(deleted, rights).await.expect("the arbitrator may");
}

#[tokio::test]
async fn seats_are_equal_after_a_copy_to_the_other_engine_and_back() {
    let (before, between, after) = (TempDatabase::new(), database(), TempDatabase::new());
    fill(&before.engine()).await;
    let there = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    assert_eq!((there.written.count("seats"), there.written.count("deleted_debates")), (3, 1));
    copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
    assert!(export(&before) == export(&after), "the exports differ");
    let on = store_on(between.url()).await;
    for on in [on, after.engine()] {
        let debate = debate_id(51);
        on.play(debate, 5102, crate::support::RULE).await;
        on.append_as(debate, draft(5103, crate::support::PROPOSE), with_token("garbage"))
            .await
            .expect_err("the seats are copied too");
        let seats = on.store.seats(debate_id(52)).await.unwrap().expect("it has seats");
        assert_eq!(seats.invite, Some(crate::seating::digest("invite")));
        refusal(on.take(debate_id(52), Side::Opponent, OPPONENT).await);
    }
}

#[tokio::test]
async fn digest_covers_seats_slugs_and_authors() {
    let folder = TempDatabase::new();
    fill(&folder.engine()).await;
    let mut digests = vec![End::File(&folder).contents().await.digest];
    for change in [
        "update seats set holder = 'another' where holder = 'codex'",
        "update seats set token = zeroblob(32) where holder = 'another'",
        "update seats set since = since + 1 where holder = 'another'",
        "update debates set seat_changes = 7 where seat_changes = 1",
        "update debates set invite = zeroblob(32) where invite is not null",
        "update arguments set author = 'another' where author = 'codex'",
        "update deleted_debates set slug = 'debate-53-0000'",
        "delete from seats where holder is null",
    ] {
        assert!(folder.writable_connection().execute(change, []).unwrap() > 0, "{change}");
        let digest = End::File(&folder).contents().await.digest;
        assert!(!digests.contains(&digest), "{change}");
        digests.push(digest);
    }
}

#[tokio::test]
async fn check_reports_seats_that_cannot_be() {
    for (change, expected) in [
        ("update debates set seat_changes = null where invite is null", Some(51)),
        ("update debates set seat_fields = null where invite is null", Some(51)),
        ("update debates set slug = 'debate-51-0000' where invite is null", Some(51)),
        ("update seats set token = x'00' where holder = 'codex'", Some(51)),
        ("update seats set debate_id = randomblob(16) where holder = 'codex'", None),
    ] {
        let folder = TempDatabase::new();
        fill(&folder.engine()).await;
        let conn = folder.writable_connection();
        conn.execute_batch("pragma foreign_keys = off").unwrap();
        assert!(conn.execute(change, []).unwrap() > 0, "{change}");
        drop(conn);
        let err = End::File(&folder).checked().await.expect_err(change);
        match expected {
            Some(number) => {
                assert_eq!(item(&err), Some(Item::Debate(debate_id(number))), "{err:?}");
            }
            None => assert!(matches!(err, ArchiveError::Orphan { table: "seats", .. }), "{err:?}"),
        }
    }
}
