//! A kept seat in use: what is new for it, whether it has the turn, and which commands it may run.

use debate_core::{ArgumentId, DebateId, Reference};
use debate_render::wire_name;
use debate_wire::ErrorCode;
use debate_wire::agent::{ActionsByRole, NextMove, Receipt, TurnReport, TurnStatus};
use debate_wire::arena::{Action, Debate, NewArgument, Side, State, Transcript};
use tokio::time::Instant;

use super::wait::{News, WaitOutcome, WaitRequest};
use super::{debate_path, parse_reference};
use crate::client::ApiRequest;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::{ArenaOutput, CommandOutput};
use crate::seats::{KeptSeat, SeatChoice, SeatStatus, SeenArgument, now_ms};

/// A kept seat, and its debate as the server last described it.
pub(super) struct ActiveSeat<'c> {
    pub(super) seat: KeptSeat,
    pub(super) debate: Debate,
    pub(super) seats: &'c SeatChoice,
}

impl<'c> ActiveSeat<'c> {
    /// Reads the debate of a kept seat, until the deadline of waits.
    pub(super) async fn load(
        mut seat: KeptSeat,
        seats: &'c SeatChoice,
        context: &CommandContext<'_>,
    ) -> Result<(Self, Option<SeenArgument>), Failure> {
        let debate = parse_reference("debate", &seat.debate)?;
        let request = ApiRequest::get(debate_path(&debate, "?limit=1"));
        let request = request.with_seat(seat.token.as_ref());
        let limit = context.settings.wait_deadline;
        match context.client.request_within::<Transcript>(&request, limit).await {
            Ok(Transcript { debate, motion, arguments }) => {
                let newest = arguments.last().unwrap_or(&motion);
                let newest = SeenArgument { id: newest.id.clone(), seq: newest.seq };
                Ok((Self { seat, debate, seats }, Some(newest)))
            }
            Err(failure) => {
                if failure.has_code(ErrorCode::DebateNotFound) {
                    seat.status = SeatStatus::Unknown;
                    seats.store.save(&seat)?;
                }
                Err(failure)
            }
        }
    }

    /// The debate for paths.
    pub(super) fn reference(&self) -> Result<Reference<DebateId>, Failure> {
        parse_reference("debate", &self.seat.debate)
    }

    /// Whether the role of the seat may act.
    pub(super) fn has_turn(&self) -> bool {
        !actions(self.debate.state, self.seat.role).is_empty()
    }

    /// Notes the newest argument that was printed or written, and the state of the debate.
    pub(super) fn advance(&mut self, seen: SeenArgument, state: State) -> Result<(), Failure> {
        self.seat.seen = Some(seen);
        self.debate.state = state;
        self.save()
    }

    pub(super) fn save(&mut self) -> Result<(), Failure> {
        self.seat.status = match self.debate.state {
            State::Closed => SeatStatus::Closed,
            State::AwaitingOpponent
            | State::AwaitingProposer
            | State::AwaitingArbitrator
            | State::InterventionPending => SeatStatus::Open,
        };
        self.seat.used = now_ms();
        self.seats.store.save(&self.seat)
    }

    /// Collects new arguments until the role has the turn, the debate is closed, or the deadline of
    /// waits has passed. Each argument is noted as seen.
    pub(super) async fn wait_for_turn(
        &mut self,
        context: &CommandContext<'_>,
    ) -> Result<Vec<NewArgument>, Failure> {
        let mut found = Vec::new();
        let deadline = Instant::now() + context.settings.wait_deadline;
        loop {
            let limit = deadline.saturating_duration_since(Instant::now());
            let outcome =
                self.wait_request()?.run(limit, context).await.map_err(|failure| {
                    failure.then_run(self.command(&["debate", "next"], context))
                })?;
            let WaitOutcome::News(news) = outcome else { return Ok(found) };
            found.extend(self.note(*news)?);
            if self.has_turn() || self.debate.state == State::Closed {
                return Ok(found);
            }
        }
    }

    /// The arguments that were not printed for this seat, without a wait for the turn.
    pub(super) async fn read_new(
        &mut self,
        context: &CommandContext<'_>,
    ) -> Result<Vec<NewArgument>, Failure> {
        let outcome = self.wait_request()?.run(context.settings.wait_deadline, context).await?;
        let WaitOutcome::News(news) = outcome else { return Ok(Vec::new()) };
        self.note(*news)
    }

