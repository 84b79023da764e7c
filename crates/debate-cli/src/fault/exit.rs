//! Exit codes for scripts.

use std::process::ExitCode;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Success, including a wait that timed out.
    Ok,
    /// The debate or argument does not exist, or the command line is invalid.
    Missing,
    /// A network error, a server error, or any other error.
    Trouble,
    /// The input is invalid.
    Input,
    /// The rules or an earlier request do not allow the action.
    Forbidden,
    /// The caller is not authorized.
    Unauthorized,
    /// The user pressed Ctrl-C.
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
