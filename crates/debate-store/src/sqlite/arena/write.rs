//! The arena's writes, in SQL.

use debate_core::arena::{Debate, Head, Seat, SecretDigest, Side, StoredArgument};
use debate_core::{ArgumentId, DebateId, Fingerprint, RequestKey, SearchText, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::super::job::Tx;
use super::read::load_head;
use super::rows;
use crate::arena::{CounterChanges, Ledger, side_name};
use crate::engine::EngineError;
use crate::notifications::Notifications;

impl Ledger for Tx<'_> {
    type Error = EngineError;

    fn head(&mut self, debate: DebateId) -> Result<Option<Head>, EngineError> {
        if let Some(head) = self.recent.head(debate) {
            return Ok(Some(head.clone()));
        }
        let found = load_head(self.conn, debate)?;
        if let Some(head) = &found {
            self.recent.remember_head(head.clone());
        }
        Ok(found)
    }

    fn find_by_key(
        &mut self,
        debate: DebateId,
        key: &RequestKey,
    ) -> Result<Option<StoredArgument>, EngineError> {
        let mut statement = self.conn.prepare_cached(
            "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
                    created_at, state_after, author, fingerprint
             from arguments where client_request_id = ?1 and debate_id = ?2",
        )?;
        let mut found = statement.query(params![key.as_str(), debate.uuid().as_bytes()])?;
        let Some(row) = found.next()? else { return Ok(None) };
        Ok(Some(rows::stored_argument(row)?))
    }

    fn find_debate(
        &mut self,
        argument: ArgumentId,
        likely: DebateId,
    ) -> Result<Option<DebateId>, EngineError> {
        if self.recent.has(likely, argument) {
            return Ok(Some(likely));
        }
        let home: Option<[u8; 16]> = self
            .conn
            .prepare_cached("select debate_id from arguments where id = ?1")?
            .query_row([argument.uuid().as_bytes()], |row| row.get(0))
            .optional()?;
        let home = home.map(|bytes| DebateId::new(Uuid::from_bytes(bytes)));
        if let Some(home) = home {
            self.recent.remember_target(home, argument);
        }
        Ok(home)
    }

    fn is_slug_used(&mut self, slug: &str) -> Result<bool, EngineError> {
        let mut statement = self.conn.prepare_cached(
            "select 1 from debates where slug = ?1
             union all select 1 from deleted_debates where slug = ?1",
        )?;
        Ok(statement.exists([slug])?)
    }

    fn add_debate(&mut self, head: &Head, motion: &str) -> Result<(), EngineError> {
        insert_debate(self.conn, head, motion)?;
        self.recent.remember_head(head.clone());
        Ok(())
    }

    fn add_argument(&mut self, entry: &StoredArgument) -> Result<(), EngineError> {
        insert_argument(self.conn, entry)?;
        self.recent.remember_newest(entry.argument.debate, entry.argument.id);
        Ok(())
    }

    fn save_state(&mut self, from: &Head, to: &Debate, last_seq: Seq) -> Result<(), EngineError> {
        let changed = self
            .conn
            .prepare_cached(
                "update standings set updated_at = ?3, state = ?4, last_seq = ?5
                 where updated_at = ?1 and debate_id = ?2",
            )?
            .execute(params![
                from.debate.updated_at.as_microsecond(),
                to.id.uuid().as_bytes(),
                to.updated_at.as_microsecond(),
                to.state.name(),
                last_seq.number(),
            ])?;
        self.recent.remember_head(Head { debate: to.clone(), last_seq, ..from.clone() });
        expect_one_row(changed)
    }

    fn save_seat(&mut self, head: &Head, side: Side) -> Result<(), EngineError> {
        let id = head.debate.id.uuid();
        upsert_seat(self.conn, head, side)?;
        self.conn
            .prepare_cached("update debates set seat_changes = ?2 where id = ?1")?
            .execute(params![id.as_bytes(), head.debate.seat_changes])?;
        self.recent.remember_head(head.clone());
        Ok(())
    }

    fn is_deleted(&mut self, debate: DebateId) -> Result<bool, EngineError> {
        let mut statement =
            self.conn.prepare_cached("select 1 from deleted_debates where id = ?1")?;
        Ok(statement.exists([debate.uuid().as_bytes()])?)
    }

    fn delete_debate(&mut self, head: &Head, at: Timestamp) -> Result<(), EngineError> {
        let debate = &head.debate;
        self.recent.forget(debate.id);
        self.conn
            .prepare_cached(
                "insert into deleted_debates (id, deleted_at, slug) values (?1, ?2, ?3)
                 on conflict (id) do nothing",
            )?
            .execute(params![debate.id.uuid().as_bytes(), at.as_microsecond(), debate.slug])?;
        self.conn
            .prepare_cached("delete from debates where id = ?1")?
            .execute([debate.id.uuid().as_bytes()])?;
        let deleted = self
            .conn
            .prepare_cached("delete from standings where updated_at = ?1 and debate_id = ?2")?
            .execute(params![debate.updated_at.as_microsecond(), debate.id.uuid().as_bytes()])?;
        expect_one_row(deleted)
    }

    fn counters(&mut self) -> &mut CounterChanges {
        self.counters.get_or_insert_default()
    }

    fn notifications(&mut self) -> &mut Notifications {
        &mut self.notifications
    }
}

