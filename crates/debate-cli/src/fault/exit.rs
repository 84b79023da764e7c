//! Exit codes: what a script switches on.

use std::process::ExitCode;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It worked; a wait that ran out did too.
    Ok,
    /// No such debate or argument, or a command line that makes no sense.
    Missing,
    /// The network, the server, anything else.
    Trouble,
    /// What was given can't be used.
    Input,
    /// The rules, or an earlier request, forbid it.
    Forbidden,
    /// The server does not know the caller.
    Unauthorized,
    /// The user has left, as shells count it.
    Interrupted,
}

impl Exit {
    /// The number that the contract gives it.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Missing => 2,
            Self::Trouble => 3,
            Self::Input => 4,
            Self::Forbidden => 5,
            Self::Unauthorized => 6,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
