//! The results of commands.

use debate_wire::agent::{Response, Services};
use debate_wire::arena::Deleted;
use serde_json::Value;

use super::arena::ArenaOutput;
use super::forum::ForumOutput;
use super::runner::RunnerOutput;

/// The result of a command that succeeded.
pub(crate) enum CommandOutput {
    Arena(ArenaOutput),
    Runner(RunnerOutput),
    Forum(ForumOutput),
    /// Confirmation of a deletion; false if the user declined it.
    Deleted(Deleted),
    /// The background server, with an optional message.
    Services(Services, Option<String>),
    /// The command has already written its result to standard output.
    Printed,
}

impl CommandOutput {
    pub(crate) const fn deletion(deleted: bool) -> Self {
        Self::Deleted(Deleted { deleted })
    }

    pub(crate) fn response(&self) -> Response {
        match self {
            Self::Arena(output) => output.response(),
            Self::Runner(output) => output.response(),
            Self::Forum(output) => output.response(),
            Self::Deleted(deleted) => Response::new(deleted),
            Self::Services(services, message) => match message {
                Some(message) => Response::new(services).with_metadata("message", message.as_str()),
                None => Response::new(services),
            },
            Self::Printed => Response::new(&Value::Null),
        }
    }
}

impl From<ArenaOutput> for CommandOutput {
    fn from(output: ArenaOutput) -> Self {
        Self::Arena(output)
    }
}

impl From<RunnerOutput> for CommandOutput {
    fn from(output: RunnerOutput) -> Self {
        Self::Runner(output)
    }
}

impl From<ForumOutput> for CommandOutput {
    fn from(output: ForumOutput) -> Self {
        Self::Forum(output)
    }
}
