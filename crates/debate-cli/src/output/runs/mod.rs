//! The output of `aw run`.

#[cfg(test)]
pub(super) mod fixture;
mod markdown;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub(super) use markdown::{
    ending as markdown_ending, heading as markdown_heading, result as markdown_result,
    turn as markdown_turn,
};
pub(super) use text::{footer, heading, headline, said, summary, turn};
pub(crate) use words::{DEMO, is_demo, resting};
pub(super) use words::{elapsed, figure, who};

use debate_wire::agent::Response;
use debate_wire::runner::Story;
use debate_wire::runner::agent::{Attempts, Debates, Exported, Moved, Started};

use super::text::Paint;
use crate::args::RunDocument;

/// The result of an `aw run` command that worked.
pub(crate) enum RunDone {
    /// A run was created, with a message about the next step.
    Started(Started, String),
    /// A run after a command, with a message about its status.
    Moved(Moved, String),
    List(Debates),
    Story(Box<Story>),
    Attempts(Attempts),
    Exported(Exported),
}

impl RunDone {
    pub(super) fn response(&self) -> Response {
        match self {
            Self::Started(started, message) => {
                Response::of(started).with("message", message.as_str())
            }
            Self::Moved(moved, message) => Response::of(moved).with("message", message.as_str()),
            Self::List(debates) => Response::of(debates),
            Self::Story(story) => Response::of(story),
            Self::Attempts(attempts) => Response::of(attempts),
            Self::Exported(exported) => Response::of(exported),
        }
    }
}

/// The result as text.
pub(super) fn text_result(done: &RunDone, paint: Paint) -> String {
    text::result(done, paint)
}

/// A transcript as a self-contained document.
pub(crate) fn document(story: &Story, kind: RunDocument) -> String {
    match kind {
        RunDocument::Json => super::json::any_pretty(story),
        RunDocument::Markdown => markdown::story(story),
    }
}
