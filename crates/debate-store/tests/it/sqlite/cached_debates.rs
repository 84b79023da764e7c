//! The writer's cache of debates never differs from the file.

use debate_app::arena::ArenaError;
use debate_core::arena::{Draft, Role, SeatRefusal, State};

use crate::seating::{OPPONENT, PROPOSER, refusal, with_token};
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{OPPOSE, PROPOSE, argument_id, draft, motion_id};

#[tokio::test]
async fn change_by_another_program_is_seen_by_the_next_write() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    let closing = "update arguments set state_after = 'CLOSED' where seq = 2;
                   update standings set state = 'CLOSED';";
    folder.writable_connection().execute_batch(closing).unwrap();
    let outcome = on.try_argument(debate, draft(1, PROPOSE)).await;
    assert!(matches!(outcome, Err(ArenaError::Refused(_))), "{outcome:?}");
    assert_eq!(on.transcript(debate).await.debate.state, State::Closed);
}

#[tokio::test]
async fn argument_deleted_by_another_program_is_not_a_valid_target() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let (debate, other) = (on.open_debate(1).await, on.open_debate(2).await);
    let answering = |target| Draft { target: Some(target), ..draft(1, OPPOSE) };
    on.add_draft(debate, answering(motion_id(1)), 1).await;
    let taking = "delete from arguments where debate_id = ?1";
    folder.writable_connection().execute(taking, [debate.uuid().as_bytes()]).unwrap();
    for target in [motion_id(1), argument_id(1)] {
        let outcome = on.try_argument(debate, answering(target)).await;
        assert!(matches!(outcome, Err(ArenaError::UnknownDebate(_))), "{outcome:?}");
        let outcome = on.try_argument(other, answering(target)).await;
        assert!(matches!(outcome, Err(ArenaError::UnknownArgument(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn seat_released_by_another_program_is_invalid_for_the_next_write() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_seated(1).await;
    on.play(debate, 1, OPPOSE).await;
    let release = "update seats set holder = null, token = null, since = null
                   where side = 'proposer'";
    folder.writable_connection().execute_batch(release).unwrap();
    let refused = refusal(on.append_as(debate, draft(2, PROPOSE), with_token(PROPOSER)).await);
    assert_eq!(refused, SeatRefusal::Invalid { role: Role::Proposer, holder: None });
}

#[tokio::test]
async fn cached_debate_has_its_seats_after_a_restart() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_seated(1).await;
    on.play(debate, 1, OPPOSE).await;
    let seats = on.store.seats(debate).await.unwrap();
    drop(on);
    let on = folder.engine();
    assert_eq!(on.store.seats(debate).await.unwrap(), seats);
    refusal(on.append_as(debate, draft(2, PROPOSE), with_token(OPPONENT)).await);
    on.play(debate, 3, PROPOSE).await;
}
