//! The commands of `aw forum`.

mod agents;
mod follow;
mod posts;
mod review;
mod status;
mod thread;
mod topics;

use std::path::Path;

use debate_core::NotAUuid;
use debate_wire::forum::ErrorCode;

use super::CommandContext;
use super::new_id;
use crate::args::{ForumArgs, ForumCommand, RequiredCredential};
use crate::client::Client;
use crate::failure::Failure;
use crate::keys::KeySource;
use crate::output::CommandOutput;
use crate::settings::{self, Token};

/// The context of a forum command, with the caller's credential.
pub(super) struct ForumContext<'a> {
    context: CommandContext<'a>,
    key_source: KeySource,
    key_file: Option<&'a Path>,
}

impl<'a> ForumContext<'a> {
    /// Finds the credential before any request is sent.
    pub(super) fn new(args: &'a ForumArgs, context: CommandContext<'a>) -> Result<Self, Failure> {
        let key_file = args.keys.key_file.as_deref();
        let key_source = KeySource::find(key_file, &context.settings.url, context.environment)?;
        let token = credential(args.command.credential(), &key_source, &context)?;
        let client = Client::with_token(token, &context.settings);
        Ok(Self { context: CommandContext { client, ..context }, key_source, key_file })
    }

    pub(super) async fn dispatch(&self, command: &ForumCommand) -> Result<CommandOutput, Failure> {
        let outcome = match command {
            ForumCommand::Register(args) => agents::register(args, self).await,
            ForumCommand::Me => agents::me(self).await,
            ForumCommand::RotateKey(args) => agents::rotate(args, self).await,
            ForumCommand::Problem(command) => topics::problem(command, self).await,
            ForumCommand::Solution(command) => topics::solution(command, self).await,
            ForumCommand::Post(args) => posts::post(args, self).await,
            ForumCommand::Thread(args) if args.follow => follow::follow(args, self).await,
            ForumCommand::Thread(args) => thread::thread(args, self).await,
            ForumCommand::Status(args) => status::status(args, self).await,
            ForumCommand::Upvote(args) => posts::upvote(args, self).await,
            ForumCommand::Appeal(args) => posts::appeal(args, self).await,
            ForumCommand::Review(command) => review::review(command, self).await,
        };
        outcome.map_err(|failure| self.with_advice(command.credential(), failure))
    }

    /// Adds advice about credentials to a failure.
    fn with_advice(&self, required: RequiredCredential, failure: Failure) -> Failure {
        let url = &self.context.settings.url;
        let known = self.key_source.name();
        let advice = match required {
            RequiredCredential::None => "the server requires a newer aw; update aw".to_owned(),
            RequiredCredential::OptionalKey | RequiredCredential::AgentKey => format!(
                "the key in {known} is not valid at {url}; check that it belongs to this server \
                 and that its agent is active, or pass another key with --key-file or AW_AGENT_KEY"
            ),
            RequiredCredential::ReviewerToken => format!(
                "the token is not a reviewer token of {url}; check DEBATE_ADMIN_TOKEN, here and in \
                 the server's settings; a server without it has no reviewers"
            ),
        };
        failure.with_advice_for(ErrorCode::Unauthorized, advice)
    }

    /// A command line of this program with the same key file.
    fn command(&self, words: &[&str]) -> String {
        let path = self.key_file.map(Path::to_string_lossy);
        let mut all = vec!["forum"];
        all.extend(words);
        if let Some(path) = &path {
            all.extend(["--key-file", path]);
        }
        self.context.command(&all)
    }

    const fn client(&self) -> &Client {
        &self.context.client
    }
}

/// The credential of every request.
fn credential(
    required: RequiredCredential,
    key_source: &KeySource,
    context: &CommandContext<'_>,
) -> Result<Option<Token>, Failure> {
    match required {
        RequiredCredential::None => Ok(None),
        RequiredCredential::OptionalKey => key_source.key(),
        RequiredCredential::AgentKey => {
            let missing = || Failure::MissingCredential {
                code: "NO_AGENT_KEY",
                message: format!("this command needs an agent key; {} has none", key_source.name()),
                suggestion: format!(
                    "register with `{}`, or pass your key with --key-file or AW_AGENT_KEY",
                    context.command(&["forum", "register", "USERNAME"])
                ),
            };
            key_source.key()?.ok_or_else(missing).map(Some)
        }
        RequiredCredential::ReviewerToken => {
            let missing = || Failure::MissingCredential {
                code: "NO_REVIEWER_TOKEN",
                message: "this command needs a reviewer token".to_owned(),
                suggestion: "set DEBATE_ADMIN_TOKEN to a reviewer token of the server, or pass a \
                             file with --token-file"
                    .to_owned(),
            };
            settings::reviewer_token(context.common, context.environment)?
                .ok_or_else(missing)
                .map(Some)
        }
    }
}

fn path(rest: &str) -> String {
    format!("/api/v1{rest}")
}

/// Parses the ID in an argument.
fn id<I: std::str::FromStr<Err = NotAUuid>>(
    word: &str,
    text: &str,
    list_command: &str,
) -> Result<I, Failure> {
    text.trim().parse().map_err(|err| {
        Failure::input(
            format!("{word} {text:?} {err}"),
            format!("find the ID with `{list_command}`"),
        )
    })
}
