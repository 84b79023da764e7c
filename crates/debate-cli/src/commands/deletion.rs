//! Deletions: the confirmation before, and the result after.

use std::io::{self, IsTerminal};

use debate_render::visible;
use debate_wire::arena::Deleted;
use debate_wire::{ErrorBody, ErrorCode};

use crate::client::{ApiResponse, Completed, parse_empty_body};
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::prompt::{self, DefaultAnswer};

/// Fails if the user cannot be asked for confirmation.
pub(super) fn require_terminal(item: &str) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    let message =
        format!("deleting {item} needs a confirmation, but standard input is not a terminal");
    Err(Failure::input(message, "pass --yes to delete without confirmation"))
}

/// Asks the user to confirm the deletion of the item with this title.
pub(super) fn confirm(title: &str) -> Result<bool, Failure> {
    let question = format!("Delete “{}” and everything in it?", visible::line(title));
    prompt::ask(&question, DefaultAnswer::No)
}

/// Decodes the response to a deletion, which has no body.
pub(super) fn parse_deletion(response: &ApiResponse) -> Option<Deleted> {
    parse_empty_body(response).map(|()| Deleted { deleted: true })
}

/// The result of a deletion. "Not found" after a repeated request means that an earlier attempt
/// succeeded and its response was lost.
pub(super) fn deletion_output(asked: Completed<Deleted>) -> Result<CommandOutput, Failure> {
    match asked.outcome {
        Err(failure) if asked.repeated && failure.has_code(ErrorCode::DebateNotFound) => {
            Ok(CommandOutput::deletion(true))
        }
        outcome => outcome.map(CommandOutput::Deleted),
    }
}

/// The failure of a debate or a run that is deleted while it is followed.
pub(super) fn deleted_failure(item: &str) -> Failure {
    let error = ErrorBody::new(ErrorCode::DebateNotFound, format!("the {item} was deleted"));
    Failure::Rejected(serde_json::to_value(error).unwrap_or_default())
}
