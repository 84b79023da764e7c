//! Seats on two processes that share a database.

use crate::support::seats::{Action, SEAT, SeatedDebate, new_token};
use crate::support::{Events, Setup};

#[tokio::test]
async fn release_on_one_process_is_effective_on_the_other_at_once() {
    let setup = Setup::postgres().with_seats();
    let (one, other) = (setup.start().await, setup.start().await);
    let here = SeatedDebate::open(&one).await;
    let claim = |key: &'static str, token: String| {
        let (other, id, motion) = (&other, here.id.clone(), here.motion.clone());
        async move {
            let credentials = [(SEAT, token.as_str())];
            Action::OpponentClaim.send(other, &id, &motion, key, &credentials).await
        }
    };
    for round in 0..20 {
        let token = new_token();
        let taken = here.take("opponent", "bob", &[(SEAT, &token)]).await;
        assert_eq!(taken.status, 201, "{}", taken.text);
        // The claim is refused by the rules only after the seat was accepted.
        let key = if round == 0 { "first" } else { "later" };
        let expected = if round == 0 { 201 } else { 403 };
        let reply = claim(key, token.clone()).await;
        assert_eq!(reply.status, expected, "{}", reply.text);
        assert!(round == 0 || reply.code() == "ACTION_NOT_ALLOWED", "{}", reply.text);
        assert_eq!(here.release("opponent", &[(SEAT, &token)]).await.status, 200);
        let refused = claim(key, token).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "SEAT_INVALID"));
    }
}

#[tokio::test]
async fn change_of_a_seat_reaches_the_streams_of_the_other_process() {
    let setup = Setup::postgres().with_seats();
    let (one, other) = (setup.start().await, setup.start().await);
    let debate = SeatedDebate::open(&one).await;
    let mut events = Events::open(&other, &debate.path("/events"), None).await;
    assert_eq!(events.next().await.expect("the motion").name, "argument");
    let taken = debate.take("opponent", "bob", &[(SEAT, &debate.opponent)]).await;
    assert_eq!(taken.status, 201, "{}", taken.text);
    let event = events.next().await.expect("the seat");
    assert_eq!((event.name.as_str(), &event.data["holder"]), ("seat", &"bob".into()));
}
