//! The databases of the original Node servers: checked row by row, then migrated in place.
//!
//! Both passes read the rows with the same function. The first pass only reads, so that a database
//! that cannot be migrated without loss is refused before anything is written.

mod debate;
mod problems;
mod row;

use std::collections::HashSet;

use debate_core::arena::Head;
use debate_core::{ArgumentId, DebateId, OriginalId};
use rusqlite::{Connection, Statement, params};
use uuid::Uuid;

use self::debate::{MigratedDebate, OldArgument, OldDebate};
use self::problems::RowProblems;
use self::row::OldRow;
use super::archive::record_update_times;
use super::arena::{insert_argument, insert_debate, keep_original_type, save_counters};
use super::legacy_migration::LegacyMigrationEvent;
use super::open_error::OpenError;
use crate::archive::{Digest, DigestBuilder};
use crate::arena::CounterChanges;
use crate::sql::Value;

pub use problems::{LossyMigration, RowProblem};

/// An original database that can be migrated.
pub(super) struct LegacySummary {
    pub(super) debates: u64,
    pub(super) arguments: u64,
    /// Digest of every debate and argument.
    pub(super) digest: Digest,
    /// Values that will be stored in another form.
    pub(super) changes: Vec<RowProblem>,
}

/// Checks that every row can be migrated. Otherwise the error lists every row that cannot.
pub(super) fn check(
    conn: &Connection,
    report: &mut dyn FnMut(LegacyMigrationEvent),
) -> Result<LegacySummary, OpenError> {
    conn.execute_batch(
        "create temp view legacy_debates as select * from main.debates;
         create temp view legacy_arguments as select * from main.arguments;",
    )?;
    let (mut problems, total) = (RowProblems::default(), count_arguments(conn)?);
    let (mut digest, mut debates, mut arguments) = (DigestBuilder::default(), 0, 0);
    if refuse_losses(conn, &mut problems)? == ColumnCheck::Missing {
        return Err(problems.into_lossy_migration().into());
    }
    for_each_debate(conn, &mut problems, |migrated| {
        migrated.add_to(&mut digest);
        debates += 1;
        arguments += count(&migrated.entries);
        report(LegacyMigrationEvent::Checked { arguments, total });
        Ok(())
    })?;
    refuse_orphans(conn, &mut problems)?;
    Ok(LegacySummary {
        debates,
        arguments,
        digest: digest.finish(),
        changes: problems.into_changes()?,
    })
}

/// Whether the original tables have every column that is migrated.
#[derive(Debug, PartialEq, Eq)]
enum ColumnCheck {
    All,
    Missing,
}

/// The columns that are migrated. Any other column, view or trigger would be lost.
const COLUMNS: [(&str, &[&str]); 2] = [
    ("debates", &["id", "title", "debate_type", "state", "created_at", "updated_at"]),
    (
        "arguments",
        &[
            "id",
            "debate_id",
            "parent_id",
            "type",
            "role",
            "content",
            "client_request_id",
            "seq",
            "created_at",
        ],
    ),
];

fn refuse_losses(conn: &Connection, problems: &mut RowProblems) -> rusqlite::Result<ColumnCheck> {
    let mut all = ColumnCheck::All;
    for (table, known) in COLUMNS {
        let mut columns = conn.prepare("select name from pragma_table_info(?1)")?;
        let names = columns.query_map([table], |row| row.get(0))?;
        let names = names.collect::<rusqlite::Result<Vec<String>>>()?;
        for lost in names.iter().filter(|name| !known.contains(&name.as_str())) {
            problems.refuse(RowProblem::new(
                table,
                lost,
                "unknown column; its values would be lost",
            ));
        }
        for missing in known.iter().filter(|name| !names.iter().any(|found| found == *name)) {
            problems.refuse(RowProblem::new(table, missing, "missing column"));
            all = ColumnCheck::Missing;
        }
    }
    let mut dependents =
        conn.prepare("select name from main.sqlite_schema where type in ('view', 'trigger')")?;
    for name in dependents.query_map([], |row| row.get::<_, String>(0))? {
        let reason = "a view or trigger, which would be lost; drop it first";
        problems.refuse(RowProblem::new("sqlite_schema", &name?, reason));
    }
    Ok(all)
}

/// Renames the original tables, so that the new ones can be created.
pub(super) fn rename_old_tables(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(
        "alter table debates rename to legacy_debates;
         alter table arguments rename to legacy_arguments;",
    )
}

/// Writes every row to the new tables and drops the original ones. Foreign keys must be off: with
/// them SQLite searches the whole table for each row that it drops.
pub(super) fn migrate_rows(
    conn: &Connection,
    report: &mut dyn FnMut(LegacyMigrationEvent),
) -> Result<(), OpenError> {
    let (mut problems, total) = (RowProblems::default(), count_arguments(conn)?);
    let (mut counters, mut arguments) = (CounterChanges::default(), 0);
    for_each_debate(conn, &mut problems, |migrated| {
        arguments += count(&migrated.entries);
        migrated.insert(conn, &mut counters)?;
        report(LegacyMigrationEvent::Written { arguments, total });
        Ok(())
    })?;
    problems.into_changes()?;
    record_update_times(conn)?;
    save_counters(&counters, conn)
        .map_err(|fault| rusqlite::Error::ToSqlConversionFailure(fault.0.into()))?;
    conn.execute_batch("drop table legacy_arguments; drop table legacy_debates;")?;
    Ok(())
}

