//! The output of commands: only the result on standard output, progress and errors on standard
//! error.

mod arena;
mod config;
mod forum;
mod json;
mod markdown;
mod overview;
mod runner;
mod styled_markdown;
mod table;
mod text;
mod time;
mod wrap;

pub(crate) use arena::{ArenaOutput, WriteDetail, render_debate};
pub(crate) use config::ConfigOutput;
pub(crate) use forum::ForumOutput;
pub(crate) use json::{line as json_line, pretty as json_pretty};
pub(crate) use overview::{NextCommand, Overview};
pub(crate) use runner::{
    LiveOptions, LiveOutput, RunnerOutput, TurnAssembler, demo_notice, render_run, status_message,
};

use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use clap::error::ErrorKind;
use debate_render::arena::markdown_argument;
use debate_render::forum::markdown_post;
use debate_render::visible;
use debate_wire::agent::{CommandError, Response, Services};
use debate_wire::arena::{Deleted, WriteResult};
use debate_wire::forum::Debate;
use serde_json::Value;

use self::text::TextStyle;
use crate::args::Format;
use crate::failure::{ExitStatus, Failure};

/// The result of a command that succeeded.
pub(crate) enum CommandOutput {
    Arena(ArenaOutput),
    Runner(RunnerOutput),
    Forum(ForumOutput),
    Config(ConfigOutput),
    /// Confirmation of a deletion; false if the user declined it.
    Deleted(Deleted),
    /// The background server, with an optional message.
    Services(Services, Option<String>),
    /// The command has already written its result to standard output.
    Printed,
}

impl CommandOutput {
    pub(crate) const fn deletion(deleted: bool) -> Self {
        Self::Deleted(Deleted { deleted })
    }

    pub(crate) fn response(&self) -> Response {
        match self {
            Self::Arena(output) => output.response(),
            Self::Runner(output) => output.response(),
            Self::Forum(output) => output.response(),
            Self::Config(output) => output.response(),
            Self::Deleted(deleted) => Response::new(deleted),
            Self::Services(services, message) => match message {
                Some(message) => Response::new(services).with_metadata("message", message.as_str()),
                None => Response::new(services),
            },
            Self::Printed => Response::new(&Value::Null),
        }
    }
}

impl From<ArenaOutput> for CommandOutput {
    fn from(output: ArenaOutput) -> Self {
        Self::Arena(output)
    }
}

impl From<RunnerOutput> for CommandOutput {
    fn from(output: RunnerOutput) -> Self {
        Self::Runner(output)
    }
}

impl From<ForumOutput> for CommandOutput {
    fn from(output: ForumOutput) -> Self {
        Self::Forum(output)
    }
}

/// Progress messages on standard error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgressLog {
    pub(crate) quiet: bool,
}

impl ProgressLog {
    pub(crate) fn print(self, message: fmt::Arguments<'_>) {
        if !self.quiet {
            // A closed standard error does not fail the command.
            let _ = writeln!(io::stderr(), "aw: {}", visible::line(&message.to_string()));
        }
    }
}

/// Prints results in the requested format: by default text on a terminal, and JSON otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    pub(crate) format: Format,
    colour: bool,
    /// Whether the terminal can move the cursor.
    can_move_cursor: bool,
    /// The columns of the terminal; none where standard output is not a terminal.
    width: Option<usize>,
    /// Whether the result is a stream of JSON objects, one per line.
    in_lines: bool,
}

impl Printer {
    pub(crate) fn new(asked: Option<Format>, variable: fn(&str) -> Option<OsString>) -> Self {
        let on_terminal = io::stdout().is_terminal();
        let fitting = if on_terminal { Format::Text } else { Format::Json };
        let unwanted = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let dumb = variable("TERM").is_none_or(|terminal| terminal == "dumb");
        let colour = on_terminal && !unwanted("NO_COLOR") && !dumb;
        let can_move_cursor = on_terminal && !dumb;
        let width = on_terminal.then(terminal_columns);
        let format = asked.unwrap_or(fitting);
        Self { format, colour, can_move_cursor, width, in_lines: false }
    }

    /// The printer of a stream, in which an error is one line too.
    pub(crate) const fn in_lines(self, in_lines: bool) -> Self {
        Self { in_lines, ..self }
    }

    /// Whether text can be printed while it arrives, and removed.
    pub(crate) fn is_live(self) -> bool {
        self.can_move_cursor && self.format == Format::Text
    }

    /// Prints the result or the failure of a command and returns its exit code.
    pub(crate) fn finish(self, outcome: Result<CommandOutput, Failure>) -> ExitCode {
        let exit = outcome.as_ref().map_or_else(Failure::exit, |_| ExitStatus::Ok);
        let printed = match outcome {
            Ok(output) => put(&self.render(&output)),
            Err(failure) => self.failure(&failure.response()),
        };
        match printed {
            Ok(()) => exit.into(),
            Err(err) if is_closed_pipe(&err) => exit.into(),
            Err(err) => {
                let _ = writeln!(io::stderr(), "aw: cannot write the result: {err}");
                ExitStatus::Error.into()
            }
        }
    }

