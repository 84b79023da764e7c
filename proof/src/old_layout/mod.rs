//! Database files of earlier servers, and a check that a later file contains all their rows.
//!
//! The tables come from the servers' SQL files, the rows from this module.

mod arena;
mod rows;

use std::path::Path;

use anyhow::Context;
use rusqlite::Connection;

pub(crate) use self::rows::ExpectedRows;

/// A layout of the database file before the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldLayout {
    /// The first Node server (seed 000): a version in `schema_meta`, times to the second.
    Express,
    /// The second Node server (seed 002): Prisma's tables, times to the millisecond.
    Prisma,
    /// Tables of the arena only.
    V2,
    /// The runner's tables are added.
    V3,
    /// The forum's tables are added.
    V4,
    /// The states of debates have their own table.
    V5,
    /// Tombstones, sessions and views are added.
    V6,
    /// The index of undecided posts is added.
    V7,
}

/// The number of runs, agents, problems, solutions and posts in a file whose layout has them.
const OTHER_ROWS: u32 = 300;

const EXPRESS: &str = include_str!("../../../crates/debate-store/tests/it/legacy/express.sql");
const PRISMA: &str = include_str!("../../../crates/debate-store/tests/it/legacy/prisma.sql");
const ARENA: &str = include_str!("../../../crates/debate-store/migrations/sqlite/0002_arena.sql");
const RUNNER: &str = include_str!("../../../crates/debate-store/migrations/sqlite/0003_runner.sql");
const FORUM: &str = include_str!("../../../crates/debate-store/migrations/sqlite/0004_forum.sql");
const STANDINGS: &str =
    include_str!("../../../crates/debate-store/migrations/sqlite/0005_standings.sql");
const HARDENING: &str =
    include_str!("../../../crates/debate-store/migrations/sqlite/0006_hardening.sql");
const UNDECIDED_POSTS: &str =
    include_str!("../../../crates/debate-store/migrations/sqlite/0007_undecided_posts.sql");

/// The steps of all layouts from version 2 on; each layout has the first of them.
const STEPS: &[Step] = &[
    Step::Sql(ARENA),
    Step::Layout2Debates,
    Step::Sql(RUNNER),
    Step::Sql(include_str!("runner.sql")),
    Step::Sql(FORUM),
    Step::Sql(include_str!("forum.sql")),
    Step::Sql(STANDINGS),
    Step::Sql(HARDENING),
    Step::Sql(include_str!("hardening.sql")),
    Step::Sql(UNDECIDED_POSTS),
];

impl OldLayout {
    pub(crate) const ALL: [Self; 8] =
        [Self::Express, Self::Prisma, Self::V2, Self::V3, Self::V4, Self::V5, Self::V6, Self::V7];

    /// The version that the file states; none where the layout has no version.
    pub(crate) const fn version(self) -> Option<&'static str> {
        match self {
            Self::Express => Some("1"),
            Self::Prisma => None,
            Self::V2 => Some("2"),
            Self::V3 => Some("3"),
            Self::V4 => Some("4"),
            Self::V5 => Some("5"),
            Self::V6 => Some("6"),
            Self::V7 => Some("7"),
        }
    }

    /// The steps that create and fill the tables, in order.
    const fn steps(self) -> &'static [Step] {
        use Step::{NodeDebates, Sql};
        match self {
            Self::Express => &[Sql(EXPRESS), NodeDebates("%Y-%m-%d %H:%M:%S")],
            Self::Prisma => &[Sql(PRISMA), NodeDebates("%Y-%m-%dT%H:%M:%S.123Z")],
            Self::V2 => STEPS.split_at(2).0,
            Self::V3 => STEPS.split_at(4).0,
            Self::V4 => STEPS.split_at(6).0,
            Self::V5 => STEPS.split_at(7).0,
            Self::V6 => STEPS.split_at(9).0,
            Self::V7 => STEPS,
        }
    }

    /// Creates a file with at least this many arguments and closes it properly.
    pub(crate) fn make(self, path: &Path, arguments: u32) -> anyhow::Result<()> {
        let conn = Connection::open(path)?;
        if self != Self::Prisma {
            conn.query_row("pragma journal_mode = wal", [], |row| row.get::<_, String>(0))?;
        }
        conn.execute_batch("pragma synchronous = off; create temp table numbers (number);")?;
        for number in 1..=OTHER_ROWS {
            conn.execute("insert into numbers values (?1)", [number])?;
        }
        for step in self.steps() {
            match step {
                Step::Sql(sql) => conn.execute_batch(sql)?,
                Step::NodeDebates(form) => arena::fill_node(&conn, form, arguments)?,
                Step::Layout2Debates => arena::fill_layout_2(&conn, arguments)?,
            }
        }
        if let Some(version) = self.version() {
            conn.execute(
                "insert or replace into schema_meta (key, value) values ('version', ?1)",
                [version],
            )?;
        }
        conn.close().map_err(|(_, err)| err).context("the file is not closed")
    }
}

/// A step in the creation of a file.
enum Step {
    Sql(&'static str),
    /// Debates in the tables of the Node servers, with times in this `strftime` format.
    NodeDebates(&'static str),
    /// Debates in the tables of layout 2.
    Layout2Debates,
}

/// The layout version of a file that no process has open; none if it has no version.
pub(crate) fn read_version(path: &Path) -> anyhow::Result<Option<String>> {
    let conn = Connection::open(path)?;
    let query = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
    let tables = "select max(name) from sqlite_schema where name = 'schema_meta'";
    if query(tables)?.is_none() {
        return Ok(None);
    }
    Ok(query("select max(value) from schema_meta where key = 'version'")?)
}
