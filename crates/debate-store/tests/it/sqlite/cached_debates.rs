//! What the writer remembers of a debate is never other than what the file says.

use debate_app::arena::ArenaError;
use debate_core::arena::{Draft, State};

use crate::sqlite::temp_database::Folder;
use crate::support::{OPPOSE, PROPOSE, argument_id, draft, motion_id};

#[tokio::test]
async fn change_by_another_program_is_seen_by_the_next_write() {
    let folder = Folder::new();
    let on = folder.engine();
    let debate = on.played(1, &[OPPOSE]).await;
    let closing = "update arguments set state_after = 'CLOSED' where seq = 2;
                   update standings set state = 'CLOSED';";
    folder.stranger().execute_batch(closing).unwrap();
    let outcome = on.tried(debate, draft(1, PROPOSE)).await;
    assert!(matches!(outcome, Err(ArenaError::Refused(_))), "{outcome:?}");
    assert_eq!(on.seen(debate).await.debate.state, State::Closed);
}

#[tokio::test]
async fn argument_deleted_by_another_program_is_not_a_valid_target() {
    let folder = Folder::new();
    let on = folder.engine();
    let (debate, other) = (on.opened(1).await, on.opened(2).await);
    let answering = |target| Draft { target: Some(target), ..draft(1, OPPOSE) };
    on.added_as(debate, answering(motion_id(1)), 1).await;
    let taking = "delete from arguments where debate_id = ?1";
    folder.stranger().execute(taking, [debate.uuid().as_bytes()]).unwrap();
    for target in [motion_id(1), argument_id(1)] {
        let outcome = on.tried(debate, answering(target)).await;
        assert!(matches!(outcome, Err(ArenaError::NoSuchDebate(_))), "{outcome:?}");
        let outcome = on.tried(other, answering(target)).await;
        assert!(matches!(outcome, Err(ArenaError::NoSuchArgument(_))), "{outcome:?}");
    }
}
