//! `aw db`: status, migration, backup and copy of a database.

mod backup;
mod copy;
mod place;
mod status;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::{ConsentArgs, DatabaseArgs};
use crate::settings::Found;

/// `aw db`
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
    Migrate {
        #[command(flatten)]
        database: DatabaseArgs,
        #[command(flatten)]
        consent: ConsentArgs,
    },
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
    let environment = |name: &str| std::env::var(name).ok();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match &args.command {
            DbCommand::Status { database, json } => {
                status::show(&database.place(environment)?, *json).await
            }
            DbCommand::Migrate { database, consent } => {
                let (place, consent) = database.place_with_consent(consent, environment)?;
                status::migrate(&place, consent).await
            }
            DbCommand::Backup { database, to } => {
                backup::make(&database.place(environment)?, to).await
            }
            DbCommand::Copy { from, to } => {
                let place = |flag: &str, value: &Option<String>| match value {
                    Some(text) => {
                        let (origin, text) = (flag.to_owned(), text.clone());
                        crate::database::named(&Found { origin, text })
                    }
                    None => DatabaseArgs::default().place(environment),
                };
                copy::make(&place("--from", from)?, &place("--to", to)?).await
            }
        }
    })
}
