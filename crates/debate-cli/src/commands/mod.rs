//! The commands, from their arguments to their results.

mod arena;
mod config;
mod deletion;
mod forum;
mod runner;
mod server;

pub use config::LoadSettings;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use debate_net::BaseUrl;
use serde::Serialize;
use uuid::Uuid;

use crate::args::{
    Common, ConfigArgs, DebateArgs, DebateCommand, Format, ForumArgs, PromptArgs, RuleArgs,
    RunArgs, ServerCommand,
};
use crate::client::Client;
use crate::failure::Failure;
use crate::output::{CommandOutput, Printer, is_closed_pipe, put};
use crate::seats::SeatChoice;
use crate::service;
use crate::settings::{ClientSettings, ProcessEnvironment, WhenRefused};
use crate::shell;

/// Runs an `aw debate` command and prints its result.
#[must_use]
pub fn debate(args: &DebateArgs, environment: &ProcessEnvironment) -> ExitCode {
    let printer = Printer::new(args.common.format, environment.variable);
    printer.finish(debate_output(args, environment, printer))
}

/// Runs an `aw run` command and prints its result.
#[must_use]
pub fn run(args: &RunArgs, environment: &ProcessEnvironment) -> ExitCode {
    let printer = Printer::new(args.common.format, environment.variable);
    let printer = printer.in_lines(args.command.is_stream());
    let outcome = CommandContext::new(&args.common, environment, printer)
        .map(|context| context.for_read(args.command.is_read()))
        .and_then(|context| wait_for(runner::dispatch(&args.command, &context)))
        .map_err(Failure::about_run);
    printer.finish(outcome)
}

/// Runs an `aw forum` command and prints its result.
#[must_use]
pub fn forum(args: &ForumArgs, environment: &ProcessEnvironment) -> ExitCode {
    let printer = Printer::new(args.common.format, environment.variable);
    let printer = printer.in_lines(args.command.is_stream());
    let outcome = CommandContext::new(&args.common, environment, printer)
        .map(|context| context.for_read(args.command.is_read()))
        .and_then(|context| forum::ForumContext::new(args, context))
        .and_then(|context| wait_for(context.dispatch(&args.command)));
    printer.finish(outcome)
}

/// Runs a command for the server on this machine and prints its result.
#[must_use]
pub fn server(command: &ServerCommand, environment: &ProcessEnvironment) -> ExitCode {
    let common = command.common();
    let printer = Printer::new(common.format, environment.variable);
    let outcome = CommandContext::new(common, environment, printer)
        .and_then(|context| wait_for(server::dispatch(command, &context)));
    printer.finish(outcome)
}

/// Runs `aw rule` and prints its result.
#[must_use]
pub fn rule(args: &RuleArgs, environment: &ProcessEnvironment) -> ExitCode {
    let printer = Printer::new(args.common.format, environment.variable);
    let outcome = SeatChoice::load(environment).and_then(|seats| {
        let kept = args.debate().and_then(|name| seats.server_of(name)).cloned();
        let context = CommandContext::with_kept_server(&args.common, environment, printer, kept)?;
        wait_for(arena::rule(args, &context))
    });
    printer.finish(outcome)
}

/// Runs `aw prompt` and prints its result.
#[must_use]
pub fn prompt(args: &PromptArgs, environment: &ProcessEnvironment) -> ExitCode {
    // The text is for pasting, also when it is redirected to a file.
    let format = args.common.format.unwrap_or(Format::Text);
    let printer = Printer::new(Some(format), environment.variable);
    let outcome = SeatChoice::load(environment).and_then(|seats| {
        let name = match &args.debate.debate {
            Some(name) => Some(name.clone()),
            None => seats.newest_debate_name().ok().map(str::to_owned),
        };
        let kept = name.and_then(|name| seats.server_of(&name).cloned());
        let context = CommandContext::with_kept_server(&args.common, environment, printer, kept)?;
        wait_for(arena::prompt(args, &seats, &context.for_read(true)))
    });
    printer.finish(outcome)
}

/// Runs an `aw config` command and prints its result.
#[must_use]
pub fn config(args: &ConfigArgs, environment: &ProcessEnvironment, load: LoadSettings) -> ExitCode {
    let printer = Printer::new(args.common.format, environment.variable);
    printer.finish(config::dispatch(args, environment, load))
}

/// Starts the local server if none runs and prints an overview: `aw` without arguments on a
/// terminal.
#[must_use]
pub fn overview(environment: &ProcessEnvironment) -> ExitCode {
    let common = Common::default();
    let printer = Printer::new(None, environment.variable);
    let outcome = CommandContext::new(&common, environment, printer)
        .map(|context| context.for_read(true))
        .and_then(|context| wait_for(server::overview(&context)));
    printer.finish(outcome)
}

