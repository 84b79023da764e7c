//! The output of `aw run`.

#[cfg(test)]
pub(super) mod fixture;
mod live;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use live::{LiveOptions, LiveOutput, TurnAssembler};
pub(super) use text::text;

use debate_render::runner::{DEMO_NOTICE, html_transcript, markdown_transcript, status_sentence};
use debate_render::visible;
use debate_wire::agent::Response;
use debate_wire::runner::agent::{Attempts, Debates, Exported, Started, StatusChange};
use debate_wire::runner::{Debate, Status, Story};

use self::text::run_table;
use super::markdown::{cursor_note, fenced_json};
use super::text::TextStyle;
use crate::args::DocumentFormat;

/// The result of an `aw run` command that succeeded.
pub(crate) enum RunnerOutput {
    /// A run was created, with a message about the next step.
    Started(Started, String),
    /// A run after a command, with a message about its status.
    StatusChange(StatusChange, String),
    List(Debates),
    Story(Box<Story>),
    Attempts(Attempts),
    Exported(Exported),
}

impl RunnerOutput {
    pub(super) fn response(&self) -> Response {
        match self {
            Self::Started(started, message) => {
                Response::new(started).with_metadata("message", message.as_str())
            }
            Self::StatusChange(moved, message) => {
                Response::new(moved).with_metadata("message", message.as_str())
            }
            Self::List(debates) => Response::new(debates),
            Self::Story(story) => Response::new(story),
            Self::Attempts(attempts) => Response::new(attempts),
            Self::Exported(exported) => Response::new(exported),
        }
    }
}

pub(super) fn markdown(output: &RunnerOutput) -> String {
    match output {
        RunnerOutput::Story(story) => markdown_transcript(story),
        RunnerOutput::List(debates) => {
            let table = run_table(&debates.debates, TextStyle::PLAIN).markdown();
            table + &cursor_note(debates.next_cursor.as_ref())
        }
        RunnerOutput::Started(..)
        | RunnerOutput::StatusChange(..)
        | RunnerOutput::Attempts(_)
        | RunnerOutput::Exported(_) => fenced_json(&output.response()),
    }
}

/// A transcript as a self-contained document.
pub(crate) fn render_run(story: &Story, format: DocumentFormat) -> String {
    match format {
        DocumentFormat::Json => super::json::any_pretty(story),
        DocumentFormat::Markdown => markdown_transcript(story),
        DocumentFormat::Html => html_transcript(story),
    }
}

/// The status of a run in one paragraph, with the error of a failed run.
pub(crate) fn status_message(run: &Debate) -> String {
    let sentence = status_sentence(run);
    match run.last_error.as_deref().filter(|_| run.status == Status::Failed) {
        Some(error) => format!("{sentence} Error: {}", visible::line(error)),
        None => sentence,
    }
}

/// The notice of a run that uses only demo models, with the way to real ones.
pub(crate) fn demo_notice() -> String {
    format!(
        "{DEMO_NOTICE} For real models, start the server with an API key such as OPENAI_API_KEY, \
         and pass --model and --judge."
    )
}
