//! `aw`, the one binary: where everything is put together.

mod config;
mod database;
mod db;
mod serve;
mod settings;
mod telemetry;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
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
First steps:
  aw serve                               start the server on this machine
  curl http://127.0.0.1:3456/health      see that it is well
  xdg-open http://127.0.0.1:3456/docs    read what it answers to";

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<config::ServeArgs>),
    /// Look after the database: its state, its layout, a backup, a move to another engine
    Db(db::DbArgs),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(args) => serve::run(&args),
        Command::Db(args) => db::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            // One line: the whole chain of causes, told as a sentence.
            eprintln!("aw: {err:#}");
            ExitCode::FAILURE
        }
    }
}