/// Fails unless a statement changed exactly one row of `standings`. The rows are found by the time
/// of the last change of their debate.
fn expect_one_row(rows: usize) -> Result<(), EngineError> {
    match rows {
        1 => Ok(()),
        _ => Err(EngineError::undecodable("debate without a state row")),
    }
}

/// Inserts a debate with its seats. An empty slug is stored as null, to be assigned later.
pub(in super::super) fn insert_debate(
    conn: &Connection,
    head: &Head,
    motion: &str,
) -> rusqlite::Result<()> {
    let Head { debate, last_seq, auto_ruling, seats, seat_fields } = head;
    let invite = seats.as_ref().and_then(|seats| seats.invite);
    conn.prepare_cached(
        "insert into debates (id, title, debate_type, auto_ruling, created_at, slug, seat_changes,
                              invite, seat_fields)
         values (?1, ?2, ?3, ?4, ?5, nullif(?6, ''), ?7, ?8, ?9)",
    )?
    .execute(params![
        debate.id.uuid().as_bytes(),
        debate.title,
        debate.debate_type.name(),
        auto_ruling,
        debate.created_at.as_microsecond(),
        debate.slug,
        debate.seat_changes,
        invite.as_ref().map(SecretDigest::as_bytes),
        seat_fields.as_ref().map(Fingerprint::as_bytes),
    ])?;
    for side in Side::ALL {
        upsert_seat(conn, head, side)?;
    }
    conn.prepare_cached(
        "insert into standings (updated_at, debate_id, state, last_seq) values (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        debate.updated_at.as_microsecond(),
        debate.id.uuid().as_bytes(),
        debate.state.name(),
        last_seq.number(),
    ])?;
    conn.prepare_cached("insert into debate_search (debate_id, folded) values (?1, ?2)")?.execute(
        params![debate.id.uuid().as_bytes(), SearchText::haystack(&debate.title, motion)],
    )?;
    Ok(())
}

/// Writes the row of a seat; a seat that was never taken has none.
fn upsert_seat(conn: &Connection, head: &Head, side: Side) -> rusqlite::Result<()> {
    let holder = match head.seats.as_ref().map(|seats| seats.seat(side)) {
        None | Some(Seat::Open) => return Ok(()),
        Some(Seat::Taken(holder)) => Some(holder),
        Some(Seat::Released) => None,
    };
    conn.prepare_cached(
        "insert into seats (debate_id, side, holder, token, since) values (?1, ?2, ?3, ?4, ?5)
         on conflict (debate_id, side) do update
         set holder = excluded.holder, token = excluded.token, since = excluded.since",
    )?
    .execute(params![
        head.debate.id.uuid().as_bytes(),
        side_name(side),
        holder.map(|holder| holder.name.as_str()),
        holder.map(|holder| holder.token.as_bytes()),
        holder.map(|holder| holder.since.as_microsecond()),
    ])?;
    Ok(())
}

/// Stores the type that a debate had in the original server, if this build does not support it.
pub(in super::super) fn keep_original_type(
    conn: &Connection,
    debate: DebateId,
    original: Option<&str>,
) -> rusqlite::Result<()> {
    if let Some(original) = original {
        conn.prepare_cached("update debates set original_type = ?2 where id = ?1")?
            .execute(params![debate.uuid().as_bytes(), original])?;
    }
    Ok(())
}

pub(in super::super) fn insert_argument(
    conn: &Connection,
    entry: &StoredArgument,
) -> rusqlite::Result<()> {
    let StoredArgument { argument, fingerprint } = entry;
    conn.prepare_cached(
        "insert into arguments
             (id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint, seq,
              state_after, created_at, author)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        argument.id.uuid().as_bytes(),
        argument.debate.uuid().as_bytes(),
        argument.parent.map(|id| id.uuid().into_bytes()),
        argument.kind.name(),
        argument.role.name(),
        argument.content,
        argument.request_key,
        fingerprint.as_ref().map(Fingerprint::as_bytes),
        argument.seq.number(),
        argument.state_after.name(),
        argument.created_at.as_microsecond(),
        argument.by,
    ])?;
    Ok(())
}

/// Adds the changes of a transaction to the stored counters.
pub(in super::super) fn save_counters(
    counters: &CounterChanges,
    conn: &Connection,
) -> Result<(), EngineError> {
    for (bucket, change) in counters.counts() {
        conn.prepare_cached(
            "insert into debate_counts (bucket, debates) values (?1, ?2)
             on conflict (bucket) do update set debates = debates + excluded.debates",
        )?
        .execute(params![bucket, change])?;
    }
    Ok(())
}
