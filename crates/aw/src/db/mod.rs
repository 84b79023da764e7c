//! `aw db`: what there is to do with a database beside serving it.

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
    /// Show which database a server would use, and what it holds
    ///
    /// Changes nothing, and can be run while a server is at work.
    Status {
        #[command(flatten)]
        database: DatabaseArgs,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Bring the database to the layout of this version, without starting a server
    ///
    /// A server does the same when it starts. A SQLite file must not be in use.
    Migrate {
        #[command(flatten)]
        database: DatabaseArgs,
        #[command(flatten)]
        consent: ConsentArgs,
    },
    /// Make a consistent copy of a SQLite file, even while a server writes to it
    #[command(after_help = "\
Examples:
  aw db backup --to ~/debates-monday.db
  aw db backup --db-path /srv/debates.db --to /backup/debates.db

The copy is checked before it gets its name. To use it: aw serve --db-path COPY. For PostgreSQL use
pg_dump.")]
    Backup {
        #[command(flatten)]
        database: DatabaseArgs,
        /// The file to make; it must not exist
        #[arg(long, value_name = "PATH")]
        to: PathBuf,
    },
    /// Copy a whole database to an empty one, between SQLite and PostgreSQL in either direction
    #[command(after_help = "\
Examples:
  aw db copy --from ~/.aweave/db/debate.db --to postgres://me@localhost/debates
  aw db copy --from postgres://me@localhost/debates --to ./debates.db

A server may go on with the source; what it writes after the copy began is not in the copy. The copy
is there only when all of it was written, read back, and folded again by the rules to the same
debates; until then, and when anything goes wrong, the destination stays empty. Other users of this
machine can see a password in a command: leave it to a database that trusts you, or to a URL in
DEBATE_DATABASE_URL, which is meant when --from or --to is left out.")]
    Copy {
        /// Where the debates are: a URL or a path [the database that a server would use]
        #[arg(long, value_name = "URL_OR_PATH", required_unless_present = "to")]
        from: Option<String>,
        /// Where they are to go, empty or new: a URL or a path [as with --from]
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
