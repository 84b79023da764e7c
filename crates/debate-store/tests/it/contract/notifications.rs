//! A write is announced after its commit, and nothing else is announced.

use debate_app::Notification;
use debate_app::StreamPosition;
use debate_app::arena::{ArgumentSelection, WriteOutcome};
use debate_core::Seq;
use debate_core::arena::{Draft, Move, NewDebate};

use crate::engine::{Engine, has_changed, in_time, nowhere, turn};
use crate::support::{
    CLOSE, OPPOSE, PROPOSE, RULE, argument_id, content, debate_id, draft, key, motion_id, open,
    opening, title,
};

pub(crate) async fn every_write_notifies_subscribers_of_its_debate(on: &Engine) {
    let mut subscription = on.listen(debate_id(1));
    let debate = on.opened(1).await;
    assert!(has_changed(&mut subscription), "opening");
    let moves = [OPPOSE, PROPOSE, OPPOSE, Move::Intervene, RULE, Move::Appeal, RULE, Move::Resolve];
    for (number, mv) in (1..).zip(moves) {
        on.added(debate, number, mv).await;
        assert!(has_changed(&mut subscription), "{mv:?}");
    }
    on.delete(debate).await.expect("it exists");
    assert!(has_changed(&mut subscription), "deleting");

    let closed_by_hand = on.played(2, &[Move::Intervene]).await;
    let mut subscription = on.listen(closed_by_hand);
    on.added(closed_by_hand, 20, CLOSE).await;
    assert!(has_changed(&mut subscription), "closing");
}

pub(crate) async fn write_notifies_no_subscriber_of_another_debate(on: &Engine) {
    let elsewhere = on.opened(2).await;
    let mut subscription = on.listen(elsewhere);
    let debate = on.long_debate(2).await;
    on.delete(debate).await.expect("it exists");
    assert!(!has_changed(&mut subscription));
}

pub(crate) async fn retry_notifies_no_subscriber(on: &Engine) {
    let debate = on.played(1, &[OPPOSE, Move::Resolve]).await;
    let mut subscription = on.listen(debate);
    let again = on.store.open(open(opening(1), 50)).await.expect("a retry");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
    for (number, mv) in [(100, OPPOSE), (101, Move::Resolve)] {
        let again = on.tried(debate, draft(number, mv)).await.expect("a retry");
        assert_eq!(again.outcome, WriteOutcome::Replayed);
    }
    assert!(!has_changed(&mut subscription));
}

pub(crate) async fn refused_write_notifies_no_subscriber(on: &Engine) {
    let debate = on.opened(1).await;
    on.opened(2).await;
    let mut subscription = on.listen(debate);
    let mut bell_nowhere = on.listen(nowhere());
    let refused = [
        draft(1, PROPOSE),
        Draft { key: key("open"), ..draft(2, OPPOSE) },
        Draft { target: Some(argument_id(404)), ..draft(3, OPPOSE) },
        Draft { target: Some(motion_id(2)), ..draft(4, OPPOSE) },
    ];
    for draft in refused {
        on.tried(debate, draft).await.expect_err("it is wrong");
    }
    let openings = [
        NewDebate { key: key("another"), ..opening(1) },
        NewDebate { title: title("Another"), ..opening(1) },
    ];
    for opening in openings {
        on.store.open(open(opening, 50)).await.expect_err("the id is taken");
    }
    on.tried(nowhere(), draft(5, OPPOSE)).await.expect_err("there is no such debate");
    on.delete(nowhere()).await.expect_err("there is no such debate");
    assert!(!has_changed(&mut subscription));
    assert!(!has_changed(&mut bell_nowhere));
}

/// Whoever is woken finds what was announced: the ring comes after the commit.
pub(crate) async fn notified_subscriber_reads_the_new_argument(on: &Engine) {
    let debate = on.opened(1).await;
    let last = Seq::new(101);
    let writing = async {
        for number in 1..=100 {
            on.added(debate, number, turn(number)).await;
        }
    };
    let waiting = async {
        let mut subscription = on.listen(debate);
        let mut seen = Seq::FIRST;
        while seen < last {
            let news = on
                .store
                .newer_than(debate, StreamPosition::Seq(seen), ArgumentSelection::Newest(500))
                .await
                .expect("it exists");
            match news.newer.last() {
                Some(newest) => seen = newest.seq,
                None => assert_eq!(subscription.changed().await, Notification::Changed),
            }
        }
    };
    in_time(async { tokio::join!(waiting, writing) }).await;
}

/// By the time a write is acknowledged its waiters have been told: whoever has the answer may
/// rely on it.
pub(crate) async fn notification_is_sent_before_the_answer(on: &Engine) {
    let debate = on.opened(1).await;
    let mut subscription = on.listen(debate);
    for number in 1..=20 {
        let said = Draft { content: content("now"), ..draft(number, turn(number)) };
        on.added_as(debate, said, number).await;
        assert!(has_changed(&mut subscription), "{number}");
    }
}
