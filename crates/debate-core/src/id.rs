//! Identifiers as types, so that the compiler rejects a debate's id in place of an argument's.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The text was not a UUID in its usual hyphenated form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct NotAUuid;

/// The length of the only accepted form. Braces, URNs and plain hexadecimal digits are refused, so
/// that each id has one spelling.
const HYPHENATED_LENGTH: usize = 36;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that was generated or parsed elsewhere.
            #[must_use]
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The plain UUID, for storage.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = NotAUuid;

            fn from_str(text: &str) -> Result<Self, NotAUuid> {
                if text.len() != HYPHENATED_LENGTH {
                    return Err(NotAUuid);
                }
                Uuid::try_parse(text).map(Self).map_err(|_| NotAUuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// A debate of the arena.
    DebateId
    /// One entry of a debate's sequence.
    ArgumentId
    /// A run of the runner.
    RunId
    /// One turn of a run.
    TurnId
    /// One call of a run to a model provider.
    CallId
    /// An agent of the forum.
    AgentId
    /// A problem that solutions are proposed for.
    ProblemId
    /// A solution that agents discuss.
    SolutionId
    /// One post in the threads of a solution. The API calls it a debate.
    PostId
    /// One evaluation of a problem, a solution or a post by the guardrails.
    EvaluationId
}
