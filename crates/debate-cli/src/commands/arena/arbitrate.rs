//! Writes that only the arbitrator may make. A debate without seats accepts them from every client;
//! the server tells by `SEAT_REQUIRED` that a debate has seats, and only then the arbitrator token
//! is read.

use std::path::{Path, PathBuf};

use debate_core::arena::SecretKind;
use debate_core::{DebateId, Reference};
use debate_settings::table::ARBITRATOR_TOKEN_FILE;
use debate_wire::ErrorCode;

use super::resolve::load_debate;
use crate::args::ArbitratorFlag;
use crate::client::{ApiRequest, ArbitratorToken, Completed, Credentials, Decode};
use crate::commands::CommandContext;
use crate::controlling_terminal::ControllingTerminal;
use crate::failure::{ARBITRATOR_ADVICE, Failure};
use crate::settings::{ProcessEnvironment, Token, read_private};
use debate_render::visible;

/// The question to the person at the terminal: `Rule on “Cache the index”?`
pub(super) type Question = fn(&str) -> String;

/// Sends a write of the arbitrator. If the debate has seats, it asks on the terminal and sends the
/// arbitrator token to a server that proves to have it.
pub(super) async fn send<T>(
    request: ApiRequest,
    decode: Decode<T>,
    debate: &Reference<DebateId>,
    (question, flag): (Question, &ArbitratorFlag),
    context: &CommandContext<'_>,
) -> Completed<T> {
    let first = context.client.request_with(&request, decode).await;
    match first.outcome {
        Err(failure) if failure.has_code(ErrorCode::SeatRequired) => {
            let rights = match rights_for(debate, question, flag, context).await {
                Ok(rights) => rights,
                Err(failure) => {
                    return Completed { outcome: Err(failure), repeated: first.repeated };
                }
            };
            let request = request.with_credentials(rights);
            context.client.request_with(&request, decode).await
        }
        outcome => Completed { outcome, repeated: first.repeated },
    }
}

async fn rights_for(
    debate: &Reference<DebateId>,
    question: Question,
    flag: &ArbitratorFlag,
    context: &CommandContext<'_>,
) -> Result<Credentials, Failure> {
    // Without a title the question would not say what is at stake.
    let title = load_debate(debate, context).await?.title;
    arbitrator_rights(&question(&visible::line(&title)), flag, context)
}

/// The credentials of the arbitrator: of the file that a flag names, or of this machine after the
/// person at the terminal has agreed.
pub(super) fn arbitrator_rights(
    question: &str,
    flag: &ArbitratorFlag,
    context: &CommandContext<'_>,
) -> Result<Credentials, Failure> {
    if let Some(path) = &flag.arbitrator_token_file {
        let token = read_arbitrator_token(path)?;
        return Ok(credentials(ArbitratorToken { token, wants_proof: false }));
    }
    if !context.settings.url.is_loopback() {
        let url = &context.settings.url;
        return Err(no_rights(format!("{url} is not a server of this machine")));
    }
    let Ok(mut terminal) = ControllingTerminal::open() else {
        return Err(no_rights("the command has no terminal to ask on".to_owned()));
    };
    let path = default_token_path(context.environment)?;
    let token = read_arbitrator_token(&path)?;
    if !terminal.confirm(question)? {
        let message = "not confirmed; nothing was changed".to_owned();
        let suggestion = "answer y to confirm".to_owned();
        return Err(Failure::MissingCredential { code: "NOT_CONFIRMED", message, suggestion });
    }
    Ok(credentials(ArbitratorToken { token, wants_proof: true }))
}

/// The arbitrator token of this machine, without a question; none if there is none or the server
/// is on another machine.
pub(super) fn local_rights(context: &CommandContext<'_>) -> Option<Credentials> {
    let path = default_token_path(context.environment).ok()?;
    let token = read_arbitrator_token(&path).ok()?;
    let is_local = context.settings.url.is_loopback();
    is_local.then(|| credentials(ArbitratorToken { token, wants_proof: true }))
}

fn credentials(token: ArbitratorToken) -> Credentials {
    Credentials { arbitrator: Some(token), ..Credentials::default() }
}

/// The file of the setting, or `~/.aweave/arbitrator.token`.
fn default_token_path(environment: &ProcessEnvironment) -> Result<PathBuf, Failure> {
    if let Some(path) = environment.text(ARBITRATOR_TOKEN_FILE.variable)? {
        return Ok(path.into());
    }
    let home = environment.home.as_ref();
    let home = home.ok_or_else(|| Failure::input("the home folder is unknown", "set HOME"))?;
    Ok(home.join(".aweave").join("arbitrator.token"))
}

fn read_arbitrator_token(path: &Path) -> Result<Token, Failure> {
    let text = match read_private(path, "arbitrator token") {
        Err(Failure::FileNotFound(path)) => {
            let message = format!("{} has no arbitrator token", path.display());
            return Err(no_rights(message));
        }
        text => text?,
    };
    if !SecretKind::Arbitrator.matches(text.trim()) {
        // The content is not shown, because it may be a real token with a mistake.
        let message = format!("{} does not contain an arbitrator token", path.display());
        return Err(Failure::input(message, "restore the file that the server created"));
    }
    Ok(Token::new(text.trim().to_owned()))
}

fn no_rights(message: String) -> Failure {
    let suggestion = ARBITRATOR_ADVICE.to_owned();
    Failure::MissingCredential { code: "SEAT_REQUIRED", message, suggestion }
}
