//! The databases of the earlier Node servers: checked row by row, then carried over in place.
//!
//! The same walk serves both passes. The first only looks, so that a database which can't be
//! carried over faithfully is refused before anything is written to it.

use std::collections::HashSet;

use debate_core::arena::{
    Argument, Debate, DebateType, Entry, Kind, Role, State, Verdict, move_of, next, target_of,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, Seq};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Statement};

use super::OpenError;
use super::arena::{insert_argument, insert_debate, note_times, persist};
use crate::arena::Effects;

/// The first row that can't be carried over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} row {row}: {reason}")]
pub struct Unfaithful {
    table: &'static str,
    row: String,
    reason: String,
}

/// Whether everything can be carried over.
pub(super) fn check(conn: &Connection) -> Result<(), OpenError> {
    conn.execute_batch(
        "create temp view legacy_debates as select * from main.debates;
         create temp view legacy_arguments as select * from main.arguments;",
    )?;
    nothing_else(conn)?;
    walk(conn, |_| Ok(()))?;
    no_orphans(conn)
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

fn nothing_else(conn: &Connection) -> Result<(), OpenError> {
    for (table, known) in COLUMNS {
        let mut columns = conn.prepare("select name from pragma_table_info(?1)")?;
        let names = columns.query_map([table], |row| row.get::<_, String>(0))?;
        for name in names {
            let name = name?;
            if !known.contains(&name.as_str()) {
                return Err(unfaithful(table, &name, "a column that would be lost").into());
            }
        }
    }
    let hanging: Option<String> = conn
        .query_row(
            "select name from main.sqlite_schema where type in ('view', 'trigger') limit 1",
            [],
            |row| row.get(0),
        )
        .optional()?;
    match hanging {
        None => Ok(()),
        Some(name) => Err(unfaithful("sqlite_schema", &name, "it hangs on an old table").into()),
    }
}

/// Makes room for the new tables.
pub(super) fn set_aside(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(
        "alter table debates rename to legacy_debates;
         alter table arguments rename to legacy_arguments;",
    )
}

/// Moves every row over and drops the old tables.
pub(super) fn carry_over(conn: &Connection) -> Result<(), OpenError> {
    let mut effects = Effects::default();
    walk(conn, |debate| debate.keep(conn, &mut effects))?;
    note_times(conn)?;
    persist(&effects, conn)
        .map_err(|fault| rusqlite::Error::ToSqlConversionFailure(fault.0.into()))?;
    conn.execute_batch("drop table legacy_arguments; drop table legacy_debates;")?;
    Ok(())
}

/// One old debate, understood.
struct Understood {
    debate: Debate,
    entries: Vec<Entry>,
}

impl Understood {
    fn keep(self, conn: &Connection, effects: &mut Effects) -> rusqlite::Result<()> {
        let (Some(motion), Some(newest)) = (self.entries.first(), self.entries.last()) else {
            return Ok(()); // the walk lets no debate without a motion through
        };
        let last_seq = newest.argument.seq;
        insert_debate(conn, &self.debate, last_seq, None, &motion.argument.content)?;
        for entry in &self.entries {
            insert_argument(conn, entry)?;
        }
        effects.opened(self.debate.state, last_seq);
        Ok(())
    }
}

fn walk(
    conn: &Connection,
    mut each: impl FnMut(Understood) -> rusqlite::Result<()>,
) -> Result<(), OpenError> {
    let mut debates = conn.prepare(
        "select id, title, debate_type, state, created_at, updated_at
         from legacy_debates order by id",
    )?;
    let mut arguments = conn.prepare(
        "select id, parent_id, type, role, content, client_request_id, seq, created_at
         from legacy_arguments where debate_id = ?1 order by seq",
    )?;
    // Two spellings of one id were two rows there and would be one here.
    let (mut debate_ids, mut argument_ids) = (HashSet::new(), HashSet::new());
    let mut rows = debates.query([])?;
    while let Some(row) = rows.next()? {
        let row = OldRow { table: "debates", row };
        let debate = read_debate(&row)?;
        if !debate_ids.insert(debate.id) {
            return Err(row.bad("another debate has the same id in another case").into());
        }
        let entries = read_entries(&mut arguments, &debate, &row.key())?;
        for Entry { argument, .. } in &entries {
            if !argument_ids.insert(argument.id) {
                let reason = "another argument has the same id in another case";
                return Err(unfaithful("arguments", &argument.id.to_string(), reason).into());
            }
        }
        each(Understood { debate, entries })?;
    }
    Ok(())
}

fn no_orphans(conn: &Connection) -> Result<(), OpenError> {
    let orphan: Option<String> = conn
        .query_row(
            "select cast(id as text) from legacy_arguments
             where debate_id not in (select id from legacy_debates) limit 1",
            [],
            |row| row.get(0),
        )
        .optional()?;
    match orphan {
        None => Ok(()),
        Some(row) => Err(unfaithful("arguments", &row, "its debate does not exist").into()),
    }
}

fn read_debate(row: &OldRow<'_>) -> Result<Debate, Unfaithful> {
    let id = row.text(0)?.parse::<DebateId>();
    Ok(Debate {
        id: id.map_err(|_| row.bad("its id is no UUID"))?,
        title: row.text(1)?,
        debate_type: DebateType::named(&row.text(2)?).ok_or_else(|| row.bad("unknown type"))?,
        state: State::named(&row.text(3)?).ok_or_else(|| row.bad("unknown state"))?,
        created_at: row.time(4, "created_at")?,
        updated_at: row.time(5, "updated_at")?,
    })
}

/// The debate's log, folded as it is read: it must be dense, legal, and end where the debate is.
fn read_entries(
    statement: &mut Statement<'_>,
    debate: &Debate,
    key: &str,
) -> Result<Vec<Entry>, OpenError> {
    let mut raw = Vec::new();
    let mut rows = statement.query([key])?;
    while let Some(row) = rows.next()? {
        raw.push(RawArgument::read(&OldRow { table: "arguments", row })?);
    }
    let count = raw.len();
    let mut entries: Vec<Entry> = Vec::with_capacity(count);
    for (index, raw) in raw.into_iter().enumerate() {
        let before = entries.last().map(|entry| entry.argument.state_after);
        let seq = entries.last().map_or(Seq::FIRST, |entry| entry.argument.seq.next());
        let closes = index + 1 == count && debate.state == State::Closed;
        entries.push(raw.understand(debate, before, seq, closes)?);
    }
    let folded = entries.last().map(|entry| entry.argument.state_after);
    if folded != Some(debate.state) {
        let reason = format!(
            "its state is {} but its arguments lead to {}",
            debate.state,
            folded.map_or("nothing", State::name)
        );
        return Err(unfaithful("debates", key, &reason).into());
    }
    Ok(entries)
}

struct RawArgument {
    id: String,
    parent: Option<String>,
    kind: String,
    role: String,
    content: String,
    request_key: Option<String>,
    seq: String,
    created_at: Timestamp,
}

impl RawArgument {
    fn read(row: &OldRow<'_>) -> Result<Self, Unfaithful> {
        Ok(Self {
            id: row.text(0)?,
            parent: row.optional_text(1)?,
            kind: row.text(2)?,
            role: row.text(3)?,
            content: row.text(4)?,
            request_key: row.optional_text(5)?,
            seq: row.text(6)?,
            created_at: row.time(7, "created_at")?,
        })
    }

    fn understand(
        self,
        debate: &Debate,
        before: Option<State>,
        seq: Seq,
        closes: bool,
    ) -> Result<Entry, Unfaithful> {
        let bad = |reason: &str| unfaithful("arguments", &self.id, reason);
        if self.seq != seq.to_string() {
            return Err(bad(&format!("its seq is {}, {seq} was expected", self.seq)));
        }
        let parent = self.parent.as_deref().map(str::parse::<ArgumentId>).transpose();
        let parent = parent.map_err(|_| bad("its parent_id is no UUID"))?;
        let kind = Kind::named(&self.kind).ok_or_else(|| bad("unknown type"))?;
        let role = Role::named(&self.role).ok_or_else(|| bad("unknown role"))?;
        let verdict = if closes { Verdict::Close } else { Verdict::Continue };
        let (state_after, fingerprint) = match (before, move_of(kind, role, verdict)) {
            (None, None) if kind == Kind::Motion && role == Role::Proposer => (
                State::AwaitingOpponent,
                Fingerprint::of_opening(&debate.title, debate.debate_type, &self.content, None),
            ),
            (Some(state), Some(mv)) => (
                next(state, mv).map_err(|refusal| bad(&refusal.to_string()))?,
                Fingerprint::of_move(mv, target_of(mv, parent), &self.content),
            ),
            (None | Some(_), _) => {
                return Err(bad(&format!("a {} by the {role} can't stand here", self.kind)));
            }
        };
        let argument = Argument {
            id: self.id.parse().map_err(|_| bad("its id is no UUID"))?,
            debate: debate.id,
            parent,
            kind,
            role,
            created_at: self.created_at,
            content: self.content,
            request_key: self.request_key,
            seq,
            state_after,
        };
        let fingerprint = argument.request_key.as_ref().map(|_| fingerprint);
        Ok(Entry { argument, fingerprint })
    }
}

fn unfaithful(table: &'static str, row: &str, reason: &str) -> Unfaithful {
    Unfaithful { table, row: row.to_owned(), reason: reason.to_owned() }
}

/// A row of one of the old tables, whose columns are loosely typed: whatever is there is read as
/// the text it shows as, if it is text.
struct OldRow<'r> {
    table: &'static str,
    row: &'r Row<'r>,
}

