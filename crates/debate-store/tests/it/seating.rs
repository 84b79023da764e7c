//! Debates with seats, their holders and the credentials of requests.

use debate_app::arena::{
    AppendArgument, ArenaError, DeleteDebate, ReleaseSeat, TakeSeat, TakenSeat, WriteOutcome,
    WrittenArgument,
};
use debate_core::DebateId;
use debate_core::arena::{
    ArbitratorRights, Credentials, Draft, HolderName, Move, NewDebate, NewSeats, Role, SeatFields,
    SeatHolder, SeatRefusal, SecretDigest, Side,
};

use crate::engine::Engine;
use crate::support::{append, draft, instant, opening};

/// The token of the proposer of every debate of [`seated`] begins with this text.
pub(crate) const PROPOSER: &str = "proposer";
/// The token of the opponent.
pub(crate) const OPPONENT: &str = "opponent";

pub(crate) fn digest(secret: &str) -> SecretDigest {
    SecretDigest::from_secret(secret)
}

pub(crate) fn name(text: &str) -> HolderName {
    HolderName::new(text).expect("tests use plain names")
}

/// A debate with seats. Its creator `claude-code` holds the proposer's seat by [`PROPOSER`].
pub(crate) fn seated(number: u32) -> NewDebate {
    seated_by(number, Some((name("claude-code"), digest(PROPOSER))), None)
}

pub(crate) fn seated_by(
    number: u32,
    creator: Option<(HolderName, SecretDigest)>,
    invite: Option<&str>,
) -> NewDebate {
    let invite = invite.map(digest);
    let seat_fields = SeatFields {
        seats: Some(true),
        invite_only: invite.map(|_| true),
        holder: creator.as_ref().map(|(name, _)| name.as_str().to_owned()),
        token: creator.as_ref().map(|(_, token)| *token),
        invite,
    };
    NewDebate { seats: Some(NewSeats { creator, invite }), seat_fields, ..opening(number) }
}

/// The credentials of a request with this seat token.
pub(crate) fn with_token(token: &str) -> Credentials {
    Credentials { seat: Some(digest(token)), ..Credentials::default() }
}

pub(crate) fn with_rights(arbitrator: ArbitratorRights) -> Credentials {
    Credentials { arbitrator, ..Credentials::default() }
}

/// The credentials of the role in a debate of [`Engine::open_seated`].
pub(crate) fn credentials_for(role: Role) -> Credentials {
    match role {
        Role::Proposer => with_token(PROPOSER),
        Role::Opponent => with_token(OPPONENT),
        Role::Arbitrator => with_rights(ArbitratorRights::Token),
    }
}

/// The refusal of a request because of its credentials.
pub(crate) fn refusal<T: std::fmt::Debug>(outcome: Result<T, ArenaError>) -> SeatRefusal {
    match outcome {
        Err(ArenaError::Seat { refusal, .. }) => refusal,
        other => panic!("{other:?}"),
    }
}

impl Engine {
    /// Opens debate `number` with both seats taken: by `claude-code` and by `codex`.
    pub(crate) async fn open_seated(&self, number: u32) -> DebateId {
        let debate = self.open_debate_as(seated(number)).await.debate.id;
        self.take(debate, Side::Opponent, OPPONENT).await.expect("the seat is free");
        debate
    }

    /// Takes a seat for `codex` at second 5.
    pub(crate) async fn take(
        &self,
        debate: DebateId,
        side: Side,
        token: &str,
    ) -> Result<TakenSeat, ArenaError> {
        self.take_with(debate, side, token, Credentials::default()).await
    }

    pub(crate) async fn take_with(
        &self,
        debate: DebateId,
        side: Side,
        token: &str,
        credentials: Credentials,
    ) -> Result<TakenSeat, ArenaError> {
        let holder = SeatHolder { name: name("codex"), token: digest(token), since: instant(5) };
        self.store.take_seat(TakeSeat { debate, side, holder, credentials }).await
    }

    pub(crate) async fn release(
        &self,
        debate: DebateId,
        side: Side,
        credentials: Credentials,
    ) -> Result<(), ArenaError> {
        self.store.release_seat(ReleaseSeat { debate, side, credentials }).await
    }

    pub(crate) async fn append_as(
        &self,
        debate: DebateId,
        draft: Draft,
        credentials: Credentials,
    ) -> Result<WrittenArgument, ArenaError> {
        let append = append(debate, draft, 1000);
        self.store.append(AppendArgument { credentials, ..append }).await
    }

    /// Makes a move with the credentials of its role.
    pub(crate) async fn play(&self, debate: DebateId, number: u32, mv: Move) -> WrittenArgument {
        let credentials = credentials_for(mv.role());
        let written = self.append_as(debate, draft(number, mv), credentials).await;
        let written = written.expect("it is legal");
        assert_eq!(written.outcome, WriteOutcome::Fresh);
        written
    }

    pub(crate) async fn delete_as(
        &self,
        debate: DebateId,
        credentials: Credentials,
    ) -> Result<(), ArenaError> {
        self.store.delete(DeleteDebate { debate, credentials, at: instant(2_000_000) }).await
    }
}
