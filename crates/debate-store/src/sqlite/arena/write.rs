//! The arena's writes. Each loads, lets the rules decide, and only then persists.

use debate_app::arena::{Append, ArenaError, How, Open, Written};
use debate_app::sabotage::{self, Sabotage};
use debate_core::arena::{self, Argument, Debate, Fingerprint, Head, Step};
use debate_core::{ArgumentId, DebateId, RequestKey, SearchText, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::fault::Fault;
use super::super::job::Tx;
use super::read::head_of;
use super::rows;

/// An argument as it is kept, with what made its request what it was.
pub(in super::super) struct Entry {
    pub(in super::super) argument: Argument,
    pub(in super::super) fingerprint: Option<Fingerprint>,
}

pub(super) fn open(tx: &mut Tx<'_>, open: &Open) -> Result<Written, ArenaError> {
    let Open { opening, at } = open;
    if let Some(head) = head_of(tx.conn, opening.debate)? {
        let earlier = by_key(tx.conn, opening.debate, &opening.key)?
            .ok_or(ArenaError::DebateExists(opening.debate))?;
        return replay(head, earlier, &opening.fingerprint());
    }
    let opened = arena::open(opening, *at);
    let motion = Entry { argument: opened.motion, fingerprint: Some(opening.fingerprint()) };
    let content = opening.motion.as_str();
    insert_debate(tx.conn, &opened.debate, Seq::FIRST, opening.auto_ruling, content)
        .map_err(Fault::from)?;
    insert_argument(tx.conn, &motion).map_err(Fault::from)?;
    tx.arena.opened(opened.debate.state, Seq::FIRST);
    tx.arena.moved(opening.debate);
    Ok(Written { debate: opened.debate, argument: motion.argument, how: How::Fresh })
}

pub(super) fn append(tx: &mut Tx<'_>, append: &Append) -> Result<Written, ArenaError> {
    let Append { debate, draft, at, auto_ruling } = append;
    let head = head_of(tx.conn, *debate)?.ok_or(ArenaError::NoSuchDebate(*debate))?;
    if let Some(earlier) = by_key(tx.conn, *debate, &draft.key)? {
        return replay(head, earlier, &draft.fingerprint());
    }
    if let Some(target) = draft.target {
        belongs(tx.conn, target, *debate)?;
    }
    let mut step = arena::decide(&head, draft, *at, *auto_ruling)?;
    if sabotage::is(Sabotage::GapInSeq) && step.last_seq.number() % 8 == 0 {
        step.last_seq = step.last_seq.next();
        step.argument.seq = step.last_seq;
    }
    let debate = step.debate.clone();
    let argument = keep(tx, &head, step, draft.fingerprint()).map_err(Fault::from)?;
    Ok(Written { debate, argument, how: How::Fresh })
}

pub(super) fn delete(tx: &mut Tx<'_>, debate: DebateId) -> Result<(), ArenaError> {
    let head = head_of(tx.conn, debate)?.ok_or(ArenaError::NoSuchDebate(debate))?;
    tx.conn
        .prepare_cached("delete from debates where id = ?1")
        .and_then(|mut statement| statement.execute([debate.uuid().as_bytes()]))
        .map_err(Fault::from)?;
    tx.arena.deleted(head.debate.state, head.last_seq);
    tx.arena.moved(debate);
    Ok(())
}

/// The same key came before: the same request gets the first answer, another one a refusal.
fn replay(head: Head, earlier: Entry, asked: &Fingerprint) -> Result<Written, ArenaError> {
    let same = earlier.fingerprint.as_ref() == Some(asked);
    if !same && !sabotage::is(Sabotage::SkipFingerprint) {
        return Err(ArenaError::KeyReused);
    }
    Ok(Written { debate: head.debate, argument: earlier.argument, how: How::Replayed })
}

fn by_key(conn: &Connection, debate: DebateId, key: &RequestKey) -> Result<Option<Entry>, Fault> {
    let mut statement = conn.prepare_cached(
        "select id, debate_id, parent_id, kind, role, content, client_request_id, seq, created_at,
                state_after, fingerprint
         from arguments where client_request_id = ?1 and debate_id = ?2",
    )?;
    let mut found = statement.query(params![key.as_str(), debate.uuid().as_bytes()])?;
    let Some(row) = found.next()? else { return Ok(None) };
    let fingerprint: Option<[u8; 32]> = row.get(10)?;
    let fingerprint = fingerprint.map(Fingerprint::from_bytes);
    Ok(Some(Entry { argument: rows::argument(row)?, fingerprint }))
}

fn belongs(conn: &Connection, argument: ArgumentId, debate: DebateId) -> Result<(), ArenaError> {
    let home: Option<[u8; 16]> = conn
        .prepare_cached("select debate_id from arguments where id = ?1")
        .and_then(|mut statement| {
            statement.query_row([argument.uuid().as_bytes()], |row| row.get(0)).optional()
        })
        .map_err(Fault::from)?;
    match home {
        None => Err(ArenaError::NoSuchArgument(argument)),
        Some(home) if home != *debate.uuid().as_bytes() => {
            Err(ArenaError::ForeignArgument { argument, debate })
        }
        Some(_) => Ok(()),
    }
}

fn keep(
    tx: &mut Tx<'_>,
    head: &Head,
    step: Step,
    fingerprint: Fingerprint,
) -> rusqlite::Result<Argument> {
    let entry = Entry { argument: step.argument, fingerprint: Some(fingerprint) };
    insert_argument(tx.conn, &entry)?;
    if let Some(argument) = step.ruling {
        insert_argument(tx.conn, &Entry { argument, fingerprint: None })?;
    }
    let late = sabotage::is(Sabotage::StateOutsideTransaction);
    let state = if late { head.debate.state } else { step.debate.state };
    tx.conn
        .prepare_cached(
            "update debates set state = ?2, last_seq = ?3, updated_at = ?4 where id = ?1",
        )?
        .execute(params![
            step.debate.id.uuid().as_bytes(),
            state.name(),
            step.last_seq.number(),
            step.debate.updated_at.as_microsecond(),
        ])?;
    tx.arena.changed((head.debate.state, head.last_seq), (step.debate.state, step.last_seq));
    tx.arena.moved(step.debate.id);
    Ok(entry.argument)
}

pub(in super::super) fn insert_debate(
    conn: &Connection,
    debate: &Debate,
    last_seq: Seq,
    auto_ruling: Option<bool>,
    motion: &str,
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "insert into debates
             (id, title, debate_type, state, last_seq, auto_ruling, created_at, updated_at)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        debate.id.uuid().as_bytes(),
        debate.title,
        debate.debate_type.name(),
        debate.state.name(),
        last_seq.number(),
        auto_ruling,
        debate.created_at.as_microsecond(),
        debate.updated_at.as_microsecond(),
    ])?;
    conn.prepare_cached("insert into debate_search (debate_id, folded) values (?1, ?2)")?.execute(
        params![debate.id.uuid().as_bytes(), SearchText::haystack(&debate.title, motion)],
    )?;
    Ok(())
}

pub(in super::super) fn insert_argument(conn: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    let Entry { argument, fingerprint } = entry;
    conn.prepare_cached(
        "insert into arguments
             (id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint, seq,
              state_after, created_at)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
    ])?;
    Ok(())
}
