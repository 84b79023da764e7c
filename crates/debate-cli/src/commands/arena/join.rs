//! `aw debate join`: takes a free seat, keeps it, and prints the debate.

use std::path::Path;

use debate_core::arena::SecretKind;
use debate_render::{visible, wire_name};
use debate_wire::ErrorCode;
use debate_wire::arena::{Debate, ReleasedSeat, Seat, SeatResult, Side, State, TakeSeat};

use super::arbitrate::arbitrator_rights;
use super::resolve::{find_debate, load_debate};
use super::turn::ActiveSeat;
use super::{debate_path, parse_reference};
use crate::args::JoinArgs;
use crate::client::{ApiRequest, ArbitratorToken, Credentials};
use crate::commands::CommandContext;
use crate::content::read_source;
use crate::failure::{ExitStatus, Failure};
use crate::holder::holder_name;
use crate::output::CommandOutput;
use crate::seats::{KeptSeat, SeatChoice, SeatQuery, SeatStatus, now_ms, server_key};
use crate::secrets;
use crate::settings::{Token, read_private};

/// The most seats whose debates are checked for their end by one command.
const CHECKED_MAX: usize = 5;

pub(super) async fn join(
    args: &JoinArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let query = SeatQuery { debate: args.debate.clone(), role: args.r#as, server: None };
    let query = query.with_environment(context.environment)?;
    let name = query.debate.ok_or_else(|| {
        Failure::input("the debate is missing", "pass its slug; `aw debate list` shows them")
    })?;
    let role = query.role.unwrap_or(Side::Opponent);
    let holder = holder_name(args.holder.holder.as_deref(), context.environment)?;
    let invite = args.invite.as_deref().map(read_invite).transpose()?;
    let debate = load_debate(&find_debate(&name, context).await?, context).await?;
    let seat = reserve(&debate, role, holder, seats, context);
    let arbitrator =
        if args.take_over { Some(take_over(&debate, &seat, args, context).await?) } else { None };
    let credentials = Credentials { seat: None, invite, arbitrator };
    let seat = if debate.seats {
        take(seat, credentials, seats, context).await?
    } else {
        KeptSeat { token: None, ..seat }
    };
    seats.store.save(&seat)?;
    seats.store.clean_up();
    check_unused(seats, context).await;
    let now = SeatChoice::load(context.environment)?;
    let (mut active, newest) = ActiveSeat::load(seat, &now, context).await?;
    let is_current = active.seat.seen.is_some() && active.seat.seen == newest;
    // The motion is there; a seat that was taken again may have seen everything.
    let arguments = if is_current { Vec::new() } else { active.read_new(context).await? };
    active.save()?;
    let role = wire_name(&active.seat.role);
    let turn = active.turn_message(false, context);
    let message = format!("Joined as the {role} ({}). {turn}", active.seat.holder);
    Ok(active.report(None, arguments, message, context))
}

/// The seat that this session already has or tried to take, with its token; or a new one.
fn reserve(
    debate: &Debate,
    role: Side,
    holder: String,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> KeptSeat {
    let url = &context.settings.url;
    let now = now_ms();
    let folder = seats.folder.clone();
    if let Some(own) = seats.own_seat(&debate.id, role, url) {
        return KeptSeat { holder, folder, joined: now, used: now, ..own.clone() };
    }
    KeptSeat {
        server: url.clone(),
        debate: debate.id.clone(),
        slug: Some(debate.slug.clone()),
        role,
        session: seats.session_name().to_owned(),
        folder,
        holder,
        token: Some(secrets::generate(SecretKind::Seat)),
        seen: None,
        status: SeatStatus::Open,
        joined: now,
        used: now,
        pending: None,
    }
}

/// Takes the seat. The token is stored before it is sent, so that a lost answer can be repeated.
async fn take(
    seat: KeptSeat,
    credentials: Credentials,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<KeptSeat, Failure> {
    let was_kept = seats.own_seat(&seat.debate, seat.role, &seat.server).is_some();
    let path = seat_path(&seat)?;
    seats.store.save(&seat)?;
    let credentials = Credentials { seat: seat.token.clone(), ..credentials };
    let body = TakeSeat { holder: seat.holder.clone() };
    let request = ApiRequest::post(path, &body)?.with_credentials(credentials);
    match context.client.request::<SeatResult>(&request).await {
        Ok(taken) => Ok(KeptSeat { holder: taken.seat.holder, ..seat }),
        Err(failure) => {
            let is_refused = failure.exit() != ExitStatus::Error;
            if is_refused && (!was_kept || failure.has_code(ErrorCode::SeatTaken)) {
                seats.store.remove(&seat)?;
            }
            Err(failure.with_advice(ErrorCode::SeatTaken, &taken_advice(&seat)))
        }
    }
}

fn taken_advice(seat: &KeptSeat) -> String {
    let (name, role) = (seat.debate_name(), wire_name(&seat.role));
    format!(
        "read the debate with `aw debate show {name}`; the arbitrator can take the seat over with \
         `aw debate join {name} --as {role} --take-over`"
    )
}

fn seat_path(seat: &KeptSeat) -> Result<String, Failure> {
    let debate = parse_reference("debate", &seat.debate)?;
    Ok(debate_path(&debate, format_args!("/seats/{}", wire_name(&seat.role))))
}

/// Releases the seat with arbitrator rights, after a question on the terminal. The rights are also
/// needed to take a released seat of the proposer.
async fn take_over(
    debate: &Debate,
    seat: &KeptSeat,
    args: &JoinArgs,
    context: &CommandContext<'_>,
) -> Result<ArbitratorToken, Failure> {
    let path = debate_path(&parse_reference("debate", &debate.id)?, "/seats");
    let all: Vec<Seat> = context.client.request(&ApiRequest::get(path)).await?;
    let present = all.into_iter().find(|other| other.role == seat.role);
    let holder = present.and_then(|present| present.holder).unwrap_or_else(|| "nobody".to_owned());
    let question = format!(
        "Take the seat of the {} in “{}” from {}?",
        wire_name(&seat.role),
        visible::line(&debate.title),
        visible::line(&holder)
    );
    let rights = arbitrator_rights(&question, &args.arbitrator, context)?;
    let request = ApiRequest::delete(seat_path(seat)?).with_credentials(rights.clone());
    let _: ReleasedSeat = context.client.request(&request).await?;
    rights.arbitrator.ok_or_else(|| Failure::Local("the arbitrator token is missing".to_owned()))
}

/// The invite in a file, or on standard input. Never on the command line, which other users of the
/// machine can see.
fn read_invite(path: &Path) -> Result<Token, Failure> {
    let is_stdin = path == Path::new("-");
    let text = if is_stdin { read_source(path)? } else { read_private(path, "invite")? };
    if !SecretKind::Invite.matches(text.trim()) {
        let message = format!("{} does not contain an invite", path.display());
        return Err(Failure::input(message, "pass the file that `aw debate new` printed"));
    }
    Ok(Token::new(text.trim().to_owned()))
}

/// Marks seats that were not used for 30 days if their debates have ended, so that they are
/// removed. Failures are ignored: another command checks again.
async fn check_unused(seats: &SeatChoice, context: &CommandContext<'_>) {
    let server = server_key(&context.settings.url);
    let unused = seats.store.unused().into_iter();
    let here = unused.filter(|seat| server_key(&seat.server) == server);
    for mut seat in here.take(CHECKED_MAX) {
        let Ok(debate) = parse_reference("debate", &seat.debate) else { continue };
        seat.status = match load_debate(&debate, context).await {
            Ok(debate) if debate.state == State::Closed => SeatStatus::Closed,
            Err(failure) if failure.has_code(ErrorCode::DebateNotFound) => SeatStatus::Unknown,
            // A debate that goes on keeps its seats.
            Ok(_) => {
                seat.used = now_ms();
                SeatStatus::Open
            }
            Err(_) => continue,
        };
        let _ = seats.store.save(&seat);
    }
    seats.store.clean_up();
}
