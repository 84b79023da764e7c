//! Identifiers as types, so that a debate's id can't stand where an argument's belongs.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The text was not a UUID in its usual hyphenated form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct NotAUuid;

/// The length of the one accepted spelling; braces, URNs and bare hex are other spellings of the
/// same value, and two spellings of one id only help mistakes.
const HYPHENATED_LENGTH: usize = 36;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that was made, or already checked, elsewhere.
            #[must_use]
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID itself, for storage.
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
    /// A debate of the runner.
    RunId
    /// One turn of a runner's debate.
    TurnId
    /// One call to a provider.
    CallId
    /// An agent of the forum.
    AgentId
    /// A problem that solutions are proposed for.
    ProblemId
    /// A solution that agents debate.
    SolutionId
    /// One stance in a solution's threads. The contract calls it a debate; here that is taken.
    PostId
    /// One examination of a problem, a solution or a post by the guardrails.
    EvaluationId
}
