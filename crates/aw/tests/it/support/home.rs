//! The folder and database of a test's servers: a SQLite file, or a database on PostgreSQL.

use std::path::Path;
use std::sync::OnceLock;

use aw_testbed::Database;
use tempfile::TempDir;

/// The database engine. `AW_TEST_ENGINE` chooses it for a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub(crate) fn configured() -> Self {
        match std::env::var("AW_TEST_ENGINE").as_deref() {
            Err(_) | Ok("sqlite") => Self::Sqlite,
            Ok("postgres") => Self::Postgres,
            Ok(other) => panic!("AW_TEST_ENGINE={other}: expected sqlite or postgres"),
        }
    }

    /// The beginning of the storage description in `/health`.
    pub(crate) const fn name_and_major(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite 3.",
            Self::Postgres => "postgresql 1",
        }
    }
}

/// A folder and a database that outlive the servers started on them.
pub(crate) struct Home {
    folder: TempDir,
    engine: Engine,
    /// Created when a server first needs it: many servers are refused before.
    database: OnceLock<Database>,
}

impl Home {
    pub(crate) fn new(engine: Engine) -> Self {
        let folder = TempDir::new().expect("the system has a folder for temporary files");
        Self { folder, engine, database: OnceLock::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The URL that a server must be configured with. None for SQLite, where the server
    /// finds its file itself.
    pub(crate) fn database_url(&self) -> Option<&str> {
        match self.engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(self.database().url()),
        }
    }

    /// The name of the database for operators: path or URL.
    pub(crate) fn database_name(&self) -> String {
        match self.engine {
            Engine::Sqlite => self.path().join(".aweave/db/debate.db").display().to_string(),
            Engine::Postgres => self.database().name().to_owned(),
        }
    }

    /// Whether no server has created anything in the database.
    pub(crate) fn is_untouched(&self) -> bool {
        match self.engine {
            Engine::Sqlite => !self.path().join(".aweave").exists(),
            Engine::Postgres => {
                let count = "select count(*) from pg_class where oid >= 16384";
                self.database().sql(&[count]).expect("it can be asked") == "0"
            }
        }
    }

    /// The numbers in the only row that a statement returns, read directly from the database.
    pub(crate) fn query_numbers(&self, statement: &str) -> Vec<i64> {
        match self.engine {
            Engine::Sqlite => {
                let conn = rusqlite::Connection::open(self.database_name()).expect("it is there");
                let numbers = conn.query_row(statement, [], |row| {
                    let columns = row.as_ref().column_count();
                    (0..columns).map(|column| row.get(column)).collect()
                });
                numbers.expect("the statement finds one row of numbers")
            }
            Engine::Postgres => {
                let row = self.database().sql(&[statement]).expect("it can be asked");
                row.split('|').map(|number| number.parse().expect("it is a number")).collect()
            }
        }
    }

    /// Executes a statement directly in the database: the first on SQLite,
    /// the second on PostgreSQL.
    pub(crate) fn execute(&self, sqlite: &str, postgres: &str) {
        match self.engine {
            Engine::Sqlite => {
                let conn = rusqlite::Connection::open(self.database_name()).expect("it is there");
                conn.busy_timeout(crate::support::HANG).expect("it can be set");
                conn.execute_batch(sqlite).expect("the statement is valid");
            }
            Engine::Postgres => {
                self.sql(&[postgres]);
            }
        }
    }

    /// Executes statements directly in PostgreSQL.
    pub(crate) fn sql(&self, statements: &[&str]) -> String {
        self.database().sql(statements).expect("the statements are valid")
    }

    fn database(&self) -> &Database {
        self.database.get_or_init(|| Database::fresh().expect("a PostgreSQL serves the tests"))
    }
}
