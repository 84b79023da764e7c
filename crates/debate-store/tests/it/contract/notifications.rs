//! Subscribers are notified after a commit and never otherwise.

use debate_app::Notification;
use debate_app::StreamPosition;
use debate_app::arena::{ArgumentSelection, WriteOutcome};
use debate_core::Seq;
use debate_core::arena::{Draft, Move, NewDebate};

use crate::engine::{Engine, has_changed, missing_debate, turn, with_deadline};
use crate::support::{
    CLOSE, OPPOSE, PROPOSE, RULE, argument_id, content, debate_id, draft, key, motion_id, open,
    opening, title,
};

pub(crate) async fn every_write_notifies_subscribers_of_its_debate(on: &Engine) {
    let mut subscription = on.subscribe(debate_id(1));
    let debate = on.open_debate(1).await;
    assert!(has_changed(&mut subscription), "opening");
    let moves = [OPPOSE, PROPOSE, OPPOSE, Move::Intervene, RULE, Move::Appeal, RULE, Move::Resolve];
    for (number, mv) in (1..).zip(moves) {
        on.add_argument(debate, number, mv).await;
        assert!(has_changed(&mut subscription), "{mv:?}");
    }
    on.delete(debate).await.expect("it exists");
    assert!(has_changed(&mut subscription), "deleting");

    let closed_by_hand = on.play_moves(2, &[Move::Intervene]).await;
    let mut subscription = on.subscribe(closed_by_hand);
    on.add_argument(closed_by_hand, 20, CLOSE).await;
    assert!(has_changed(&mut subscription), "closing");
}

pub(crate) async fn write_notifies_no_subscriber_of_another_debate(on: &Engine) {
    let elsewhere = on.open_debate(2).await;
    let mut subscription = on.subscribe(elsewhere);
    let debate = on.open_long_debate(2).await;
    on.delete(debate).await.expect("it exists");
    assert!(!has_changed(&mut subscription));
}

pub(crate) async fn retry_notifies_no_subscriber(on: &Engine) {
    let debate = on.play_moves(1, &[OPPOSE, Move::Resolve]).await;
    let mut subscription = on.subscribe(debate);
    let again = on.store.open(open(opening(1), 50)).await.expect("a retry");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
    for (number, mv) in [(100, OPPOSE), (101, Move::Resolve)] {
        let again = on.try_argument(debate, draft(number, mv)).await.expect("a retry");
        assert_eq!(again.outcome, WriteOutcome::Replayed);
    }
    assert!(!has_changed(&mut subscription));
}

pub(crate) async fn refused_write_notifies_no_subscriber(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.open_debate(2).await;
    let mut subscription = on.subscribe(debate);
    let mut bell_nowhere = on.subscribe(missing_debate());
    let refused = [
        draft(1, PROPOSE),
        Draft { key: key("open"), ..draft(2, OPPOSE) },
        Draft { target: Some(argument_id(404)), ..draft(3, OPPOSE) },
        Draft { target: Some(motion_id(2)), ..draft(4, OPPOSE) },
    ];
    for draft in refused {
        on.try_argument(debate, draft).await.expect_err("it is wrong");
    }
    let openings = [
        NewDebate { key: key("another"), ..opening(1) },
        NewDebate { title: title("Another"), ..opening(1) },
    ];
    for opening in openings {
        on.store.open(open(opening, 50)).await.expect_err("the id is taken");
    }
    on.try_argument(missing_debate(), draft(5, OPPOSE)).await.expect_err("there is no such debate");
    on.delete(missing_debate()).await.expect_err("there is no such debate");
    assert!(!has_changed(&mut subscription));
    assert!(!has_changed(&mut bell_nowhere));
}

/// A notified subscriber finds the new argument: the notification follows the commit.
pub(crate) async fn notified_subscriber_reads_the_new_argument(on: &Engine) {
    let debate = on.open_debate(1).await;
    let last = Seq::new(101);
    let writing = async {
        for number in 1..=100 {
            on.add_argument(debate, number, turn(number)).await;
        }
    };
    let waiting = async {
        let mut subscription = on.subscribe(debate);
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
    with_deadline(async { tokio::join!(waiting, writing) }).await;
}

/// Subscribers are notified before the answer, so a client with an answer may rely on it.
pub(crate) async fn notification_is_sent_before_the_answer(on: &Engine) {
    let debate = on.open_debate(1).await;
    let mut subscription = on.subscribe(debate);
    for number in 1..=20 {
        let said = Draft { content: content("now"), ..draft(number, turn(number)) };
        on.add_draft(debate, said, number).await;
        assert!(has_changed(&mut subscription), "{number}");
    }
}