impl MigratedDebate {
    /// Adds the debate to the digest that names the backup.
    fn add_to(&self, digest: &mut DigestBuilder) {
        let Self { debate, original_type, entries, .. } = self;
        digest.add_row(
            "debates",
            &[
                Value::Id(debate.id.uuid()),
                Value::from(debate.title.as_str()),
                Value::from(debate.debate_type.name()),
                Value::from(original_type.as_deref()),
                Value::from(debate.state.name()),
                Value::from(debate.created_at),
                Value::from(debate.updated_at),
            ],
        );
        for argument in entries.iter().map(|entry| &entry.argument) {
            digest.add_row(
                "arguments",
                &[
                    Value::Id(argument.id.uuid()),
                    Value::from(argument.parent.map(ArgumentId::uuid)),
                    Value::from(argument.kind.name()),
                    Value::from(argument.role.name()),
                    Value::from(argument.content.as_str()),
                    Value::from(argument.request_key.as_deref()),
                    Value::from(argument.created_at),
                ],
            );
        }
    }

    fn insert(&self, conn: &Connection, counters: &mut CounterChanges) -> rusqlite::Result<()> {
        let (Some(motion), Some(newest)) = (self.entries.first(), self.entries.last()) else {
            return Ok(()); // the replay refuses a debate without a motion
        };
        let (debate, last_seq) = (&self.debate, newest.argument.seq);
        let (auto_ruling, seats, seat_fields) = (None, None, None);
        let head = Head { debate: debate.clone(), last_seq, auto_ruling, seats, seat_fields };
        insert_debate(conn, &head, &motion.argument.content)?;
        keep_original_type(conn, debate.id, self.original_type.as_deref())?;
        if let Some(original) = &self.original_id {
            insert_original(conn, "debate", original, debate.id.uuid())?;
        }
        for entry in &self.entries {
            insert_argument(conn, entry)?;
        }
        for original in &self.original_arguments {
            insert_original(conn, "argument", original, original.to_argument_id().uuid())?;
        }
        counters.add(debate.state, last_seq);
        Ok(())
    }
}

fn insert_original(
    conn: &Connection,
    kind: &str,
    original: &OriginalId,
    id: Uuid,
) -> rusqlite::Result<()> {
    // An argument's id is repeated as the parent of others.
    conn.prepare_cached(
        "insert into original_ids (kind, original, id) values (?1, ?2, ?3) on conflict do nothing",
    )?
    .execute(params![kind, original.as_str(), id.as_bytes()])?;
    Ok(())
}

/// Reads every debate with its arguments, in the order of the ids, and calls `each` with those
/// that can be migrated.
fn for_each_debate(
    conn: &Connection,
    problems: &mut RowProblems,
    mut each: impl FnMut(MigratedDebate) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut debates = conn.prepare(
        "select id, title, debate_type, state, created_at, updated_at
         from legacy_debates order by id",
    )?;
    let mut arguments = conn.prepare(
        "select id, parent_id, type, role, content, client_request_id, seq, created_at
         from legacy_arguments where debate_id = ?1 order by seq",
    )?;
    let mut ids = SeenIds::default();
    let mut rows = debates.query([])?;
    while let Some(row) = rows.next()? {
        let row = OldRow { table: "debates", row };
        let debate = OldDebate::read(&row, problems);
        if let Some(debate) = &debate
            && !ids.debates.insert(debate.debate.id)
        {
            problems.refuse(row.problem("another debate gets the same id"));
        }
        let read = read_arguments(&mut arguments, &row.key(), &mut ids, problems)?;
        if let (Some(debate), Some(arguments)) = (debate, read)
            && let Some(migrated) = debate.replay(arguments, problems)
        {
            each(migrated)?;
        }
    }
    Ok(())
}

/// The ids that were read. Two spellings of one id are two rows of the original and
/// would be one here.
#[derive(Default)]
struct SeenIds {
    debates: HashSet<DebateId>,
    arguments: HashSet<Uuid>,
}

/// The arguments of a debate; none if one of them cannot be read.
fn read_arguments(
    statement: &mut Statement<'_>,
    debate: &str,
    ids: &mut SeenIds,
    problems: &mut RowProblems,
) -> rusqlite::Result<Option<Vec<OldArgument>>> {
    let (mut arguments, mut all) = (Vec::new(), true);
    let mut rows = statement.query([debate])?;
    while let Some(row) = rows.next()? {
        match OldArgument::read(&OldRow { table: "arguments", row }, problems) {
            Some(argument) => arguments.push(argument),
            None => all = false,
        }
    }
    for argument in &arguments {
        if !ids.arguments.insert(argument.id.uuid()) {
            problems.refuse(argument.problem("another argument gets the same id"));
        }
    }
    OldArgument::refuse_shared_keys(&arguments, problems);
    Ok(all.then_some(arguments))
}

fn refuse_orphans(conn: &Connection, problems: &mut RowProblems) -> rusqlite::Result<()> {
    let mut orphans = conn.prepare(
        "select id, debate_id from legacy_arguments
         where debate_id not in (select id from legacy_debates)",
    )?;
    let mut rows = orphans.query([])?;
    while let Some(row) = rows.next()? {
        let row = OldRow { table: "arguments", row };
        let debate = row.text(1, problems);
        problems
            .refuse(row.problem(format!("the debate {} does not exist", problems::quote(&debate))));
    }
    Ok(())
}

fn count_arguments(conn: &Connection) -> rusqlite::Result<u64> {
    conn.query_row("select count(*) from legacy_arguments", [], |row| row.get(0))
}

fn count<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}