    fn wait_request(&self) -> Result<WaitRequest, Failure> {
        let seen = self.seat.seen.as_ref().map(|seen| seen.id.parse::<ArgumentId>());
        Ok(WaitRequest {
            debate: self.reference()?,
            role: self.seat.role,
            seen: seen.and_then(Result::ok).map(Reference::Id),
            seat: self.seat.token.clone(),
        })
    }

    /// Notes new arguments as seen and returns them.
    fn note(&mut self, news: News) -> Result<Vec<NewArgument>, Failure> {
        let seen = SeenArgument { id: news.newest.id.clone(), seq: news.newest.seq };
        let mut arguments = news.earlier;
        arguments.push(news.newest);
        self.advance(seen, news.debate_state)?;
        Ok(arguments)
    }

    /// The result of a command that used the seat.
    pub(super) fn report(
        self,
        written: Option<Receipt>,
        arguments: Vec<NewArgument>,
        message: String,
        context: &CommandContext<'_>,
    ) -> CommandOutput {
        let status = match (self.debate.state, self.has_turn()) {
            (State::Closed, _) => TurnStatus::Closed,
            (_, true) => TurnStatus::YourTurn,
            (_, false) => TurnStatus::Waiting,
        };
        ArenaOutput::Turn(Box::new(TurnReport {
            status,
            message,
            slug: self.debate.slug.clone(),
            debate_id: self.debate.id.clone(),
            title: self.debate.title.clone(),
            role: self.seat.role,
            holder: self.seat.holder.clone(),
            debate_state: self.debate.state,
            written,
            arguments,
            moves: self.moves(context),
        }))
        .into()
    }

    /// A sentence about the turn.
    pub(super) fn turn_message(&self, waited: bool, context: &CommandContext<'_>) -> String {
        let role = wire_name(&self.seat.role);
        let limit = context.settings.wait_deadline;
        let within = if waited { format!(" No answer within {limit:?}.") } else { String::new() };
        match (self.debate.state, self.has_turn()) {
            (State::Closed, _) => "The debate is closed.".to_owned(),
            (_, true) => format!("It is your turn as the {role}."),
            (State::AwaitingArbitrator | State::InterventionPending, false) => {
                format!("The debate waits for a ruling of the arbitrator.{within}")
            }
            (State::AwaitingOpponent, false) => format!("It is the opponent's turn.{within}"),
            (State::AwaitingProposer, false) => format!("It is the proposer's turn.{within}"),
        }
    }

    /// The commands that the session may run now.
    pub(super) fn moves(&self, context: &CommandContext<'_>) -> Vec<NextMove> {
        let next = |purpose: &str, words: &[&str]| NextMove {
            purpose: purpose.to_owned(),
            command: self.command(words, context),
        };
        let mut moves: Vec<NextMove> = actions(self.debate.state, self.seat.role)
            .into_iter()
            .filter_map(|action| match action {
                Action::SubmitClaim => {
                    Some(next("answer the other side", &["debate", "say", "-f", "FILE"]))
                }
                Action::SubmitAppeal => Some(next("ask the arbitrator for a ruling", &{
                    ["debate", "say", "--appeal", "-f", "FILE"]
                })),
                Action::SubmitResolution => Some(next("end the debate with a summary", &{
                    ["debate", "say", "--resolve", "-f", "FILE"]
                })),
                Action::SubmitIntervention | Action::SubmitRuling | Action::SubmitRulingClose => {
                    None
                }
            })
            .collect();
        if moves.is_empty() && self.debate.state != State::Closed {
            moves.push(next("wait for your turn", &["debate", "next"]));
        }
        let show = ["debate", "show", &self.debate.slug];
        moves.push(NextMove {
            purpose: "read the whole debate".to_owned(),
            command: context.short_command(&show),
        });
        moves
    }

    /// A command line for this seat. It names the debate and the role where commands without them
    /// would use another seat.
    pub(super) fn command(&self, words: &[&str], context: &CommandContext<'_>) -> String {
        if self.seats.is_default(&self.seat) {
            return context.short_command(words);
        }
        let role = wire_name(&self.seat.role);
        let name = self.seat.debate_name();
        let debate: &[&str] = if words.contains(&"say") { &["--debate", name] } else { &[name] };
        context.short_command(&[words, debate, &["--as", &role]].concat())
    }
}

/// The actions of a side in a state.
fn actions(state: State, side: Side) -> Vec<Action> {
    let by_role = ActionsByRole::from(state);
    match side {
        Side::Proposer => by_role.proposer,
        Side::Opponent => by_role.opponent,
    }
}
