//! The credentials of writes to debates with seats.

use debate_app::arena::{ArenaError, TranscriptLimit, WriteOutcome};
use debate_core::DebateId;
use debate_core::arena::{
    ArbitratorRights, Credentials, Draft, Move, NewDebate, Role, SeatRefusal, Side, State, next,
};

use crate::engine::Engine;
use crate::seating::{
    OPPONENT, PROPOSER, digest, name, refusal, seated, seated_by, with_rights, with_token,
};
use crate::support::{CLOSE, OPPOSE, PROPOSE, RULE, argument_id, draft, key, open, opening};

/// The moves that lead to each state.
const WAYS: [(State, &[Move]); 5] = [
    (State::AwaitingOpponent, &[]),
    (State::AwaitingProposer, &[OPPOSE]),
    (State::AwaitingArbitrator, &[OPPOSE, Move::Appeal]),
    (State::InterventionPending, &[Move::Intervene]),
    (State::Closed, &[Move::Intervene, CLOSE]),
];

/// A seat token of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Missing,
    Proposer,
    Opponent,
    Released,
    OtherDebate,
    Garbage,
}

impl Token {
    const ALL: [Self; 6] = [
        Self::Missing,
        Self::Proposer,
        Self::Opponent,
        Self::Released,
        Self::OtherDebate,
        Self::Garbage,
    ];

    fn text(self) -> Option<&'static str> {
        match self {
            Self::Missing => None,
            Self::Proposer => Some(PROPOSER),
            Self::Opponent => Some(OPPONENT),
            Self::Released => Some("released"),
            Self::OtherDebate => Some("other debate"),
            Self::Garbage => Some("garbage"),
        }
    }
}

/// The author that the credentials prove, or the refusal, in a debate with seats.
fn expected_author(
    role: Role,
    token: Token,
    rights: ArbitratorRights,
) -> Result<&'static str, SeatRefusal> {
    let (own, holder) = match role {
        Role::Proposer => (Token::Proposer, "claude-code"),
        Role::Opponent => (Token::Opponent, "codex"),
        Role::Arbitrator => {
            return match rights {
                ArbitratorRights::Missing => Err(SeatRefusal::Required(role)),
                ArbitratorRights::Wrong => Err(SeatRefusal::Invalid { role, holder: None }),
                ArbitratorRights::Token => Ok("arbitrator"),
                ArbitratorRights::Session => Ok("web"),
            };
        }
    };
    match token {
        Token::Missing => Err(SeatRefusal::Required(role)),
        token if token == own => Ok(holder),
        Token::Proposer
        | Token::Opponent
        | Token::Released
        | Token::OtherDebate
        | Token::Garbage => Err(SeatRefusal::Invalid { role, holder: Some(holder.to_owned()) }),
    }
}

/// Opens debate `number` with a released token in its past, and leads it to a state.
async fn seated_in(on: &Engine, number: u32, way: &[Move]) -> DebateId {
    let debate = on.open_debate_as(seated(number)).await.debate.id;
    on.take(debate, Side::Opponent, "released").await.expect("the seat is free");
    on.release(debate, Side::Opponent, with_token("released")).await.expect("it is the holder");
    on.take(debate, Side::Opponent, OPPONENT).await.expect("the seat is free");
    for (number, &mv) in (100 * number..).zip(way) {
        on.play(debate, number, mv).await;
    }
    debate
}

/// One cell of the matrix: a move with these credentials. Returns whether it was accepted.
async fn assert_cell(
    on: &Engine,
    (debate, state): (DebateId, State),
    draft: Draft,
    expected: Result<Option<&str>, SeatRefusal>,
    credentials: Credentials,
) -> bool {
    let cell = format!("{state} {:?} {credentials:?}", draft.mv);
    let (mv, outcome) = (draft.mv, on.append_as(debate, draft, credentials).await);
    match (expected, next(state, mv)) {
        (Err(expected), _) => {
            assert_eq!(refusal(outcome), expected, "{cell}");
            false
        }
        (Ok(_), Err(_)) => {
            assert!(matches!(outcome, Err(ArenaError::Refused(_))), "{cell}: {outcome:?}");
            false
        }
        (Ok(by), Ok(_)) => {
            let written = outcome.expect(&cell);
            assert_eq!(written.argument.by.as_deref(), by, "{cell}");
            assert_eq!(written.outcome, WriteOutcome::Fresh, "{cell}");
            true
        }
    }
}

