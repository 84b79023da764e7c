//! Whole databases, moved between the engines.

mod faithful;
mod history;
mod many;
mod refused;

use aw_testbed::Database;
use debate_app::arena::{Account, ArchiveError, Copied, Destination, Source, account, copy};
use debate_store::{Postgres, Sqlite};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::sqlite::file::Folder;

/// One end of a copy.
enum End<'e> {
    File(&'e Folder),
    Server(&'e Database),
}

impl End<'_> {
    async fn source(&self) -> Box<dyn Source> {
        match self {
            Self::File(folder) => Box::new(Sqlite::read(&folder.path()).expect("it can be read")),
            Self::Server(database) => {
                Box::new(Postgres::read(database.url()).await.expect("it can be read"))
            }
        }
    }

    async fn destination(&self) -> Box<dyn Destination> {
        match self {
            Self::File(folder) => Box::new(Sqlite::fill(&folder.path()).expect("it can be filled")),
            Self::Server(database) => {
                Box::new(Postgres::fill(database.url()).await.expect("it can be filled"))
            }
        }
    }

    async fn account(&self) -> Account {
        account(&mut *self.source().await).await.expect("it folds")
    }

    /// Whether there is nothing in it, as the next copy would see it.
    async fn is_empty(&self) -> bool {
        self.destination().await.is_empty().await.expect("it can be asked")
    }
}

async fn copied(from: &End<'_>, to: &End<'_>) -> Result<Copied, ArchiveError> {
    copy(&mut *from.source().await, &mut *to.destination().await, &mut |_| {}).await
}

fn database() -> Database {
    Database::fresh().expect("PostgreSQL can be started")
}

/// Every row of every table of ours, in order, every byte of it.
fn export(folder: &Folder) -> Vec<u8> {
    let conn = folder.onlooker();
    let mut bytes = Vec::new();
    for statement in [
        "select * from debates order by id",
        "select id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint,
                seq, state_after, created_at
         from arguments order by debate_id, seq",
        "select * from debate_search order by debate_id",
        "select * from debate_counts where debates <> 0 order by bucket",
    ] {
        dump(&conn, statement, &mut bytes);
    }
    bytes
}

fn dump(conn: &Connection, statement: &str, bytes: &mut Vec<u8>) {
    let mut statement = conn.prepare(statement).expect("the table is there");
    let columns = statement.column_count();
    let mut rows = statement.query([]).expect("the table can be read");
    while let Some(row) = rows.next().expect("the table can be read") {
        for column in 0..columns {
            let (kind, value) = match row.get_ref(column).expect("there are as many columns") {
                ValueRef::Null => (b'0', Vec::new()),
                ValueRef::Integer(number) => (b'i', number.to_le_bytes().to_vec()),
                ValueRef::Real(number) => (b'r', number.to_le_bytes().to_vec()),
                ValueRef::Text(text) => (b't', text.to_vec()),
                ValueRef::Blob(blob) => (b'b', blob.to_vec()),
            };
            bytes.push(kind);
            bytes.extend(value.len().to_le_bytes());
            bytes.extend(value);
        }
    }
}

/// A copy that knows too little would lose what a new table holds.
#[test]
fn every_table_there_is_is_one_that_a_copy_knows_of() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    let conn = folder.onlooker();
    let mut tables = conn
        .prepare("select name from sqlite_schema where type = 'table' order by name")
        .expect("every file has a schema");
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).expect("it can be read");
    let tables: Vec<_> = tables.map(Result::unwrap).collect();
    let known = ["arguments", "debate_counts", "debate_search", "debates", "schema_meta"];
    assert_eq!(tables, known);
}
