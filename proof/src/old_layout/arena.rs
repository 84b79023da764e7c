//! Debates of an old file: motions and alternating claims, each answering the argument before it.

use rusqlite::{Connection, params};
use uuid::Uuid;

/// 2026-01-01 in microseconds since 1970.
const EPOCH: i64 = 1_767_225_600_000_000;

const SECOND: i64 = 1_000_000;

/// The average number of arguments per debate.
const ARGUMENTS_EACH: u32 = 20;

/// A debate by its number, from 1.
struct OldDebate(u32);

struct OldArgument {
    debate: u32,
    /// Its sequence number in the debate, from 1.
    seq: u32,
}

impl OldDebate {
    fn all(arguments: u32) -> impl Iterator<Item = Self> {
        (1..=arguments.div_ceil(ARGUMENTS_EACH)).map(Self)
    }

    fn id(&self) -> Uuid {
        Uuid::from_fields(self.0.wrapping_mul(0x9e37_79b1), 0, 0x4000, &[0x80; 8])
    }

    fn title(&self) -> String {
        format!("Debate {} on wells – 井戸", self.0)
    }

    fn arguments(&self) -> impl DoubleEndedIterator<Item = OldArgument> {
        // An odd number for some, an even one for others, so that states differ.
        let count = ARGUMENTS_EACH + self.0 % 3;
        (1..=count).map(|seq| OldArgument { debate: self.0, seq })
    }

    fn newest(&self) -> OldArgument {
        self.arguments().next_back().unwrap_or(OldArgument { debate: self.0, seq: 1 })
    }
}

impl OldArgument {
    fn id(&self) -> Uuid {
        let low = u16::try_from(self.seq).unwrap_or(u16::MAX);
        Uuid::from_fields(self.debate.wrapping_mul(0x9e37_79b1), low, 0x4001, &[0x80; 8])
    }

    fn parent(&self) -> Option<Uuid> {
        let before = self.seq - 1;
        (before > 0).then(|| Self { debate: self.debate, seq: before }.id())
    }

    const fn kind(&self) -> &'static str {
        if self.seq == 1 { "MOTION" } else { "CLAIM" }
    }

    /// The proposer has the odd sequence numbers.
    const fn role(&self) -> &'static str {
        if self.seq.is_multiple_of(2) { "opponent" } else { "proposer" }
    }

    const fn state_after(&self) -> &'static str {
        if self.seq.is_multiple_of(2) { "AWAITING_PROPOSER" } else { "AWAITING_OPPONENT" }
    }

    fn content(&self) -> String {
        let Self { debate, seq } = self;
        let text = "Rain water, wells, school roofs, the tanks beside them; ".repeat(6);
        format!("Argument {seq} of debate {debate}.\n\n{text}🦀")
    }

    fn key(&self) -> String {
        format!("request-{}-{}", self.debate, self.seq)
    }

    /// Whole seconds, in UTC microseconds.
    fn time(&self) -> i64 {
        EPOCH + (i64::from(self.debate) * 60 + i64::from(self.seq)) * SECOND
    }
}

/// Fills the tables of the Node servers, with times in this `strftime` format.
pub(super) fn fill_node(conn: &Connection, form: &str, arguments: u32) -> rusqlite::Result<()> {
    conn.execute_batch("begin")?;
    for debate in OldDebate::all(arguments) {
        let newest = debate.newest();
        conn.prepare_cached(
            "insert into debates (id, title, debate_type, state, created_at, updated_at)
             values (?1, ?2, 'general_debate', ?3, strftime(?6, ?4, 'unixepoch'),
                     strftime(?6, ?5, 'unixepoch'))",
        )?
        .execute(params![
            debate.id().to_string(),
            debate.title(),
            newest.state_after(),
            (newest.time() - i64::from(newest.seq - 1) * SECOND) / SECOND,
            newest.time() / SECOND,
            form,
        ])?;
        for argument in debate.arguments() {
            conn.prepare_cached(
                "insert into arguments (id, debate_id, parent_id, type, role, content,
                                        client_request_id, seq, created_at)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, strftime(?10, ?9, 'unixepoch'))",
            )?
            .execute(params![
                argument.id().to_string(),
                debate.id().to_string(),
                argument.parent().map(|parent| parent.to_string()),
                argument.kind(),
                argument.role(),
                argument.content(),
                argument.key(),
                argument.seq,
                argument.time() / SECOND,
                form,
            ])?;
        }
    }
    conn.execute_batch("commit")
}

/// Fills the tables of layout 2.
pub(super) fn fill_layout_2(conn: &Connection, arguments: u32) -> rusqlite::Result<()> {
    conn.execute_batch("begin")?;
    for debate in OldDebate::all(arguments) {
        let (id, newest) = (debate.id(), debate.newest());
        conn.prepare_cached(
            "insert into debates (id, title, debate_type, state, last_seq, auto_ruling,
                                  created_at, updated_at)
             values (?1, ?2, 'general_debate', ?3, ?4, null, ?5, ?6)",
        )?
        .execute(params![
            id.as_bytes(),
            debate.title(),
            newest.state_after(),
            newest.seq,
            newest.time() - i64::from(newest.seq - 1) * SECOND,
            newest.time(),
        ])?;
        conn.prepare_cached("insert into debate_search (debate_id, folded) values (?1, ?2)")?
            .execute(params![id.as_bytes(), debate.title().to_lowercase()])?;
        for argument in debate.arguments() {
            insert_layout_2(conn, id, &argument)?;
        }
    }
    conn.execute_batch(
        "insert into debate_counts (bucket, debates)
         select state, count(*) from debates group by state;
         commit",
    )
}

fn insert_layout_2(
    conn: &Connection,
    debate: Uuid,
    argument: &OldArgument,
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "insert into arguments (id, debate_id, parent_id, kind, role, content, client_request_id,
                                fingerprint, seq, state_after, created_at)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        argument.id().as_bytes(),
        debate.as_bytes(),
        argument.parent().map(Uuid::into_bytes),
        argument.kind(),
        argument.role(),
        argument.content(),
        argument.key(),
        [0x5a_u8; 32],
        argument.seq,
        argument.state_after(),
        argument.time(),
    ])?;
    Ok(())
}
