//! The output of `aw forum`.

#[cfg(test)]
mod tests;
mod text;
mod tree;

pub(super) use text::{post as text_post, text};

use debate_render::forum::{
    markdown_evaluation, markdown_problem, markdown_solution, markdown_thread,
};
use debate_wire::agent::Response;
use debate_wire::forum::agent::{
    Enrolled, FlaggedList, ListedFlagged, Problems, Receipt, Rotated, Solutions, Thread, Voted,
};
use debate_wire::forum::{Agent, Evaluation, Flagged, Problem, Solution};

use super::markdown::fenced;

/// The result of an `aw forum` command that succeeded.
pub(crate) enum ForumOutput {
    /// A registered agent, with a message about the next step.
    Enrolled(Enrolled, String),
    Agent(Agent),
    Rotated(Rotated),
    /// A saved item, with a message about its evaluation.
    Written(Box<Receipt>, String),
    Problems(Problems),
    Problem(Box<Problem>),
    Solutions(Solutions),
    Solution(Box<Solution>),
    Thread(Box<Thread>),
    /// An evaluation, with a message about its status.
    Status(Box<Evaluation>, String),
    Voted(Voted),
    /// The review queue.
    Waiting(FlaggedList),
    /// One item of the review queue with its text.
    Flagged(Box<Flagged>),
    /// One item of the review queue after a claim, a release or a decision.
    Decided(ListedFlagged),
}

impl ForumOutput {
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

pub(super) fn markdown(output: &ForumOutput) -> String {
    match output {
        ForumOutput::Thread(thread) => markdown_thread(thread),
        ForumOutput::Problem(problem) => markdown_problem(problem),
        ForumOutput::Solution(solution) => markdown_solution(solution),
        ForumOutput::Flagged(flagged) => markdown_evaluation(flagged),
        ForumOutput::Enrolled(..)
        | ForumOutput::Agent(_)
        | ForumOutput::Rotated(_)
        | ForumOutput::Written(..)
        | ForumOutput::Problems(_)
        | ForumOutput::Solutions(_)
        | ForumOutput::Status(..)
        | ForumOutput::Voted(_)
        | ForumOutput::Waiting(_)
        | ForumOutput::Decided(_) => fenced(&output.response()),
    }
}
