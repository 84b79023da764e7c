//! Taking and releasing seats.

use debate_app::arena::{AppendArgument, ArenaError, WriteOutcome};
use debate_core::arena::{ArbitratorRights, Credentials, Role, Seat, SeatRefusal, Side};
use futures_util::future::join_all;

use crate::engine::{Engine, has_changed, missing_debate};
use crate::seating::{
    OPPONENT, PROPOSER, credentials_for, digest, refusal, seated, seated_by, with_rights,
    with_token,
};
use crate::support::{OPPOSE, PROPOSE, append, debate_id, draft, instant};

pub(crate) async fn seats_show_their_holders_and_the_invite(on: &Engine) {
    let open_debate = on.open_debate(1).await;
    assert_eq!(on.store.seats(open_debate).await.expect("it exists"), None);
    let debate = on.open_debate_as(seated_by(2, None, Some("invite"))).await.debate.id;
    let seats = on.store.seats(debate).await.expect("it exists").expect("it has seats");
    assert_eq!((&seats.proposer, &seats.opponent), (&Seat::Open, &Seat::Open));
    assert_eq!(seats.invite, Some(digest("invite")));
    let debate = on.open_seated(3).await;
    let seats = on.store.seats(debate).await.expect("it exists").expect("it has seats");
    let proposer = seats.proposer.holder().expect("the creator holds it");
    assert_eq!((proposer.name.as_str(), proposer.token), ("claude-code", digest(PROPOSER)));
    assert_eq!(proposer.since, instant(0));
    let opponent = seats.opponent.holder().expect("it was taken");
    assert_eq!((opponent.name.as_str(), opponent.token), ("codex", digest(OPPONENT)));
    assert_eq!((opponent.since, seats.invite), (instant(5), None));
    let missing = on.store.seats(missing_debate()).await;
    assert!(matches!(missing, Err(ArenaError::UnknownDebate(_))), "{missing:?}");
}

pub(crate) async fn free_seat_is_taken_once_and_a_repeat_changes_nothing(on: &Engine) {
    let opened = on.open_debate_as(seated(1)).await.debate;
    let taken = on.take(opened.id, Side::Opponent, OPPONENT).await.expect("the seat is free");
    assert_eq!(taken.outcome, WriteOutcome::Fresh);
    assert_eq!((taken.holder.name.as_str(), taken.holder.since), ("codex", instant(5)));
    let again = on.take(opened.id, Side::Opponent, OPPONENT).await.expect("a repeat");
    assert_eq!((again.outcome, &again.holder), (WriteOutcome::Replayed, &taken.holder));
    let holder = taken.holder;
    let refused = refusal(on.take(opened.id, Side::Opponent, "another").await);
    assert_eq!(refused, SeatRefusal::Taken { side: Side::Opponent, holder });
    let refused = refusal(on.take(opened.id, Side::Proposer, OPPONENT).await);
    assert_eq!(refused, SeatRefusal::Conflict(Side::Opponent));
    let seen = on.transcript(opened.id).await.debate;
    assert_eq!((seen.seat_changes, seen.updated_at), (Some(1), opened.updated_at));
}

pub(crate) async fn seats_of_an_open_or_missing_debate_cannot_change(on: &Engine) {
    let debate = on.open_debate(1).await;
    for side in Side::ALL {
        let taken = on.take(debate, side, "token").await;
        assert_eq!(refusal(taken), SeatRefusal::NotSeated);
        let released = on.release(debate, side, with_rights(ArbitratorRights::Token)).await;
        assert_eq!(refusal(released), SeatRefusal::NotSeated);
        let missing = on.take(missing_debate(), side, "token").await;
        assert!(matches!(missing, Err(ArenaError::UnknownDebate(_))), "{missing:?}");
        let missing = on.release(missing_debate(), side, Credentials::default()).await;
        assert!(matches!(missing, Err(ArenaError::UnknownDebate(_))), "{missing:?}");
    }
}

pub(crate) async fn invite_or_arbitrator_rights_open_a_closed_seat(on: &Engine) {
    let invited = |invite| Credentials { invite: Some(digest(invite)), ..Credentials::default() };
    let mut number = 0;
    for side in Side::ALL {
        for (credentials, is_welcome) in [
            (Credentials::default(), false),
            (invited("wrong"), false),
            (with_rights(ArbitratorRights::Wrong), false),
            (invited("invite"), true),
            (with_rights(ArbitratorRights::Token), true),
            (with_rights(ArbitratorRights::Session), true),
        ] {
            number += 1;
            let opening = seated_by(number, None, Some("invite"));
            let debate = on.open_debate_as(opening).await.debate.id;
            let outcome = on.take_with(debate, side, "token", credentials).await;
            if is_welcome {
                assert_eq!(outcome.expect("it is invited").outcome, WriteOutcome::Fresh);
            } else {
                assert_eq!(refusal(outcome), SeatRefusal::InviteRequired(side));
            }
        }
    }
}

