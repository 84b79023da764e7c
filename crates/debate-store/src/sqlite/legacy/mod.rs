//! The databases of the earlier Node servers: checked row by row, then carried over in place.
//!
//! The same walk serves both passes. The first only looks, so that a database which can't be
//! carried over faithfully is refused before anything is written to it.

mod debate;
mod odd;
mod row;

use std::collections::HashSet;

use debate_core::arena::Head;
use debate_core::{DebateId, Digest, OriginalId, Seal};
use rusqlite::{Connection, Statement, params};
use uuid::Uuid;

use self::debate::{CarriedDebate, OldArgument, OldDebate};
use self::odd::OddRows;
use self::row::OldRow;
use super::arena::{insert_argument, insert_debate, keep_original_type, note_times, persist};
use super::carry_over::CarryOverEvent;
use super::open_error::OpenError;
use crate::arena::Effects;

pub use odd::{OddRow, Unfaithful};

/// A database that can be carried over.
pub(super) struct Survey {
    pub(super) debates: u64,
    pub(super) arguments: u64,
    /// Digest of every debate and argument.
    pub(super) digest: Digest,
    /// Values that will be stored in another form.
    pub(super) changes: Vec<OddRow>,
}

/// Whether everything can be carried over. If not, the refusal lists every row in the way.
pub(super) fn check(
    conn: &Connection,
    report: &mut dyn FnMut(CarryOverEvent),
) -> Result<Survey, OpenError> {
    conn.execute_batch(
        "create temp view legacy_debates as select * from main.debates;
         create temp view legacy_arguments as select * from main.arguments;",
    )?;
    let (mut odd, total) = (OddRows::default(), count_arguments(conn)?);
    let (mut seal, mut debates, mut arguments) = (Seal::default(), 0, 0);
    if refuse_losses(conn, &mut odd)? == Columns::Missing {
        return Err(odd.into_unfaithful().into());
    }
    walk(conn, &mut odd, |carried| {
        let CarriedDebate { debate, original_type, entries, .. } = carried;
        if let Some(newest) = entries.last() {
            let last_seq = newest.argument.seq;
            seal.debate(&Head { debate, last_seq, auto_ruling: None });
        }
        seal.original_type(original_type.as_deref());
        for entry in &entries {
            seal.argument(entry);
        }
        debates += 1;
        arguments += count(&entries);
        report(CarryOverEvent::Checked { arguments, total });
        Ok(())
    })?;
    refuse_orphans(conn, &mut odd)?;
    Ok(Survey { debates, arguments, digest: seal.digest(), changes: odd.into_changes()? })
}

/// Whether the old tables have every column that is carried over.
#[derive(Debug, PartialEq, Eq)]
enum Columns {
    All,
    Missing,
}

/// The columns that are carried over; any other would be lost, and so would what hangs on a table.
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

fn refuse_losses(conn: &Connection, odd: &mut OddRows) -> rusqlite::Result<Columns> {
    let mut all = Columns::All;
    for (table, known) in COLUMNS {
        let mut columns = conn.prepare("select name from pragma_table_info(?1)")?;
        let names = columns.query_map([table], |row| row.get(0))?;
        let names = names.collect::<rusqlite::Result<Vec<String>>>()?;
        for lost in names.iter().filter(|name| !known.contains(&name.as_str())) {
            odd.refuse(OddRow::new(table, lost, "unknown column; its values would be lost"));
        }
        for missing in known.iter().filter(|name| !names.iter().any(|found| found == *name)) {
            odd.refuse(OddRow::new(table, missing, "missing column"));
            all = Columns::Missing;
        }
    }
    let mut hanging =
        conn.prepare("select name from main.sqlite_schema where type in ('view', 'trigger')")?;
    for name in hanging.query_map([], |row| row.get::<_, String>(0))? {
        let reason = "a view or trigger, which would be lost; drop it first";
        odd.refuse(OddRow::new("sqlite_schema", &name?, reason));
    }
    Ok(all)
}

/// Makes room for the new tables.
pub(super) fn set_aside(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(
        "alter table debates rename to legacy_debates;
         alter table arguments rename to legacy_arguments;",
    )
}

