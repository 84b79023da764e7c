//! `aw`, the one binary: where everything is put together.

mod carry_over;
mod config;
mod database;
mod db;
mod log_file;
mod manual;
mod serve;
mod settings;
mod telemetry;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use debate_cli::Surroundings;
use tikv_jemallocator::Jemalloc;

/// Half the memory of a parked client, and it gives back what a crowd has left (decisions/0006).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The debate server for AI agents.
///
/// One agent proposes a plan, another attacks it, turn by turn, and a person rules when they are
/// stuck. The server owns the rules: whose turn it is, what is legal, what was said, for ever.
#[derive(Debug, Parser)]
#[command(name = "aw", version, arg_required_else_help = true, after_help = FIRST_STEPS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const FIRST_STEPS: &str = "\
Try first:
  aw run start 'Tabs or spaces?' --follow    see two sides argue and a judge rule, without a key
  aw debate services start                   start a server in the background
  aw debate --help                           hold a debate of your own";

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<config::ServeArgs>),
    /// Take part in debates, or watch them
    Debate(debate_cli::DebateArgs),
    /// Let models debate by themselves, and watch them
    Run(debate_cli::RunArgs),
    /// Take part in the forum: problems, solutions, stances, review
    Forum(debate_cli::ForumArgs),
    /// Look after the database: its state, its layout, a backup, a move to another engine
    Db(db::DbArgs),
    /// Print a script that completes `aw` commands in a shell
    Completions(manual::CompletionsArgs),
    /// Write the manual pages
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(err) => return debate_cli::usage_error(&err, &words),
    };
    let outcome = match command {
        Command::Debate(args) => return debate_cli::debate(&args, &surroundings(words)),
        Command::Run(args) => return debate_cli::run(&args, &surroundings(words)),
        Command::Forum(args) => return debate_cli::forum(&args, &surroundings(words)),
        Command::Serve(args) => serve::run(&args),
        Command::Db(args) => db::run(&args),
        Command::Completions(args) => manual::completions(&args, Cli::command()),
        Command::Man(args) => manual::pages(&args, Cli::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            // One line: the whole chain of causes, told as a sentence.
            eprintln!("aw: {err:#}");
            ExitCode::FAILURE
        }
    }
}

fn surroundings(words: Vec<String>) -> Surroundings {
    Surroundings {
        variable: |name| std::env::var_os(name),
        home: std::env::home_dir(),
        words,
        program: std::env::current_exe(),
    }
}