/// The settings, the client and the printer of a command.
pub(crate) struct CommandContext<'a> {
    pub(crate) common: &'a Common,
    pub(crate) environment: &'a ProcessEnvironment,
    pub(crate) settings: ClientSettings,
    pub(crate) client: Client,
    pub(crate) printer: Printer,
    /// The URL for `--server` in printed commands, where they need it.
    server: Option<String>,
}

fn debate_output(
    args: &DebateArgs,
    environment: &ProcessEnvironment,
    printer: Printer,
) -> Result<CommandOutput, Failure> {
    // A new ID needs no server.
    if matches!(args.command, DebateCommand::GenerateId) {
        return Ok(arena::generate_id());
    }
    let seats = SeatChoice::load(environment)?;
    let kept = arena::kept_server(&args.command, &seats, environment)?;
    let context = CommandContext::with_kept_server(&args.common, environment, printer, kept)?;
    let context = context.for_read(args.command.is_read());
    wait_for(arena::dispatch(&args.command, &seats, &context))
}

impl<'a> CommandContext<'a> {
    fn new(
        common: &'a Common,
        environment: &'a ProcessEnvironment,
        printer: Printer,
    ) -> Result<Self, Failure> {
        Self::with_kept_server(common, environment, printer, None)
    }

    /// The context of a command that uses a kept seat: its server is used where neither a flag nor
    /// the environment names one.
    fn with_kept_server(
        common: &'a Common,
        environment: &'a ProcessEnvironment,
        printer: Printer,
        kept: Option<BaseUrl>,
    ) -> Result<Self, Failure> {
        let mut settings = ClientSettings::load(common, environment)?;
        let mut server = common.server.clone();
        if let Some(kept) = kept.filter(|_| settings.is_default_url) {
            settings.url = kept;
            let client = Client::new(&settings);
            return Ok(Self { common, environment, settings, client, printer, server });
        }
        if settings.is_default_url
            && let Some(url) = service::find_other(environment, &settings.url)
        {
            settings.url = url;
            server = Some(settings.url.to_string());
        }
        let client = Client::new(&settings);
        if settings.is_default_url && server.is_some() {
            client.notes.print(format_args!("using the running server at {}", settings.url));
        }
        Ok(Self { common, environment, settings, client, printer, server })
    }

    /// Makes a command that reads once fail at once if no server listens on this machine.
    fn for_read(mut self, is_read: bool) -> Self {
        if is_read {
            self.settings.when_refused = WhenRefused::Fail;
            self.client = Client::new(&self.settings);
        }
        self
    }

    /// A command line of this program for a shell. It repeats the global flags; the environment is
    /// expected to be the same.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        self.command_at(words, self.server.as_deref())
    }

    /// The same for a command that finds its server by a kept seat.
    pub(crate) fn short_command(&self, words: &[&str]) -> String {
        self.command_at(words, None)
    }

    fn command_at(&self, words: &[&str], server: Option<&str>) -> String {
        let common = self.common;
        let mut line = vec![self.environment.invocation()];
        let mut add = |words: &[&str]| line.extend(words.iter().map(|&word| word.to_owned()));
        add(words);
        if let Some(server) = server {
            add(&["--server", server]);
        }
        if let Some(path) = &common.token_file {
            add(&["--token-file", &path.to_string_lossy()]);
        }
        if let Some(format) = common.format {
            add(&["--format", format.name()]);
        }
        if common.quiet {
            add(&["--quiet"]);
        }
        shell::join(line.iter().map(String::as_str))
    }
}

pub(crate) fn wait_for<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    // One thread is enough for one request at a time.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|err| Failure::Local(err.to_string()))?.block_on(command)
}

/// A new ID. IDs that follow one another are close in the server's indexes.
fn new_id() -> String {
    Uuid::now_v7().to_string()
}

/// A path with query parameters.
fn with_query(path: &str, query: &impl Serialize) -> Result<String, Failure> {
    let query =
        serde_urlencoded::to_string(query).map_err(|err| Failure::Local(err.to_string()))?;
    Ok(if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") })
}

/// Writes a document to standard output, or to a file whose path is returned.
fn write_document<'p>(document: &str, out: Option<&'p Path>) -> Result<Option<&'p Path>, Failure> {
    let Some(path) = out.filter(|path| *path != Path::new("-")) else {
        return match put(document) {
            Err(err) if !is_closed_pipe(&err) => Err(Failure::Local(err.to_string())),
            Ok(()) | Err(_) => Ok(None),
        };
    };
    let failed = |cause| Failure::File { path: path.to_owned(), cause };
    fs::write(path, document).map_err(failed)?;
    Ok(Some(path))
}