impl OldRow<'_> {
    /// The row's own name for itself, as well as it can be shown.
    fn key(&self) -> String {
        match self.row.get_ref(0) {
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Ok(other) => format!("{other:?}"),
            Err(err) => err.to_string(),
        }
    }

    fn bad(&self, reason: &str) -> Unfaithful {
        unfaithful(self.table, &self.key(), reason)
    }

    fn optional_text(&self, column: usize) -> Result<Option<String>, Unfaithful> {
        match self.row.get_ref(column) {
            Err(_) | Ok(ValueRef::Null) => Ok(None),
            Ok(ValueRef::Integer(number)) => Ok(Some(number.to_string())),
            Ok(ValueRef::Real(number)) => Ok(Some(number.to_string())),
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
                let text = String::from_utf8(bytes.to_owned());
                text.map(Some).map_err(|_| self.bad("it holds text that is not UTF-8"))
            }
        }
    }

    fn text(&self, column: usize) -> Result<String, Unfaithful> {
        Ok(self.optional_text(column)?.unwrap_or_default())
    }

    fn time(&self, column: usize, name: &str) -> Result<Timestamp, Unfaithful> {
        let text = self.text(column)?;
        time_in(&text).ok_or_else(|| self.bad(&format!("{name} is no time")))
    }
}

/// Either `2026-02-07 05:32:50` or ISO 8601; both mean UTC unless they say otherwise.
fn time_in(text: &str) -> Option<Timestamp> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Timestamp::from_microsecond(timestamp.as_microsecond()).ok();
    }
    let naive = text.parse::<DateTime>().ok()?;
    let utc = naive.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_microsecond(utc.timestamp().as_microsecond()).ok()
}
