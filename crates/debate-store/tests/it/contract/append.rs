//! Adding an argument: the saved fields, the refusals, and the order of the checks.

use debate_app::arena::{ArenaError, WriteOutcome};
use debate_core::arena::{
    AUTO_RULING_CONTENT, ArgumentType, Draft, Move, Refusal, Role, State, allowed_moves, next,
};
use debate_core::{ArgumentId, DebateId, Seq};

use crate::engine::{Engine, missing_debate, seqs_up_to};
use crate::support::{
    CLOSE, OPPOSE, PROPOSE, RULE, append, argument_id, closing_id, content, draft, instant, key,
    motion_id,
};

/// Moves that lead to each state, from a debate that has only its motion.
pub(crate) const WAYS: [(State, &[Move]); 5] = [
    (State::AwaitingOpponent, &[]),
    (State::AwaitingProposer, &[OPPOSE]),
    (State::AwaitingArbitrator, &[OPPOSE, Move::Appeal]),
    (State::InterventionPending, &[Move::Intervene]),
    (State::Closed, &[OPPOSE, Move::Resolve]),
];

fn answering(number: u32, mv: Move, target: ArgumentId) -> Draft {
    Draft { target: Some(target), ..draft(number, mv) }
}

async fn expect_refused(on: &Engine, debate: DebateId, draft: Draft, state: State) {
    let mv = draft.mv;
    let outcome = on.try_argument(debate, draft).await;
    assert!(
        matches!(&outcome, Err(ArenaError::Refused(refusal)) if *refusal == Refusal { state, mv }),
        "{mv:?} in {state}: {outcome:?}"
    );
}

pub(crate) async fn append_saves_every_field_of_an_argument(on: &Engine) {
    let debate = on.open_debate(1).await;
    let silence = Draft { content: content(""), ..draft(4, Move::Intervene) };
    let drafts = [
        (answering(1, OPPOSE, motion_id(1)), "CLAIM", "opponent", "AWAITING_PROPOSER"),
        (answering(2, PROPOSE, argument_id(1)), "CLAIM", "proposer", "AWAITING_OPPONENT"),
        (answering(3, OPPOSE, argument_id(1)), "CLAIM", "opponent", "AWAITING_PROPOSER"),
        (silence, "INTERVENTION", "arbitrator", "INTERVENTION_PENDING"),
        (draft(5, RULE), "RULING", "arbitrator", "AWAITING_PROPOSER"),
        (answering(6, Move::Appeal, motion_id(1)), "APPEAL", "proposer", "AWAITING_ARBITRATOR"),
        (draft(7, CLOSE), "RULING", "arbitrator", "CLOSED"),
    ];
    let mut log = on.arguments(debate).await;
    for (second, (draft, kind, role, state)) in (1..).zip(drafts) {
        let (id, target, said) = (draft.id, draft.target, draft.content.as_str().to_owned());
        let written = on.add_draft(debate, draft, second).await;
        let argument = &written.argument;
        assert_eq!((argument.id, argument.debate, argument.parent), (id, debate, target));
        assert_eq!((argument.kind.name(), argument.role.name()), (kind, role));
        assert_eq!(argument.content, said);
        assert_eq!(argument.request_key, Some(format!("key-{second}")));
        assert_eq!((argument.seq, argument.created_at), (Seq::new(second + 1), instant(second)));
        assert_eq!(argument.state_after.name(), state);
        assert_eq!(written.debate.state.name(), state);
        assert_eq!(written.debate.updated_at, instant(second));
        assert_eq!(written.debate.created_at, instant(0));
        assert_eq!(on.transcript(debate).await.debate, written.debate);
        log.push(written.argument);
    }
    assert_eq!(on.arguments(debate).await, log);
}

pub(crate) async fn resolution_is_written_together_with_its_automatic_ruling(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 1, OPPOSE).await;
    let written = on.add_draft(debate, answering(2, Move::Resolve, argument_id(1)), 9).await;
    assert_eq!(written.argument.kind, ArgumentType::Resolution);
    assert_eq!(written.argument.state_after, State::AwaitingArbitrator);
    assert_eq!(written.debate.state, State::Closed);

    let log = on.arguments(debate).await;
    let kept: Vec<Seq> = log.iter().map(|argument| argument.seq).collect();
    assert_eq!(kept, seqs_up_to(4));
    let ruling = log.last().expect("the ruling is the last");
    assert_eq!((ruling.id, ruling.parent), (closing_id(2), None));
    assert_eq!((ruling.kind, ruling.role), (ArgumentType::Ruling, Role::Arbitrator));
    assert_eq!((ruling.request_key.as_deref(), ruling.state_after), (None, State::Closed));
    assert_eq!((ruling.content.as_str(), ruling.created_at), (AUTO_RULING_CONTENT, instant(9)));
    assert_eq!(on.transcript(debate).await.debate, written.debate);
}