    /// An overview as text.
    pub(crate) fn overview(self, overview: &Overview) -> String {
        overview::text(overview, self.style())
    }

    fn style(self) -> TextStyle {
        TextStyle { colour: self.colour, width: self.width }
    }

    fn render(self, output: &CommandOutput) -> String {
        match (self.format, output) {
            (_, CommandOutput::Printed) => String::new(),
            (Format::Json, _) => json_pretty(&output.response()),
            (Format::Markdown, _) => markdown::markdown(output),
            (Format::Text, _) => text::text(output, self.style()),
        }
    }

    fn failure(self, response: &Response) -> io::Result<()> {
        match self.format {
            Format::Json if self.in_lines => put(&json_line(response)),
            Format::Json => put(&json_pretty(response)),
            Format::Markdown => put(&markdown::failure(response)),
            Format::Text => {
                let colour = self.colour && io::stderr().is_terminal();
                let message = text::failure(response, TextStyle { colour, width: None });
                io::stderr().write_all(message.as_bytes())
            }
        }
    }

    /// Prints one argument of a stream.
    pub(crate) fn argument(self, written: &WriteResult) -> io::Result<()> {
        put(&match self.format {
            Format::Json => json_line(&Response::new(written)),
            Format::Markdown => markdown_argument(&written.argument),
            Format::Text => arena::text_argument(&written.argument, self.style()),
        })
    }

    /// Prints one forum post of a stream.
    pub(crate) fn post(self, post: &Debate) -> io::Result<()> {
        put(&match self.format {
            Format::Json => json_line(&Response::new(post)),
            Format::Markdown => markdown_post(post),
            Format::Text => forum::text_post(post, self.style()),
        })
    }
}

/// The columns of the terminal; 80 if they are unknown.
fn terminal_columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// Writes to standard output.
pub(crate) fn put(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Whether the reader of standard output has closed it, which is not an error.
pub(crate) fn is_closed_pipe(err: &io::Error) -> bool {
    err.kind() == io::ErrorKind::BrokenPipe
}

/// The commands whose results are in the envelope.
const ENVELOPE_COMMANDS: [&str; 11] = [
    "debate", "run", "forum", "rule", "prompt", "open", "status", "stop", "restart", "logs",
    "config",
];

/// Reports an invalid command line: as text on standard error, and to programs in the envelope.
/// `words` is the command line, starting with the program's name.
#[must_use]
pub fn usage_error(err: &clap::Error, words: &[String]) -> ExitCode {
    // A closed standard error is not an error.
    let _ = err.print();
    if !err.use_stderr() {
        return ExitCode::SUCCESS;
    }
    let is_help = err.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if words.get(1).is_some_and(|word| ENVELOPE_COMMANDS.contains(&word.as_str())) && !is_help {
        let on_terminal = io::stdout().is_terminal();
        let format = requested_format(words).unwrap_or(if on_terminal {
            Format::Text
        } else {
            Format::Json
        });
        let response = usage_response(err);
        let printed = match format {
            Format::Json => put(&json_pretty(&response)),
            Format::Markdown => put(&markdown::failure(&response)),
            Format::Text => Ok(()),
        };
        if printed.is_err_and(|err| !is_closed_pipe(&err)) {
            return ExitStatus::Error.into();
        }
    }
    ExitStatus::Missing.into()
}

/// The format on an invalid command line.
fn requested_format(words: &[String]) -> Option<Format> {
    let mut words = words.iter();
    let name = words.by_ref().find_map(|word| match word.strip_prefix("--format")? {
        "" => Some(String::new()),
        rest => rest.strip_prefix('=').map(str::to_owned),
    })?;
    let name = if name.is_empty() { words.next()?.clone() } else { name };
    Format::from_str(&name, true).ok()
}

fn usage_response(err: &clap::Error) -> Response {
    let message = err.render().to_string();
    let mut paragraphs = message.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    let join_lines = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = paragraphs.next().map(join_lines).unwrap_or_default();
    let closing = "For more information, try '--help'.";
    let rest: Vec<_> = paragraphs.map(join_lines).filter(|part| part != closing).collect();
    let problem = CommandError {
        code: "USAGE_ERROR".to_owned(),
        message: message.trim_start_matches("error: ").to_owned(),
        suggestion: Some(if rest.is_empty() {
            "run with --help for usage".to_owned()
        } else {
            rest.join(". ").trim_start_matches("tip: ").to_owned()
        }),
    };
    Response::failure(problem, None)
}