pub(crate) async fn released_proposer_seat_needs_the_invite_or_arbitrator_rights(on: &Engine) {
    let debate = on.open_seated(1).await;
    for side in Side::ALL {
        let credentials = credentials_for(side.into());
        on.release(debate, side, credentials).await.expect("it is the holder");
    }
    let seats = on.store.seats(debate).await.expect("it exists").expect("it has seats");
    assert_eq!((&seats.proposer, &seats.opponent), (&Seat::Released, &Seat::Released));
    let refused = refusal(on.take(debate, Side::Proposer, "new").await);
    assert_eq!(refused, SeatRefusal::InviteRequired(Side::Proposer));
    let rights = with_rights(ArbitratorRights::Token);
    on.take_with(debate, Side::Proposer, "new", rights).await.expect("the arbitrator may");
    on.take(debate, Side::Opponent, OPPONENT).await.expect("the opponent's seat is free");
    assert_eq!(on.transcript(debate).await.debate.seat_changes, Some(5));
    on.play(debate, 1, OPPOSE).await;
    let written = on.append_as(debate, draft(2, PROPOSE), with_token("new")).await;
    assert_eq!(written.expect("it holds the seat").argument.by.as_deref(), Some("codex"));
}

pub(crate) async fn seat_is_released_by_its_holder_or_the_arbitrator(on: &Engine) {
    let debate = on.open_seated(1).await;
    let role = Role::Opponent;
    let holder = || Some("codex".to_owned());
    for (credentials, expected) in [
        (Credentials::default(), SeatRefusal::Required(role)),
        (with_rights(ArbitratorRights::Wrong), SeatRefusal::Required(role)),
        (with_token(PROPOSER), SeatRefusal::Invalid { role, holder: holder() }),
        (with_token("garbage"), SeatRefusal::Invalid { role, holder: holder() }),
    ] {
        let outcome = on.release(debate, Side::Opponent, credentials).await;
        assert_eq!(refusal(outcome), expected);
    }
    on.release(debate, Side::Opponent, with_token(OPPONENT)).await.expect("it is the holder");
    for credentials in [Credentials::default(), with_token(OPPONENT)] {
        on.release(debate, Side::Opponent, credentials).await.expect("a free seat stays free");
    }
    let rights = with_rights(ArbitratorRights::Session);
    on.release(debate, Side::Proposer, rights).await.expect("the arbitrator may");
    let refused = refusal(on.append_as(debate, draft(1, PROPOSE), with_token(PROPOSER)).await);
    assert_eq!(refused, SeatRefusal::Invalid { role: Role::Proposer, holder: None });
    assert_eq!(on.transcript(debate).await.debate.seat_changes, Some(3));
}

pub(crate) async fn seat_changes_notify_subscribers_of_the_debate(on: &Engine) {
    let debate = on.open_debate_as(seated(1)).await.debate.id;
    let mut subscription = on.subscribe(debate);
    on.take(debate, Side::Opponent, OPPONENT).await.expect("the seat is free");
    assert!(has_changed(&mut subscription), "taking");
    on.take(debate, Side::Opponent, OPPONENT).await.expect("a repeat");
    refusal(on.take(debate, Side::Opponent, "another").await);
    refusal(on.release(debate, Side::Opponent, Credentials::default()).await);
    refusal(on.append_as(debate, draft(1, OPPOSE), Credentials::default()).await);
    assert!(!has_changed(&mut subscription), "nothing has changed");
    on.release(debate, Side::Opponent, with_token(OPPONENT)).await.expect("it is the holder");
    assert!(has_changed(&mut subscription), "releasing");
    on.release(debate, Side::Opponent, Credentials::default()).await.expect("it is free");
    assert!(!has_changed(&mut subscription), "nothing has changed");
}

pub(crate) async fn one_of_several_parallel_requests_gets_the_seat(on: &Engine) {
    for number in 1..=10 {
        let debate = on.open_debate_as(seated(number)).await.debate.id;
        let tokens: Vec<String> = (0..8).map(|token| format!("token {token}")).collect();
        let takes = tokens.iter().map(|token| on.take(debate, Side::Opponent, token));
        let taken = join_all(takes).await;
        assert_eq!(taken.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        assert_eq!(on.transcript(debate).await.debate.seat_changes, Some(1));
        let repeats = (0..4).map(|_| async {
            let released = on.release(debate, Side::Opponent, with_rights(ArbitratorRights::Token));
            released.await.expect("the arbitrator may");
        });
        join_all(repeats).await;
        assert_eq!(on.transcript(debate).await.debate.seat_changes, Some(2));
    }
}

pub(crate) async fn writes_between_seat_changes_belong_to_the_holder_of_their_time(on: &Engine) {
    let debate = on.open_seated(1).await;
    let requests = [
        (append(debate, draft(1, OPPOSE), 1), with_token(OPPONENT)),
        (append(debate, draft(2, PROPOSE), 2), with_token(PROPOSER)),
    ];
    for (append, credentials) in requests {
        let append = AppendArgument { credentials, ..append };
        on.store.append(append).await.expect("it is legal");
    }
    on.release(debate, Side::Opponent, with_token(OPPONENT)).await.expect("it is the holder");
    on.take(debate, Side::Opponent, "next").await.expect("the seat is free");
    on.append_as(debate, draft(3, OPPOSE), with_token("next")).await.expect("it is legal");
    refusal(on.append_as(debate, draft(4, OPPOSE), with_token(OPPONENT)).await);
    assert_eq!(on.arguments(debate_id(1)).await.len(), 4);
}