pub(crate) async fn resolution_waits_for_the_arbitrator_without_automatic_ruling(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.add_argument(debate, 1, OPPOSE).await;
    let mut append = append(debate, draft(2, Move::Resolve), 9);
    append.auto_ruling = false;
    let written = on.store.append(append).await.expect("the proposer is awaited");
    assert_eq!(written.debate.state, State::AwaitingArbitrator);
    assert_eq!(on.arguments(debate).await.len(), 3);
    let ruled = on.add_argument(debate, 3, CLOSE).await;
    assert_eq!((ruled.argument.seq, ruled.debate.state), (Seq::new(4), State::Closed));
}

pub(crate) async fn append_follows_the_rules_in_every_state(on: &Engine) {
    let mut number = 10_000;
    for (index, (state, way)) in (1..).zip(WAYS) {
        for (step, mv) in (0..).zip(Move::ALL) {
            let debate = on.play_moves(10 * index + step, way).await;
            number += 1;
            match next(state, mv) {
                Ok(reached) => {
                    let written = on.add_argument(debate, number, mv).await;
                    assert_eq!(written.argument.state_after, reached, "{mv:?} in {state}");
                }
                Err(_) => expect_refused(on, debate, draft(number, mv), state).await,
            }
        }
    }
}

pub(crate) async fn refused_append_writes_nothing_and_leaves_its_key_unused(on: &Engine) {
    let debate = on.open_debate(1).await;
    let before = on.transcript(debate).await.debate;
    let early = draft(5, PROPOSE);
    expect_refused(on, debate, early.clone(), State::AwaitingOpponent).await;
    assert_eq!(on.transcript(debate).await.debate, before);
    assert_eq!(on.arguments(debate).await.len(), 1);

    on.add_argument(debate, 1, OPPOSE).await;
    let now = on.try_argument(debate, early).await.expect("now it is the proposer's turn");
    assert_eq!((now.outcome, now.argument.seq), (WriteOutcome::Fresh, Seq::new(3)));
}

pub(crate) async fn closed_debate_refuses_every_argument(on: &Engine) {
    let debate = on.play_moves(1, &[OPPOSE, Move::Resolve]).await;
    let log = on.arguments(debate).await;
    for (number, mv) in (50..).zip(Move::ALL) {
        expect_refused(on, debate, draft(number, mv), State::Closed).await;
    }
    assert_eq!(on.arguments(debate).await, log);
}

/// A request with every error is refused because the debate does not exist.
pub(crate) async fn missing_debate_is_reported_before_other_errors(on: &Engine) {
    on.open_debate(1).await;
    let wrong = Draft { key: key("open"), ..answering(5, PROPOSE, argument_id(404)) };
    let outcome = on.try_argument(missing_debate(), wrong).await;
    assert!(
        matches!(outcome, Err(ArenaError::UnknownDebate(id)) if id == missing_debate()),
        "{outcome:?}"
    );
}

pub(crate) async fn reused_key_is_reported_before_a_wrong_target(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.open_debate(2).await;
    for target in [argument_id(404), motion_id(2)] {
        let wrong = Draft { key: key("open"), ..answering(5, PROPOSE, target) };
        let outcome = on.try_argument(debate, wrong).await;
        assert!(matches!(outcome, Err(ArenaError::KeyReused)), "{outcome:?}");
    }
}

pub(crate) async fn wrong_target_is_reported_before_a_forbidden_move(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.open_debate(2).await;
    assert!(!allowed_moves(State::AwaitingOpponent).any(|mv| mv == PROPOSE));

    let outcome = on.try_argument(debate, answering(5, PROPOSE, argument_id(404))).await;
    assert!(
        matches!(outcome, Err(ArenaError::UnknownArgument(id)) if id == argument_id(404)),
        "{outcome:?}"
    );
    let outcome = on.try_argument(debate, answering(5, PROPOSE, motion_id(2))).await;
    let Err(ArenaError::ForeignArgument { argument, debate: meant }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((argument, meant), (motion_id(2), debate));
}

pub(crate) async fn wrong_target_of_an_allowed_move_is_refused(on: &Engine) {
    let debate = on.open_debate(1).await;
    on.open_debate(2).await;
    let missing = on.try_argument(debate, answering(5, OPPOSE, argument_id(404))).await;
    assert!(matches!(missing, Err(ArenaError::UnknownArgument(_))), "{missing:?}");
    let foreign = on.try_argument(debate, answering(5, OPPOSE, motion_id(2))).await;
    assert!(matches!(foreign, Err(ArenaError::ForeignArgument { .. })), "{foreign:?}");
    assert_eq!(on.arguments(debate).await.len(), 1);
}

/// A target does not decide whose turn it is: any earlier argument is valid.
pub(crate) async fn target_may_be_any_argument_of_the_debate(on: &Engine) {
    let debate = on.open_long_debate(4).await;
    let targets = [motion_id(1), argument_id(1), argument_id(2), argument_id(4)];
    for (number, target) in (5..).zip(targets) {
        let draft = answering(number, crate::engine::turn(number), target);
        let written = on.add_draft(debate, draft, number).await;
        assert_eq!(written.argument.parent, Some(target));
    }
}