/// Moves every row over and drops the old tables. Foreign keys must be off: with them SQLite
/// searches the whole table for each row that it drops.
pub(super) fn carry_over(
    conn: &Connection,
    report: &mut dyn FnMut(CarryOverEvent),
) -> Result<(), OpenError> {
    let (mut odd, total) = (OddRows::default(), count_arguments(conn)?);
    let (mut effects, mut arguments) = (Effects::default(), 0);
    walk(conn, &mut odd, |carried| {
        arguments += count(&carried.entries);
        carried.insert(conn, &mut effects)?;
        report(CarryOverEvent::Written { arguments, total });
        Ok(())
    })?;
    odd.into_changes()?;
    note_times(conn)?;
    persist(&effects, conn)
        .map_err(|fault| rusqlite::Error::ToSqlConversionFailure(fault.0.into()))?;
    conn.execute_batch("drop table legacy_arguments; drop table legacy_debates;")?;
    Ok(())
}

impl CarriedDebate {
    fn insert(&self, conn: &Connection, effects: &mut Effects) -> rusqlite::Result<()> {
        let (Some(motion), Some(newest)) = (self.entries.first(), self.entries.last()) else {
            return Ok(()); // the walk lets no debate without a motion through
        };
        let (debate, last_seq) = (&self.debate, newest.argument.seq);
        insert_debate(conn, debate, last_seq, None, &motion.argument.content)?;
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
        effects.opened(debate.state, last_seq);
        Ok(())
    }
}

fn insert_original(
    conn: &Connection,
    kind: &str,
    original: &OriginalId,
    id: Uuid,
) -> rusqlite::Result<()> {
    // An argument's id comes again as the parent of others.
    conn.prepare_cached(
        "insert into original_ids (kind, original, id) values (?1, ?2, ?3) on conflict do nothing",
    )?
    .execute(params![kind, original.as_str(), id.as_bytes()])?;
    Ok(())
}

/// Reads every debate with its arguments, in the order of the ids. `each` gets those that can be
/// carried over.
fn walk(
    conn: &Connection,
    odd: &mut OddRows,
    mut each: impl FnMut(CarriedDebate) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut debates = conn.prepare(
        "select id, title, debate_type, state, created_at, updated_at
         from legacy_debates order by id",
    )?;
    let mut arguments = conn.prepare(
        "select id, parent_id, type, role, content, client_request_id, seq, created_at
         from legacy_arguments where debate_id = ?1 order by seq",
    )?;
    let mut ids = Ids::default();
    let mut rows = debates.query([])?;
    while let Some(row) = rows.next()? {
        let row = OldRow { table: "debates", row };
        let debate = OldDebate::read(&row, odd);
        if let Some(debate) = &debate
            && !ids.debates.insert(debate.debate.id)
        {
            odd.refuse(row.odd("another debate gets the same id"));
        }
        let read = read_arguments(&mut arguments, &row.key(), &mut ids, odd)?;
        if let (Some(debate), Some(arguments)) = (debate, read)
            && let Some(carried) = debate.replay(arguments, odd)
        {
            each(carried)?;
        }
    }
    Ok(())
}

/// Two spellings of one id were two rows there and would be one here.
#[derive(Default)]
struct Ids {
    debates: HashSet<DebateId>,
    arguments: HashSet<Uuid>,
}

/// The arguments of a debate; none if one of them can't be read.
fn read_arguments(
    statement: &mut Statement<'_>,
    debate: &str,
    ids: &mut Ids,
    odd: &mut OddRows,
) -> rusqlite::Result<Option<Vec<OldArgument>>> {
    let (mut arguments, mut all) = (Vec::new(), true);
    let mut rows = statement.query([debate])?;
    while let Some(row) = rows.next()? {
        match OldArgument::read(&OldRow { table: "arguments", row }, odd) {
            Some(argument) => arguments.push(argument),
            None => all = false,
        }
    }
    for argument in &arguments {
        if !ids.arguments.insert(argument.id.uuid()) {
            odd.refuse(argument.odd("another argument gets the same id"));
        }
    }
    OldArgument::refuse_shared_keys(&arguments, odd);
    Ok(all.then_some(arguments))
}

fn refuse_orphans(conn: &Connection, odd: &mut OddRows) -> rusqlite::Result<()> {
    let mut orphans = conn.prepare(
        "select id, debate_id from legacy_arguments
         where debate_id not in (select id from legacy_debates)",
    )?;
    let mut rows = orphans.query([])?;
    while let Some(row) = rows.next()? {
        let row = OldRow { table: "arguments", row };
        let debate = row.text(1, odd);
        odd.refuse(row.odd(format!("the debate {} does not exist", odd::quoted(&debate))));
    }
    Ok(())
}

fn count_arguments(conn: &Connection) -> rusqlite::Result<u64> {
    conn.query_row("select count(*) from legacy_arguments", [], |row| row.get(0))
}

fn count<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}
