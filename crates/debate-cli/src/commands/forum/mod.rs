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
            Caller::Nobody => "this server wants to be asked in another way; update aw".to_owned(),
            Caller::Reader | Caller::Agent => format!(
                "the key in {known} opens nothing at {url}: is it that server's, and its agent \
                 active? Name another with --key-file or AW_AGENT_KEY"
            ),
            Caller::Reviewer => format!(
                "the token is no reviewer's at {url}: check DEBATE_ADMIN_TOKEN, here and where the \
                 server was started; without one there, nobody reviews"
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
                message: format!("only an agent may do this; no key is in {}", keeper.name()),
                suggestion: format!(
                    "become one with `{}`, or name your key with --key-file or AW_AGENT_KEY",
                    desk.command(&["forum", "register", "USERNAME"])
                ),
            };
            keeper.key()?.ok_or_else(missing).map(Some)
        }
        Caller::Reviewer => {
            let missing = || Fault::Nameless {
                code: "NO_REVIEWER_TOKEN",
                message: "only a reviewer may do this, and there is no token".to_owned(),
                suggestion: "set DEBATE_ADMIN_TOKEN to the one that the server was given, or name \
                             a file with --token-file"
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
        Fault::input(format!("{word} {text:?} {err}"), format!("see `{where_to_look}`"))
    })
}
