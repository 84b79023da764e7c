//! Parallel writes: one is accepted per turn, a key is written once, and no position is skipped.

use std::collections::{HashMap, HashSet};

use debate_app::arena::{ArenaError, WriteOutcome, WrittenArgument};
use debate_core::Seq;
use debate_core::arena::{Draft, Move, NewDebate, State, next};
use futures_util::future::join_all;

use crate::contract::list::totals;
use crate::engine::{Engine, seqs_up_to};
use crate::support::{
    Dice, OPPOSE, PROPOSE, RULE, append, argument_id, closing_id, debate_id, draft, key, motion_id,
    open, opening,
};

fn count_arguments(outcome: WriteOutcome, outcomes: &[WrittenArgument]) -> usize {
    outcomes.iter().filter(|written| written.outcome == outcome).count()
}

pub(crate) async fn parallel_requests_with_one_key_are_written_once(on: &Engine) {
    let debate = on.open_debate(1).await;
    let twins = (0..32).map(|number| {
        let twin = Draft { id: argument_id(100 + number), ..draft(1, OPPOSE) };
        on.store.append(append(debate, twin, number))
    });
    let outcomes: Vec<WrittenArgument> =
        join_all(twins).await.into_iter().collect::<Result<_, _>>().expect("each gets an answer");
    assert_eq!(
        (
            count_arguments(WriteOutcome::Fresh, &outcomes),
            count_arguments(WriteOutcome::Replayed, &outcomes)
        ),
        (1, 31)
    );
    let kept = on.arguments(debate).await;
    assert_eq!(kept.len(), 2);
    assert!(outcomes.iter().all(|written| Some(&written.argument) == kept.last()));
    assert!(outcomes.iter().all(|written| written.debate.state == State::AwaitingProposer));
}

pub(crate) async fn parallel_opens_with_one_key_are_written_once(on: &Engine) {
    let twins = (0..32).map(|number| {
        let twin = NewDebate { motion_id: motion_id(100 + number), ..opening(1) };
        on.store.open(open(twin, number))
    });
    let outcomes: Vec<WrittenArgument> =
        join_all(twins).await.into_iter().collect::<Result<_, _>>().expect("each gets an answer");
    assert_eq!(
        (
            count_arguments(WriteOutcome::Fresh, &outcomes),
            count_arguments(WriteOutcome::Replayed, &outcomes)
        ),
        (1, 31)
    );
    let motion = on.transcript(debate_id(1)).await.motion;
    assert!(outcomes.iter().all(|written| written.argument == motion));
    assert_eq!(totals(on).await.any, 1);
}

pub(crate) async fn parallel_resolutions_add_one_ruling(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 1, OPPOSE).await;
    let twins = (0..16).map(|number| {
        let (id, closing_id) = (argument_id(100 + number), closing_id(100 + number));
        on.try_argument(debate, Draft { id, closing_id, ..draft(2, Move::Resolve) })
    });
    let outcomes: Vec<WrittenArgument> =
        join_all(twins).await.into_iter().collect::<Result<_, _>>().expect("each gets an answer");
    assert_eq!(count_arguments(WriteOutcome::Fresh, &outcomes), 1);
    assert!(outcomes.iter().all(|written| written.debate.state == State::Closed));
    assert_eq!(on.arguments(debate).await.len(), 4);
}

pub(crate) async fn one_of_several_parallel_claims_is_accepted(on: &Engine) {
    let debate = on.open_debate(1).await;
    let rivals = (100..132).map(|number| on.try_argument(debate, draft(number, OPPOSE)));
    let outcomes = join_all(rivals).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for outcome in outcomes {
        assert!(
            match &outcome {
                Ok(written) => written.argument.seq == Seq::new(2),
                Err(ArenaError::Refused(refusal)) => refusal.state == State::AwaitingProposer,
                Err(_) => false,
            },
            "{outcome:?}"
        );
    }
    assert_eq!(on.arguments(debate).await.len(), 2);
}

