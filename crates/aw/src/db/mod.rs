//! `aw db`: status, migration, backup, check and copy of a database.

mod backup;
mod copy;
mod location;
mod progress;
mod status;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use debate_settings::SettingValue;

use crate::config::{DatabaseArgs, MigrateArgs};

/// The flags of `aw db`.
#[derive(Debug, Args)]
pub(crate) struct DbArgs {
    #[command(subcommand)]
    command: DbCommand,
}

#[derive(Debug, Subcommand)]
enum DbCommand {
    /// Show the database that the server would use, its schema version and its row counts
    ///
    /// The command changes nothing and can run while a server uses the database.
    Status {
        #[command(flatten)]
        database: DatabaseArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Migrate the database to the schema of this version without starting a server
    ///
    /// `aw serve` migrates the database too when it starts. Stop every server that uses a SQLite
    /// file first.
    Migrate(MigrateArgs),
    /// Back up a SQLite database, even while a server writes to it
    #[command(after_help = "\
Examples:
  aw db backup --to ~/debates-monday.db
  aw db backup --db-path /srv/debates.db --to /backup/debates.db

The backup gets its final name only after it was checked. To use it, run
aw serve --db-path BACKUP. For PostgreSQL use pg_dump.")]
    Backup {
        #[command(flatten)]
        database: DatabaseArgs,
        /// Backup file to create; it must not exist
        #[arg(long, value_name = "PATH")]
        to: PathBuf,
    },
    /// Check that every debate and run has the state that the rules lead to
    #[command(after_help = "\
Examples:
  aw db check
  aw db check --database-url postgres://me@localhost/debates

The command changes nothing and can run while a server uses the database. It replays every debate
and run by the rules and reads every other row. At the first difference it prints the debate or run,
the number of the argument or turn, the expected value and the stored value, and ends with exit
code 1.
The digest is the same for the same content on SQLite and PostgreSQL.")]
    Check {
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Copy a database into an empty one, between SQLite and PostgreSQL in either direction
    #[command(after_help = "\
Examples:
  aw db copy --from ~/.aweave/db/debate.db --to postgres://me@localhost/debates
  aw db copy --from postgres://me@localhost/debates --to ./debates.db

A server may keep using the source; the copy does not contain writes made after it started. The copy
is committed only after every row was read back and every debate and run was replayed to its stored
state. After an error the destination stays empty.

Other users of the machine can see a password on the command line. Put such a URL into
DEBATE_DATABASE_URL instead and leave out --from or --to.")]
    Copy {
        /// Source: a URL or a path [default: the database that the server would use]
        #[arg(long, value_name = "URL_OR_PATH", required_unless_present = "to")]
        from: Option<String>,
        /// Empty or new destination: a URL or a path [default: as for --from]
        #[arg(long, value_name = "URL_OR_PATH", required_unless_present = "from")]
        to: Option<String>,
    },
}

pub(crate) fn run(args: &DbArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match &args.command {
            DbCommand::Status { database, json } => {
                status::show_status(&database.location()?, *json).await
            }
            DbCommand::Migrate(args) => {
                let (location, consent) = args.load()?;
                status::migrate(&location, consent).await
            }
            DbCommand::Backup { database, to } => backup::back_up(&database.location()?, to).await,
            DbCommand::Check { database } => copy::check_database(&database.location()?).await,
            DbCommand::Copy { from, to } => {
                let location = |flag: &str, value: &Option<String>| match value {
                    Some(text) => {
                        let (origin, text) = (flag.to_owned(), text.clone());
                        crate::database::parse_location(&SettingValue { origin, text })
                    }
                    None => DatabaseArgs::default().location(),
                };
                copy::copy_database(&location("--from", from)?, &location("--to", to)?).await
            }
        }
    })
}