pub(crate) async fn move_needs_the_credentials_of_its_role_in_every_state(on: &Engine) {
    let elsewhere = seated_by(9999, Some((name("stranger"), digest("other debate"))), None);
    on.open_debate_as(elsewhere).await;
    let rights = [
        ArbitratorRights::Missing,
        ArbitratorRights::Wrong,
        ArbitratorRights::Token,
        ArbitratorRights::Session,
    ];
    let (mut number, mut drafts) = (0, 1_000_000);
    for (state, way) in WAYS {
        number += 1;
        let mut debate = seated_in(on, number, way).await;
        for token in Token::ALL {
            for rights in rights {
                for mv in Move::ALL {
                    drafts += 1;
                    let credentials =
                        Credentials { seat: token.text().map(digest), ..with_rights(rights) };
                    let expected = expected_author(mv.role(), token, rights).map(Some);
                    let cell = (debate, state);
                    let draft = draft(drafts, mv);
                    if assert_cell(on, cell, draft, expected, credentials).await {
                        number += 1;
                        debate = seated_in(on, number, way).await;
                    }
                }
            }
        }
        let written = on.arguments(debate).await.len();
        assert_eq!(written, way.len() + 1, "a refused move writes nothing in {state}");
    }
}

pub(crate) async fn open_debate_ignores_credentials(on: &Engine) {
    let (mut number, mut drafts) = (0, 1_000_000);
    for (state, way) in WAYS {
        number += 1;
        let mut debate = on.play_moves(number, way).await;
        for token in Token::ALL {
            let credentials = Credentials {
                seat: token.text().map(digest),
                ..with_rights(ArbitratorRights::Wrong)
            };
            for mv in Move::ALL {
                drafts += 1;
                let draft = draft(drafts, mv);
                if assert_cell(on, (debate, state), draft, Ok(None), credentials).await {
                    number += 1;
                    debate = on.play_moves(number, way).await;
                }
            }
        }
    }
}

pub(crate) async fn debate_with_seats_is_shown_with_authors_and_seat_changes(on: &Engine) {
    let opened = on.open_debate_as(seated(1)).await;
    let debate = opened.debate.id;
    assert_eq!(opened.debate.seat_changes, Some(0));
    assert_eq!(opened.argument.by.as_deref(), Some("claude-code"));
    on.take(debate, Side::Opponent, OPPONENT).await.expect("the seat is free");
    for (number, mv) in (1..).zip([OPPOSE, Move::Intervene, RULE, PROPOSE, OPPOSE, Move::Resolve]) {
        on.play(debate, number, mv).await;
    }
    let seen = on.transcript(debate).await;
    assert_eq!(seen.debate.seat_changes, Some(1));
    let authors: Vec<_> = on.arguments(debate).await.into_iter().map(|said| said.by).collect();
    let expected = [
        "claude-code",
        "codex",
        "arbitrator",
        "arbitrator",
        "claude-code",
        "codex",
        "claude-code",
        "server",
    ];
    assert_eq!(authors, expected.map(|by| Some(by.to_owned())));
}

pub(crate) async fn automatic_ruling_of_an_open_debate_is_by_the_server(on: &Engine) {
    let debate = on.play_moves(1, &[OPPOSE, Move::Resolve]).await;
    let authors: Vec<_> = on.arguments(debate).await.into_iter().map(|said| said.by).collect();
    assert_eq!(authors, [None, None, None, Some("server".to_owned())]);
}