pub(crate) async fn parallel_writes_to_many_debates_all_succeed(on: &Engine) {
    let opened = join_all((1..=32).map(|number| on.store.open(open(opening(number), number))));
    assert!(opened.await.into_iter().all(|outcome| outcome.is_ok()));
    for round in 0..4 {
        let answers = (1..=32).map(|number| {
            let draft = draft(100 * number + round, crate::engine::turn(round + 1));
            on.try_argument(debate_id(number), draft)
        });
        assert!(join_all(answers).await.into_iter().all(|outcome| outcome.is_ok()));
    }
    for number in 1..=32 {
        assert_eq!(on.arguments(debate_id(number)).await.len(), 5);
    }
    assert_eq!(totals(on).await.any, 32);
}

const WRITERS: u32 = 64;
const TRIES: u32 = 12;

/// The answers that a writer received, by key.
struct WriterLog {
    mv: Move,
    outcome: Result<WrittenArgument, ArenaError>,
}

/// Sends random requests. Writers `2n` and `2n + 1` send the same ones, as two
/// deliveries of one client.
async fn hammer(on: &Engine, writer: u32) -> Vec<(String, WriterLog)> {
    let mut dice = Dice::new(u64::from(writer / 2));
    let mut heard = Vec::new();
    for round in 0..TRIES {
        let mv = dice.one_of(&[OPPOSE, PROPOSE, OPPOSE, PROPOSE, Move::Intervene, RULE]);
        let name = format!("{}-{round}", writer / 2);
        let own = 1000 + writer * TRIES + round;
        let draft = Draft { key: key(&name), target: Some(motion_id(1)), ..draft(own, mv) };
        // Both deliveries have the same content.
        let draft = Draft { content: crate::support::content(&name), ..draft };
        heard.push((name, WriterLog { mv, outcome: on.try_argument(debate_id(1), draft).await }));
    }
    heard
}

pub(crate) async fn sequence_has_no_gaps_after_64_parallel_writers(on: &Engine) {
    let debate = on.open_debate(1).await;
    let heard = join_all((0..WRITERS).map(|writer| hammer(on, writer))).await;

    let log = on.arguments(debate).await;
    let last = u32::try_from(log.len()).expect("it is short");
    assert_eq!(log.iter().map(|argument| argument.seq).collect::<Vec<_>>(), seqs_up_to(last));
    let mut state = State::AwaitingOpponent;
    for argument in log.iter().skip(1) {
        let mv = Move::ALL
            .into_iter()
            .find(|&mv| next(state, mv) == Ok(argument.state_after) && argument.kind == mv.into())
            .expect("every argument follows from the one before");
        assert_eq!(argument.role, mv.role());
        state = argument.state_after;
    }
    assert_eq!(on.transcript(debate).await.debate.state, state);

    let keys: HashSet<_> = log.iter().map(|argument| argument.request_key.clone()).collect();
    assert_eq!(keys.len(), log.len(), "one write per key");
    let mut fresh: HashMap<String, u32> = HashMap::new();
    for (name, WriterLog { mv, outcome }) in heard.into_iter().flatten() {
        match outcome {
            Ok(written) => {
                assert_eq!(written.argument.request_key.as_ref(), Some(&name));
                assert!(log.contains(&written.argument));
                *fresh.entry(name).or_default() +=
                    u32::from(written.outcome == WriteOutcome::Fresh);
            }
            Err(ArenaError::Refused(refusal)) => {
                assert_eq!(refusal.mv, mv);
                assert!(next(refusal.state, mv).is_err(), "{refusal:?} names a state that allows");
            }
            Err(err) => panic!("{name}: {err:?}"),
        }
    }
    assert!(fresh.values().all(|&count| count == 1), "one fresh answer per key");
    assert_eq!(fresh.len() + 1, log.len(), "the motion and one argument per key that was taken");
}
