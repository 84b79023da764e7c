//! The output of `aw debate`.

mod markdown;
mod text;
mod turn;

pub(super) use markdown::markdown;
pub(super) use text::{argument as text_argument, debate_name, text};

use debate_render::arena::{html_transcript, markdown_transcript};
use debate_wire::agent::{
    AgentPrompt, Context, CreatedDebate, Debates, Exported, Generated, Opened, Pagination, Receipt,
    Response, TurnReport, WaitEnd,
};
use debate_wire::arena::Transcript;

use crate::args::DocumentFormat;

/// The result of an `aw debate` command that succeeded.
pub(crate) enum ArenaOutput {
    Id(Generated),
    Written(Receipt, WriteDetail),
    Context(Box<Context>),
    List(Debates, Pagination),
    WaitEnd(Box<WaitEnd>),
    Opened(Opened),
    Exported(Exported),
    Created(Box<CreatedDebate>),
    Turn(Box<TurnReport>),
    Prompt(AgentPrompt),
}

/// Details of a write that its receipt does not have.
pub(crate) enum WriteDetail {
    /// A debate was created; the message names the next step.
    Created(String),
    Ruling {
        closed: bool,
    },
    Argument,
}

impl ArenaOutput {
    pub(super) fn response(&self) -> Response {
        match self {
            Self::Id(id) => Response::new(id),
            Self::Written(receipt, detail) => {
                let response = Response::new(receipt);
                match detail {
                    WriteDetail::Created(message) => {
                        response.with_metadata("message", message.as_str())
                    }
                    WriteDetail::Ruling { closed } => response.with_metadata("closed", *closed),
                    WriteDetail::Argument => response,
                }
            }
            Self::Context(context) => Response::new(context),
            Self::List(debates, page) => Response { page: Some(*page), ..Response::new(debates) },
            Self::WaitEnd(end) => Response::new(end),
            Self::Opened(opened) => Response::new(opened),
            Self::Exported(exported) => Response::new(exported),
            Self::Created(created) => Response::new(created),
            Self::Turn(report) => Response::new(report),
            Self::Prompt(prompt) => Response::new(prompt),
        }
    }
}

/// A transcript as a self-contained document.
pub(crate) fn render_debate(transcript: &Transcript, format: DocumentFormat) -> String {
    match format {
        DocumentFormat::Json => super::json::any_pretty(transcript),
        DocumentFormat::Markdown => markdown_transcript(transcript),
        DocumentFormat::Html => html_transcript(transcript),
    }
}
