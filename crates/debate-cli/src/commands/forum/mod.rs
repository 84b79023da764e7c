//! What each `aw forum` command does, from its arguments to its result.

mod agents;
mod follow;
mod review;
mod say;
mod status;
mod things;
mod thread;

use std::path::Path;

use debate_core::NotAUuid;
use debate_wire::forum::ErrorCode;

use super::Desk;
use super::ids::new_id;
use crate::args::{Caller, ForumArgs, ForumCommand};
use crate::client::Client;
use crate::fault::Fault;
use crate::keys::Keeper;
use crate::output::Done;
use crate::settings::{self, Token};

/// What a command of the forum works with.
pub(super) struct Seat<'a> {
    desk: Desk<'a>,
    keeper: Keeper,
    key_file: Option<&'a Path>,
}

impl<'a> Seat<'a> {
    /// Finds out who calls, before anything is asked.
    pub(super) fn take(args: &'a ForumArgs, desk: Desk<'a>) -> Result<Self, Fault> {
        let key_file = args.keys.key_file.as_deref();
        let keeper = Keeper::find(key_file, &desk.settings.url, desk.around)?;
        let token = credential(args.command.caller(), &keeper, &desk)?;
        let client = Client::bearing(token, &desk.settings);
        Ok(Self { desk: Desk { client, ..desk }, keeper, key_file })
    }

    pub(super) async fn perform(&self, command: &ForumCommand) -> Result<Done, Fault> {
        let performed = match command {
            ForumCommand::Register(args) => agents::register(args, self).await,
            ForumCommand::Me => agents::me(self).await,
            ForumCommand::RotateKey(args) => agents::rotate(args, self).await,
            ForumCommand::Problem(command) => things::problem(command, self).await,
            ForumCommand::Solution(command) => things::solution(command, self).await,
            ForumCommand::Post(args) => say::post(args, self).await,
            ForumCommand::Thread(args) if args.follow => follow::follow(args, self).await,
            ForumCommand::Thread(args) => thread::thread(args, self).await,
            ForumCommand::Status(args) => status::status(args, self).await,
            ForumCommand::Upvote(args) => say::upvote(args, self).await,
            ForumCommand::Appeal(args) => say::appeal(args, self).await,
            ForumCommand::Review(command) => review::review(command, self).await,
        };
        performed.map_err(|fault| self.who_can(command.caller(), fault))
    }

    /// A refusal for want of a key, with where one could come from.
    fn who_can(&self, caller: Caller, fault: Fault) -> Fault {
        let url = &self.desk.settings.url;
        let known = self.keeper.name();
        let advice = match caller {
            Caller::Nobody => "the server requires a newer aw; update aw".to_owned(),
            Caller::Reader | Caller::Agent => format!(
                "the key in {known} is not valid at {url}; check that it belongs to this server \
                 and that its agent is active, or pass another key with --key-file or AW_AGENT_KEY"
            ),
            Caller::Reviewer => format!(
                "the token is not a reviewer token of {url}; check DEBATE_ADMIN_TOKEN, here and in \
                 the server's settings; a server without it has no reviewers"
            ),
        };
        fault.when(ErrorCode::Unauthorized, advice)
    }

    /// A command of this program, to be run by the same caller.
    fn command(&self, words: &[&str]) -> String {
        let path = self.key_file.map(Path::to_string_lossy);
        let mut all = vec!["forum"];
        all.extend(words);
        if let Some(path) = &path {
            all.extend(["--key-file", path]);
        }
        self.desk.command(&all)
    }

    const fn client(&self) -> &Client {
        &self.desk.client
    }
}

/// What goes with every request.
fn credential(caller: Caller, keeper: &Keeper, desk: &Desk<'_>) -> Result<Option<Token>, Fault> {
    match caller {
        Caller::Nobody => Ok(None),
        Caller::Reader => keeper.key(),
        Caller::Agent => {
            let missing = || Fault::Nameless {
                code: "NO_AGENT_KEY",
                message: format!("this command needs an agent key; {} has none", keeper.name()),
                suggestion: format!(
                    "register with `{}`, or pass your key with --key-file or AW_AGENT_KEY",
                    desk.command(&["forum", "register", "USERNAME"])
                ),
            };
            keeper.key()?.ok_or_else(missing).map(Some)
        }
        Caller::Reviewer => {
            let missing = || Fault::Nameless {
                code: "NO_REVIEWER_TOKEN",
                message: "this command needs a reviewer token".to_owned(),
                suggestion: "set DEBATE_ADMIN_TOKEN to a reviewer token of the server, or pass a \
                             file with --token-file"
                    .to_owned(),
            };
            settings::reviewer(desk.common, desk.around)?.ok_or_else(missing).map(Some)
        }
    }
}

fn path(rest: &str) -> String {
    format!("/api/v1{rest}")
}

/// What a word names, as the server spells it.
fn id<I: std::str::FromStr<Err = NotAUuid>>(
    word: &str,
    text: &str,
    where_to_look: &str,
) -> Result<I, Fault> {
    text.trim().parse().map_err(|err| {
        Fault::input(
            format!("{word} {text:?} {err}"),
            format!("find the ID with `{where_to_look}`"),
        )
    })
}
