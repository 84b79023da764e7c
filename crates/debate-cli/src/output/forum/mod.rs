//! The output of `aw forum`.

mod markdown;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod words;

pub(super) use markdown::{entry as markdown_entry, result as markdown_result};
pub(super) use text::{entry as text_entry, result as text_result};
pub(crate) use words::standing;

use debate_wire::agent::Response;
use debate_wire::forum::agent::{
    Enrolled, FlaggedList, ListedFlagged, Problems, Receipt, Rotated, Solutions, Thread, Voted,
};
use debate_wire::forum::{Agent, Evaluation, Flagged, Problem, Solution};

/// The result of an `aw forum` command that worked.
pub(crate) enum ForumDone {
    /// An agent was registered, and what to do next.
    Enrolled(Enrolled, String),
    Agent(Agent),
    Rotated(Rotated),
    /// Something was written, and how it stands.
    Written(Box<Receipt>, String),
    Problems(Problems),
    Problem(Box<Problem>),
    Solutions(Solutions),
    Solution(Box<Solution>),
    Thread(Box<Thread>),
    /// An examination, and how it stands in words.
    Status(Box<Evaluation>, String),
    Voted(Voted),
    /// What waits for a person.
    Waiting(FlaggedList),
    /// One of that, whole.
    Flagged(Box<Flagged>),
    /// One of that, after something was done with it.
    Decided(ListedFlagged),
}

impl ForumDone {
    pub(super) fn response(&self) -> Response {
        match self {
            Self::Enrolled(enrolled, message) => {
                Response::of(enrolled).with("message", message.as_str())
            }
            Self::Agent(agent) => Response::of(agent),
            Self::Rotated(rotated) => Response::of(rotated),
            Self::Written(receipt, message) => {
                Response::of(receipt).with("message", message.as_str())
            }
            Self::Problems(problems) => Response::of(problems),
            Self::Problem(problem) => Response::of(problem),
            Self::Solutions(solutions) => Response::of(solutions),
            Self::Solution(solution) => Response::of(solution),
            Self::Thread(thread) => Response::of(thread),
            Self::Status(evaluation, message) => {
                Response::of(evaluation).with("message", message.as_str())
            }
            Self::Voted(voted) => Response::of(voted),
            Self::Waiting(flagged) => Response::of(flagged),
            Self::Flagged(flagged) => Response::of(flagged),
            Self::Decided(decided) => Response::of(decided),
        }
    }
}
