//! `aw debate new`: creates a debate with seats from a file and keeps the proposer's seat.

use std::path::Path;

use debate_core::arena::SecretKind;
use debate_render::arena::{agent_instructions, join_command};
use debate_wire::agent::CreatedDebate;
use debate_wire::arena::{CreateDebate, Role, Side, WriteResult};
use sha2::{Digest, Sha256};

use super::turn::ActiveSeat;
use crate::args::NewArgs;
use crate::client::{ApiRequest, Credentials};
use crate::commands::{CommandContext, new_id};
use crate::content::read_source;
use crate::failure::{ExitStatus, Failure};
use crate::holder::holder_name;
use crate::output::{ArenaOutput, CommandOutput};
use crate::seats::{KeptSeat, PendingRequest, SeatChoice, SeatStatus, SeenArgument, now_ms};
use crate::secrets;
use crate::service;
use crate::shell;

/// The maximum length of a title in characters.
const TITLE_CHARS_MAX: usize = 300;

pub(super) async fn new(
    args: &NewArgs,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let motion = read_source(&args.file)?;
    let title = args.title.clone().unwrap_or_else(|| title_of(&motion, &args.file));
    let holder = holder_name(args.holder.holder.as_deref(), context.environment)?;
    let mut body = CreateDebate {
        debate_id: None,
        title,
        debate_type: args.r#type,
        motion_content: motion,
        client_request_id: None,
        auto_ruling: None,
        seats: Some(true),
        holder: Some(holder),
        invite_only: args.invite_only.then_some(true),
    };
    service::ensure(context).await?;
    let seat = reserve(&body, seats, context)?;
    let pending = seat.pending.clone();
    let key = pending.as_ref().map(|pending| pending.key.clone()).unwrap_or_default();
    let invite = pending.and_then(|pending| pending.invite);
    body.debate_id = Some(seat.debate.clone());
    body.client_request_id = Some(key.clone());
    // The token is stored before it is sent, so that a lost answer can be repeated.
    seats.store.save(&seat)?;
    let credentials =
        Credentials { seat: seat.token.clone(), invite: invite.clone(), ..Credentials::default() };
    let request = ApiRequest::post("/debates", &body)?.with_credentials(credentials);
    let written = match context.client.request::<WriteResult>(&request).await {
        Ok(written) => written,
        Err(failure) => return Err(forget_refused(failure, &seat, seats, context)),
    };
    let invite_file = match &invite {
        Some(invite) => Some(seats.store.save_invite(&written.debate.slug, invite)?),
        None => None,
    };
    let invite_file = invite_file.map(|path| path.display().to_string());
    finish(seat, written, invite_file, seats, context)
}

/// A seat for the new debate: that of a repeated creation whose answer was lost, or a new one.
fn reserve(
    body: &CreateDebate,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<KeptSeat, Failure> {
    let text = serde_json::to_string(body).map_err(|err| Failure::Local(err.to_string()))?;
    let digest = debate_wire::hex(&Sha256::digest(text));
    if let Some(pending) = seats.pending_creation(&digest, &context.settings.url) {
        context.client.notes.print(format_args!("repeating a creation whose answer was lost"));
        return Ok(pending.clone());
    }
    let invite = body.invite_only.map(|_| secrets::generate(SecretKind::Invite));
    Ok(KeptSeat {
        server: context.settings.url.clone(),
        debate: new_id(),
        slug: None,
        role: Side::Proposer,
        session: seats.session_name().to_owned(),
        folder: seats.folder.clone(),
        holder: body.holder.clone().unwrap_or_default(),
        token: Some(secrets::generate(SecretKind::Seat)),
        seen: None,
        status: SeatStatus::Open,
        joined: now_ms(),
        used: now_ms(),
        pending: Some(PendingRequest { key: new_id(), digest, invite }),
    })
}

/// Removes the seat of a creation that the server refused. A creation whose outcome is unknown
/// keeps it: the same command repeats the creation with the same token.
fn forget_refused(
    failure: Failure,
    seat: &KeptSeat,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Failure {
    if failure.exit() == ExitStatus::Error {
        let words = context.environment.words.iter().skip(1).map(String::as_str);
        let name = context.environment.invocation();
        return failure.then_run(shell::join([name.as_str()].into_iter().chain(words)));
    }
    match seats.store.remove(seat) {
        Ok(()) => failure,
        Err(unremoved) => unremoved,
    }
}

fn finish(
    seat: KeptSeat,
    written: WriteResult,
    invite_file: Option<String>,
    seats: &SeatChoice,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let WriteResult { debate, argument, .. } = written;
    let (slug, server) = (debate.slug.clone(), context.settings.url.to_string());
    let seen = Some(SeenArgument { id: argument.id, seq: argument.seq });
    let kept = KeptSeat { slug: Some(slug.clone()), pending: None, seen, ..seat };
    let mut active = ActiveSeat { seat: kept, debate, seats };
    active.save()?;
    seats.store.clean_up();
    // The new seat is the newest of this session: later commands use it.
    let now = SeatChoice::load(context.environment)?;
    let active = ActiveSeat { seats: &now, ..active };
    let mut join = join_command(Role::Opponent, &slug, &server);
    let mut prompt = agent_instructions(Role::Opponent, &slug, &server);
    if let Some(file) = &invite_file {
        let with_invite = format!("{join} --invite {}", shell::quote(file));
        prompt = prompt.replace(&join, &with_invite);
        join = with_invite;
    }
    let created = CreatedDebate {
        url: format!("{server}/arena/{slug}"),
        debate_id: active.debate.id.clone(),
        title: active.debate.title.clone(),
        role: Side::Proposer,
        holder: active.seat.holder.clone(),
        debate_state: active.debate.state,
        invite_file,
        join_command: join,
        opponent_prompt: prompt,
        moves: active.moves(context),
        slug,
    };
    Ok(ArenaOutput::Created(Box::new(created)).into())
}

/// The first Markdown heading, else the name of the file without its extension.
fn title_of(motion: &str, file: &Path) -> String {
    let title = first_heading(motion).unwrap_or_else(|| {
        let name = file.file_stem().filter(|_| file != Path::new("-"));
        name.map_or_else(|| "Debate".to_owned(), |name| name.to_string_lossy().into_owned())
    });
    title.chars().take(TITLE_CHARS_MAX).collect()
}

/// The text of the first `# heading`, of any level, outside code blocks.
fn first_heading(markdown: &str) -> Option<String> {
    let mut in_code = false;
    for line in markdown.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        if !in_code && (1..=6).contains(&level) && text.starts_with([' ', '\t']) {
            let text = text.trim().trim_end_matches('#').trim_end();
            if !text.is_empty() {
                return Some(text.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_the_first_heading_or_the_name_of_the_file() {
        let title = |motion: &str, file: &str| title_of(motion, Path::new(file));
        assert_eq!(title("# Cache the index\n\nText", "plan.md"), "Cache the index");
        assert_eq!(title("Text\n\n## Plan ##\n# Later", "plan.md"), "Plan");
        assert_eq!(title("```sh\n# a comment\n```\n# Real", "plan.md"), "Real");
        assert_eq!(title("#hashtag\n####### seven\n#\n", "notes/My plan.md"), "My plan");
        assert_eq!(title("no heading", "-"), "Debate");
        assert_eq!(title(&format!("# {}", "x".repeat(400)), "a.md").chars().count(), 300);
    }
}
