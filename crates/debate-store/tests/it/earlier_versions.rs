//! Databases of earlier schema versions, made from current ones: the earlier tables with the
//! columns that both versions have. New tables and columns of later versions need no entry here.

use std::fs;

use aw_testbed::Database;
use rusqlite::Connection;

use crate::sqlite::temp_database::TempDatabase;

/// The schema version that this build creates.
pub(crate) const CURRENT: i64 = 8;

macro_rules! migrations {
    ($engine:literal) => {
        [
            (2, include_str!(concat!("../../migrations/", $engine, "/0002_arena.sql"))),
            (3, include_str!(concat!("../../migrations/", $engine, "/0003_runner.sql"))),
            (4, include_str!(concat!("../../migrations/", $engine, "/0004_forum.sql"))),
            (5, include_str!(concat!("../../migrations/", $engine, "/0005_standings.sql"))),
            (6, include_str!(concat!("../../migrations/", $engine, "/0006_hardening.sql"))),
            (7, include_str!(concat!("../../migrations/", $engine, "/0007_undecided_posts.sql"))),
        ]
    };
}

/// The state of a debate was in its own row until version 5.
const DEBATES_WITH_STATE: &str = "create temp view source_debates as
    select d.*, s.state, s.last_seq, s.updated_at
    from current.debates d left join current.standings s on s.debate_id = d.id";

/// Replaces a closed file by one of an earlier schema version.
pub(crate) fn file_back_to(folder: &TempDatabase, layout: i64) {
    let path = folder.beside(".earlier");
    let earlier = Connection::open(&path).expect("the folder is writable");
    for (_, sql) in migrations!("sqlite").iter().filter(|(version, _)| *version <= layout) {
        earlier.execute_batch(sql).expect("the migration runs");
    }
    let current = folder.path();
    earlier.execute("attach ?1 as current", [current.to_str()]).expect("the file is there");
    earlier.execute_batch(DEBATES_WITH_STATE).expect("the file is of the current layout");
    for table in texts(
        &earlier,
        "select name from main.sqlite_schema where type = 'table' and name <> 'schema_meta'",
    ) {
        let (schema, name) =
            if table == "debates" { ("temp", "source_debates") } else { ("current", &*table) };
        let columns = texts(
            &earlier,
            &format!(
                "select name from pragma_table_info('{table}', 'main')
                 where name in (select name from pragma_table_info('{name}', '{schema}'))"
            ),
        )
        .join(", ");
        // The later version has no such table.
        if columns.is_empty() {
            continue;
        }
        let source = format!("{schema}.{name}");
        let copy = format!("insert into main.{table} ({columns}) select {columns} from {source}");
        earlier.execute_batch(&copy).expect("the rows fit");
    }
    let version = "insert into main.schema_meta (key, value) values ('version', ?1)";
    earlier.execute(version, [layout.to_string()]).expect("the table is empty");
    drop(earlier);
    fs::rename(path, current).expect("both are in one folder");
    for ending in ["-wal", "-shm"] {
        fs::remove_file(folder.beside(ending)).ok();
    }
}

fn texts(conn: &Connection, query: &str) -> Vec<String> {
    let mut statement = conn.prepare(query).expect("the query is valid");
    let rows = statement.query_map([], |row| row.get(0)).expect("the query runs");
    rows.collect::<Result<_, _>>().expect("each row is a text")
}

/// Turns a database that no server uses into one of an earlier schema version.
pub(crate) fn server_back_to(database: &Database, layout: i64) {
    let migrations = migrations!("postgres");
    let version = format!("insert into schema_meta (key, value) values ('version', '{layout}')");
    let mut statements = vec!["create schema earlier", "set search_path = earlier"];
    let wanted = migrations.iter().filter(|(version, _)| *version <= layout);
    statements.extend(wanted.map(|(_, sql)| *sql));
    statements.extend([
        // Rows come table by table, not in the order of their references.
        "set session_replication_role = replica",
        "do $$ declare earlier record; begin
             for earlier in
                 select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
                 from information_schema.columns e join information_schema.tables t
                     using (table_schema, table_name)
                 where table_schema = 'earlier' and table_name <> 'schema_meta'
                   and t.table_type = 'BASE TABLE' and exists (
                     select from information_schema.columns c
                     where c.table_schema = 'public' and c.table_name = e.table_name
                       and c.column_name = e.column_name)
                 group by table_name
             loop
                 execute format('insert into earlier.%1$I (%2$s) select %2$s from public.%1$I',
                                earlier.name, earlier.columns);
             end loop;
         end $$",
        &version,
        "drop schema public cascade",
        "alter schema earlier rename to public",
    ]);
    database.sql(&statements).expect("the database is of the current layout");
}
