//! The output of commands: only the result on standard output, progress and errors on standard
//! error.

mod document;
mod done;
mod forum;
mod json;
mod labels;
mod live;
mod markdown;
mod runs;
mod safe;
mod text;

pub(crate) use document::render as render_document;
pub(crate) use done::{About, Done};
pub(crate) use forum::{ForumDone, standing};
pub(crate) use json::{line as json_line, pretty as json_pretty};
pub(crate) use live::{Manner, Show, Stage};
pub(crate) use runs::{DEMO, RunDone, document as run_document, is_demo, resting};

use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use clap::error::ErrorKind;
use debate_wire::agent::{Problem, Response};
use debate_wire::arena::Written;
use debate_wire::forum::Debate;

use crate::args::Format;
use crate::fault::{Exit, Fault};

/// Remarks for whoever watches; they never mix with the result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notes {
    pub(crate) quiet: bool,
}

impl Notes {
    pub(crate) fn say(self, remark: fmt::Arguments<'_>) {
        if !self.quiet {
            // Nobody there to hear it is no reason to fail.
            let _ = writeln!(io::stderr(), "aw: {}", safe::line(&remark.to_string()));
        }
    }
}

/// Shows results in the format that was asked for, or that fits who reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    pub(crate) format: Format,
    colour: bool,
    /// Whether the terminal can take back what it shows.
    moves: bool,
    /// Whether the result is a stream, one thing a line.
    in_lines: bool,
}

impl Printer {
    pub(crate) fn new(asked: Option<Format>, variable: fn(&str) -> Option<OsString>) -> Self {
        let on_terminal = io::stdout().is_terminal();
        let fitting = if on_terminal { Format::Text } else { Format::Json };
        let unwanted = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let dumb = variable("TERM").is_none_or(|terminal| terminal == "dumb");
        let colour = on_terminal && !unwanted("NO_COLOR") && !dumb;
        let moves = on_terminal && !dumb;
        Self { format: asked.unwrap_or(fitting), colour, moves, in_lines: false }
    }

    /// The same for a result that comes bit by bit: then an error is one line of it too.
    pub(crate) const fn in_lines(self, in_lines: bool) -> Self {
        Self { in_lines, ..self }
    }

    /// Whether text can be shown as it comes, and taken back.
    pub(crate) fn can_move(self) -> bool {
        self.moves && self.format == Format::Text
    }

    /// Shows how a command ended.
    pub(crate) fn finish(self, outcome: Result<Done, Fault>) -> ExitCode {
        let exit = outcome.as_ref().map_or_else(Fault::exit, |_| Exit::Ok);
        let shown = match outcome {
            Ok(done) => put(&self.result(&done)),
            Err(fault) => self.failure(&fault.response()),
        };
        match shown {
            Ok(()) => exit.into(),
            Err(err) if has_left(&err) => exit.into(),
            Err(err) => {
                let _ = writeln!(io::stderr(), "aw: cannot write the result: {err}");
                Exit::Trouble.into()
            }
        }
    }

    fn result(self, done: &Done) -> String {
        match (self.format, done) {
            (_, Done::Shown) => String::new(),
            (Format::Json, _) => json_pretty(&done.response()),
            (Format::Markdown, _) => markdown::result(done),
            (Format::Text, _) => text::result(done, text::Paint { on: self.colour }),
        }
    }

    fn failure(self, response: &Response) -> io::Result<()> {
        match self.format {
            Format::Json if self.in_lines => put(&json_line(response)),
            Format::Json => put(&json_pretty(response)),
            Format::Markdown => put(&markdown::failure(response)),
            // For people an error is no result.
            Format::Text => {
                let colour = self.colour && io::stderr().is_terminal();
                let shown = text::failure(response, text::Paint { on: colour });
                io::stderr().write_all(shown.as_bytes())
            }
        }
    }

    /// One argument of a debate that is followed.
    pub(crate) fn argument(self, written: &Written) -> io::Result<()> {
        put(&match self.format {
            Format::Json => json_line(&Response::of(written)),
            Format::Markdown => markdown::argument(&written.argument),
            Format::Text => text::argument(&written.argument, text::Paint { on: self.colour }),
        })
    }

    /// One stance on a solution that is followed.
    pub(crate) fn stance(self, debate: &Debate) -> io::Result<()> {
        put(&match self.format {
            Format::Json => json_line(&Response::of(debate)),
            Format::Markdown => forum::markdown_entry(debate),
            Format::Text => forum::text_entry(debate, text::Paint { on: self.colour }),
        })
    }
}

/// Writes to standard output.
pub(crate) fn put(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// A reader that has left has had what it wanted.
pub(crate) fn has_left(err: &io::Error) -> bool {
    err.kind() == io::ErrorKind::BrokenPipe
}

/// Text on one line, with nothing in it that a terminal obeys.
pub(crate) fn one_line(text: &str) -> String {
    safe::line(text)
}

/// The words behind which results come in the envelope.
const FAMILIES: [&str; 3] = ["debate", "run", "forum"];

/// Reports an invalid command line: as text on standard error, and to programs in the envelope.
/// `words` is the command line, starting with the program's name.
#[must_use]
pub fn usage_error(err: &clap::Error, words: &[String]) -> ExitCode {
    // A reader that has left is not an error.
    let _ = err.print();
    if !err.use_stderr() {
        return ExitCode::SUCCESS;
    }
    let asked_for_help = err.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if words.get(1).is_some_and(|word| FAMILIES.contains(&word.as_str())) && !asked_for_help {
        let shown = io::stdout().is_terminal();
        let format = wanted(words).unwrap_or(if shown { Format::Text } else { Format::Json });
        let response = misuse(err);
        let told = match format {
            Format::Json => put(&json_pretty(&response)),
            Format::Markdown => put(&markdown::failure(&response)),
            Format::Text => Ok(()),
        };
        if told.is_err_and(|err| !has_left(&err)) {
            return Exit::Trouble.into();
        }
    }
    Exit::Missing.into()
}

/// The format on a command line that could not be understood as a whole.
fn wanted(words: &[String]) -> Option<Format> {
    let mut words = words.iter();
    let name = words.by_ref().find_map(|word| match word.strip_prefix("--format")? {
        "" => Some(String::new()),
        rest => rest.strip_prefix('=').map(str::to_owned),
    })?;
    let name = if name.is_empty() { words.next()?.clone() } else { name };
    Format::from_str(&name, true).ok()
}

fn misuse(err: &clap::Error) -> Response {
    let told = err.render().to_string();
    let mut paragraphs = told.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    let squeezed = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = paragraphs.next().map(squeezed).unwrap_or_default();
    let closing = "For more information, try '--help'.";
    let rest: Vec<_> = paragraphs.map(squeezed).filter(|part| part != closing).collect();
    let problem = Problem {
        code: "USAGE_ERROR".to_owned(),
        message: message.trim_start_matches("error: ").to_owned(),
        suggestion: Some(if rest.is_empty() {
            "run with --help for usage".to_owned()
        } else {
            rest.join(". ").trim_start_matches("tip: ").to_owned()
        }),
    };
    Response::failed(problem, None)
}
