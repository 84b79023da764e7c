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
    FlaggedList, ListedFlagged, Problems, Receipt, Rotated, SavedRegistration, Solutions, Thread,
    VoteResult,
};
use debate_wire::forum::{Agent, Evaluation, Flagged, Problem, Solution};

use self::text::{problem_table, queue_table, solution_table};
use super::markdown::{cursor_note, fenced_json};
use super::text::TextStyle;

/// The result of an `aw forum` command that succeeded.
pub(crate) enum ForumOutput {
    /// A registered agent, with a message about the next step.
    SavedRegistration(SavedRegistration, String),
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
    VoteResult(VoteResult),
    /// The items that wait for a reviewer.
    Waiting(FlaggedList),
    /// One item of the review queue with its text.
    Flagged(Box<Flagged>),
    /// One item of the review queue after a claim, a release or a decision.
    Decided(ListedFlagged),
}

impl ForumOutput {
    pub(super) fn response(&self) -> Response {
        match self {
            Self::SavedRegistration(enrolled, message) => {
                Response::new(enrolled).with_metadata("message", message.as_str())
            }
            Self::Agent(agent) => Response::new(agent),
            Self::Rotated(rotated) => Response::new(rotated),
            Self::Written(receipt, message) => {
                Response::new(receipt).with_metadata("message", message.as_str())
            }
            Self::Problems(problems) => Response::new(problems),
            Self::Problem(problem) => Response::new(problem),
            Self::Solutions(solutions) => Response::new(solutions),
            Self::Solution(solution) => Response::new(solution),
            Self::Thread(thread) => Response::new(thread),
            Self::Status(evaluation, message) => {
                Response::new(evaluation).with_metadata("message", message.as_str())
            }
            Self::VoteResult(voted) => Response::new(voted),
            Self::Waiting(flagged) => Response::new(flagged),
            Self::Flagged(flagged) => Response::new(flagged),
            Self::Decided(decided) => Response::new(decided),
        }
    }
}

pub(super) fn markdown(output: &ForumOutput) -> String {
    match output {
        ForumOutput::Thread(thread) => markdown_thread(thread),
        ForumOutput::Problem(problem) => markdown_problem(problem),
        ForumOutput::Solution(solution) => markdown_solution(solution),
        ForumOutput::Flagged(flagged) => markdown_evaluation(flagged),
        ForumOutput::Problems(problems) => {
            problem_table(problems).markdown() + &cursor_note(problems.next_cursor.as_ref())
        }
        ForumOutput::Solutions(solutions) => {
            solution_table(solutions).markdown() + &cursor_note(solutions.next_cursor.as_ref())
        }
        ForumOutput::Waiting(queue) => {
            let table = queue_table(queue, TextStyle::PLAIN).markdown();
            table + &cursor_note(queue.next_cursor.as_ref())
        }
        ForumOutput::SavedRegistration(..)
        | ForumOutput::Agent(_)
        | ForumOutput::Rotated(_)
        | ForumOutput::Written(..)
        | ForumOutput::Status(..)
        | ForumOutput::VoteResult(_)
        | ForumOutput::Decided(_) => fenced_json(&output.response()),
    }
}
