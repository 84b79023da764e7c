//! What each command does, from its arguments to its result.

mod browse;
mod export;
mod forum;
mod ids;
mod read;
mod runs;
mod wait;
mod watch;
mod write;

use std::process::ExitCode;

use debate_wire::agent::Generated;

use self::ids::new_id;
use crate::args::{Command, Common, DebateArgs, ForumArgs, RunArgs, ServicesCommand};
use crate::client::Client;
use crate::fault::Fault;
use crate::output::{Done, Printer};
use crate::service;
use crate::settings::{Settings, Surroundings};
use crate::shell;

/// Runs an `aw debate` command and shows what came of it.
#[must_use]
pub fn debate(args: &DebateArgs, around: &Surroundings) -> ExitCode {
    let printer = Printer::new(args.common.format, around.variable);
    printer.finish(perform(args, around, printer))
}

/// Runs an `aw run` command and shows what came of it.
#[must_use]
pub fn run(args: &RunArgs, around: &Surroundings) -> ExitCode {
    let printer = Printer::new(args.common.format, around.variable);
    let printer = printer.in_lines(args.command.is_stream());
    let performed = Desk::new(&args.common, around, printer)
        .and_then(|desk| wait_for(runs::dispatch(&args.command, &desk)));
    printer.finish(performed)
}

/// Runs an `aw forum` command and shows what came of it.
#[must_use]
pub fn forum(args: &ForumArgs, around: &Surroundings) -> ExitCode {
    let printer = Printer::new(args.common.format, around.variable);
    let printer = printer.in_lines(args.command.is_stream());
    let performed = Desk::new(&args.common, around, printer)
        .and_then(|desk| forum::Seat::take(args, desk))
        .and_then(|seat| wait_for(seat.perform(&args.command)));
    printer.finish(performed)
}

/// What a command works with.
pub(crate) struct Desk<'a> {
    pub(crate) common: &'a Common,
    pub(crate) around: &'a Surroundings,
    pub(crate) settings: Settings,
    pub(crate) client: Client,
    pub(crate) printer: Printer,
}

fn perform(args: &DebateArgs, around: &Surroundings, printer: Printer) -> Result<Done, Fault> {
    // An id needs no server, and no time either.
    if matches!(args.command, Command::GenerateId) {
        return Ok(Done::Id(Generated { id: new_id() }));
    }
    let desk = Desk::new(&args.common, around, printer)?;
    wait_for(dispatch(&args.command, &desk))
}

impl<'a> Desk<'a> {
    fn new(common: &'a Common, around: &'a Surroundings, printer: Printer) -> Result<Self, Fault> {
        let settings = Settings::load(common, around)?;
        let client = Client::new(&settings);
        Ok(Self { common, around, settings, client, printer })
    }

    /// A command of this program, as a shell takes it. What the environment says is still there
    /// when it is run; what flags said is said again.
    fn command(&self, words: &[&str]) -> String {
        let common = self.common;
        let mut line = vec![self.around.invocation()];
        let mut say = |said: &[&str]| line.extend(said.iter().map(|&word| word.to_owned()));
        say(words);
        if let Some(server) = &common.server {
            say(&["--server", server]);
        }
        if let Some(path) = &common.token_file {
            say(&["--token-file", &path.to_string_lossy()]);
        }
        if let Some(format) = common.format {
            say(&["--format", format.name()]);
        }
        if common.quiet {
            say(&["--quiet"]);
        }
        shell::join(line.iter().map(String::as_str))
    }
}

fn wait_for(command: impl Future<Output = Result<Done, Fault>>) -> Result<Done, Fault> {
    // One thread is enough for one request at a time.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|err| Fault::Local(err.to_string()))?.block_on(command)
}

async fn dispatch(command: &Command, desk: &Desk<'_>) -> Result<Done, Fault> {
    match command {
        Command::GenerateId => Ok(Done::Id(Generated { id: new_id() })),
        Command::Create(args) => write::create(args, desk).await,
        Command::Submit(args) => write::submit(args, desk).await,
        Command::Appeal(args) => write::appeal(args, desk).await,
        Command::RequestCompletion(args) => write::request_completion(args, desk).await,
        Command::Ruling(args) => write::ruling(args, desk).await,
        Command::Intervention(args) => write::intervention(args, desk).await,
        Command::GetContext(args) => read::context(args, desk).await,
        Command::List(args) => read::list(args, desk).await,
        Command::Wait(args) => wait::wait(args, desk).await,
        Command::Delete(args) => write::delete(args, desk).await,
        Command::Watch(args) => watch::watch(args, desk).await,
        Command::Export(args) => export::export(args, desk).await,
        Command::Open(args) => browse::open(args, desk).await,
        Command::Services(ServicesCommand::Start) => service::start(desk).await,
        Command::Services(ServicesCommand::Stop) => service::stop(desk).await,
        Command::Services(ServicesCommand::Status) => service::status(desk).await,
    }
}