pub(crate) async fn retry_needs_the_credentials_of_the_first_request(on: &Engine) {
    let debate = on.open_seated(1).await;
    let first = on.play(debate, 1, OPPOSE).await;
    let retry = || Draft { id: argument_id(77), ..draft(1, OPPOSE) };
    let again = on.append_as(debate, retry(), with_token(OPPONENT)).await.expect("the holder");
    assert_eq!((again.outcome, &again.argument), (WriteOutcome::Replayed, &first.argument));
    let role = Role::Opponent;
    let refused = refusal(on.append_as(debate, retry(), Credentials::default()).await);
    assert_eq!(refused, SeatRefusal::Required(role));
    // A reused key is not reported to a client without the seat.
    let other = Draft { key: key("key-1"), ..draft(9, OPPOSE) };
    let refused = refusal(on.append_as(debate, other, with_token(PROPOSER)).await);
    assert_eq!(refused, SeatRefusal::Invalid { role, holder: Some("codex".to_owned()) });
    on.release(debate, Side::Opponent, with_token(OPPONENT)).await.expect("it is the holder");
    let refused = refusal(on.append_as(debate, retry(), with_token(OPPONENT)).await);
    assert_eq!(refused, SeatRefusal::Invalid { role, holder: None });
}

/// A server repeats its own write if the answer of the commit was lost. The id proves it.
pub(crate) async fn write_that_was_committed_is_recognised_after_a_release(on: &Engine) {
    let debate = on.open_seated(1).await;
    let first = on.play(debate, 1, OPPOSE).await;
    on.release(debate, Side::Opponent, with_token(OPPONENT)).await.expect("it is the holder");
    let again = on.append_as(debate, draft(1, OPPOSE), with_token(OPPONENT)).await;
    let again = again.expect("it is the same write");
    assert_eq!((again.outcome, again.argument), (WriteOutcome::Replayed, first.argument));
}

pub(crate) async fn retried_open_depends_on_the_seat_fields(on: &Engine) {
    let first = on.open_debate_as(seated(1)).await;
    let again = on.store.open(open(seated(1), 50)).await.expect("a retry is welcome");
    assert_eq!((again.outcome, again.argument), (WriteOutcome::Replayed, first.argument));
    assert_eq!(again.debate.seat_changes, Some(0));
    for other in [
        seated_by(1, Some((name("claude-code"), digest("another token"))), None),
        seated_by(1, Some((name("another"), digest(PROPOSER))), None),
        seated_by(1, Some((name("claude-code"), digest(PROPOSER))), Some("invite")),
        NewDebate { seats: None, ..opening(1) },
    ] {
        let refused = on.store.open(open(other, 50)).await;
        assert!(matches!(refused, Err(ArenaError::KeyReused)), "{refused:?}");
    }
}

pub(crate) async fn delete_of_a_debate_with_seats_needs_arbitrator_rights(on: &Engine) {
    let mut number = 0;
    for rights in [ArbitratorRights::Token, ArbitratorRights::Session] {
        number += 1;
        let debate = on.open_seated(number).await;
        let role = Role::Arbitrator;
        for (credentials, expected) in [
            (Credentials::default(), SeatRefusal::Required(role)),
            (with_token(PROPOSER), SeatRefusal::Required(role)),
            (with_rights(ArbitratorRights::Wrong), SeatRefusal::Invalid { role, holder: None }),
        ] {
            assert_eq!(refusal(on.delete_as(debate, credentials).await), expected);
        }
        on.delete_as(debate, with_rights(rights)).await.expect("the arbitrator may");
        let gone = on.store.transcript(debate, TranscriptLimit::All).await;
        assert!(matches!(gone, Err(ArenaError::UnknownDebate(_))), "{gone:?}");
        let gone = on.store.seats(debate).await;
        assert!(matches!(gone, Err(ArenaError::UnknownDebate(_))), "{gone:?}");
    }
    let debate = on.open_debate(10).await;
    let wrong = with_rights(ArbitratorRights::Wrong);
    on.delete_as(debate, wrong).await.expect("an open debate needs no rights");
}
