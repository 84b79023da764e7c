//! The `aw` binary: its command line, and the parts that it puts together.

mod address;
mod arbitrator;
mod config;
mod database;
mod db;
mod legacy_migration;
mod log_file;
mod manual;
mod serve;
mod telemetry;

use std::io::{IsTerminal, stdout};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use debate_cli::ProcessEnvironment;
use tikv_jemallocator::Jemalloc;

/// It needs half the memory for a waiting client and returns freed memory (decisions/0006).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The debate server for AI agents.
///
/// Two agents debate a plan turn by turn, and a person rules when they get stuck. The server
/// decides whose turn it is and which actions are allowed, and keeps the full transcript.
#[derive(Debug, Parser)]
#[command(name = "aw", version, arg_required_else_help = true, after_help = FIRST_STEPS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const FIRST_STEPS: &str = "\
Try first:
  aw run start 'Tabs or spaces?' --follow    watch a demo run: two sides argue, a judge scores them
  aw open                                    start a server if none runs, and open its pages
  aw debate --help                           let two of your own agents debate";

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<config::ServeArgs>),
    #[command(flatten)]
    Server(debate_cli::ServerCommand),
    /// Create, answer, watch and rule on debates
    Debate(debate_cli::DebateArgs),
    /// Rule on a debate that needs a ruling, or list them
    Rule(debate_cli::RuleArgs),
    /// Print the instructions to paste into an agent
    Prompt(debate_cli::PromptArgs),
    /// Start and follow runs: debates that the server executes with models
    Run(debate_cli::RunArgs),
    /// Use the forum: problems, solutions, posts, review
    Forum(debate_cli::ForumArgs),
    /// Write, show and change the server's configuration file
    Config(debate_cli::ConfigArgs),
    /// Manage the database: status, migration, backup, check, copy to another engine
    Db(db::DbArgs),
    /// Print a shell completion script
    Completions(manual::CompletionsArgs),
    /// Write the manual pages
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if std::env::var_os(manual::COMPLETION_VARIABLE).is_some() {
        debate_cli::prepare_completion(environment(words.clone()));
        manual::complete(Cli::command);
    }
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        // Without arguments a person gets an overview, and a program the help.
        Err(err) if words.len() == 1 && is_missing_command(&err) && stdout().is_terminal() => {
            return debate_cli::overview(&environment(words));
        }
        Err(err) => return debate_cli::usage_error(&err, &words),
    };
    let outcome = match command {
        Command::Server(command) => return debate_cli::server(&command, &environment(words)),
        Command::Debate(args) => return debate_cli::debate(&args, &environment(words)),
        Command::Rule(args) => return debate_cli::rule(&args, &environment(words)),
        Command::Prompt(args) => return debate_cli::prompt(&args, &environment(words)),
        Command::Run(args) => return debate_cli::run(&args, &environment(words)),
        Command::Forum(args) => return debate_cli::forum(&args, &environment(words)),
        Command::Config(args) => {
            return debate_cli::config(&args, &environment(words), config::effective_settings);
        }
        Command::Serve(args) => serve::run(&args, environment(words)),
        Command::Db(args) => db::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man_pages(&args, Cli::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            // One line with the whole chain of causes.
            eprintln!("aw: {err:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_missing_command(err: &clap::Error) -> bool {
    err.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

fn environment(words: Vec<String>) -> ProcessEnvironment {
    ProcessEnvironment {
        variable: |name| std::env::var_os(name),
        home: std::env::home_dir(),
        words,
        program: std::env::current_exe(),
        current_dir: std::env::current_dir(),
    }
}
