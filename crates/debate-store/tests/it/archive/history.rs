//! Files with long debates, made by the rules and written as rows.

use debate_core::SearchText;
use debate_core::arena::{Draft, Head, NewDebate, StoredArgument, decide, open, slug_candidates};
use rusqlite::{Connection, params};

use crate::engine::turn;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{argument_id, content, draft, micros, opening};

/// A debate with claims of alternating sides.
pub(crate) struct LongDebate {
    head: Head,
    entries: Vec<StoredArgument>,
}

/// A debate with `count` arguments.
pub(crate) fn long_debate(number: u32, count: u32) -> LongDebate {
    let opening: NewDebate = opening(number);
    let slug = slug_candidates(opening.title.as_str(), opening.debate).remove(0);
    let opened = open(&opening, slug, micros(i64::from(number)));
    let fingerprint = Some(opening.fingerprint());
    let mut head = opened.head;
    let mut entries = vec![StoredArgument { argument: opened.motion, fingerprint }];
    for place in 2..=count {
        let id = number * 1_000_000 + place;
        let target = entries.last().map(|entry| entry.argument.id);
        let content = content(&format!("Argument {place} of debate {number}: Größe, 大きさ, 🦀"));
        let draft = Draft { target, content, ..draft(id, turn(place - 1)) };
        assert_eq!(draft.id, argument_id(id));
        let at = micros(i64::from(number) * 7_000_001 + i64::from(place) * 13);
        let step = decide(&head, &draft, None, at, false).expect("it is that side's turn");
        let fingerprint = Some(draft.fingerprint());
        entries.push(StoredArgument { argument: step.argument, fingerprint });
        head = Head { debate: step.debate, last_seq: step.last_seq, ..head };
    }
    LongDebate { head, entries }
}

/// A file with these debates in it.
pub(crate) fn file_with(debates: impl IntoIterator<Item = LongDebate>) -> TempDatabase {
    let folder = TempDatabase::new();
    drop(folder.engine());
    let mut conn = folder.writable_connection();
    let tx = conn.transaction().expect("no other program has the file open");
    for debate in debates {
        debate.insert(&tx).expect("the id is new");
    }
    tx.commit().expect("the disk has space");
    folder
}

impl LongDebate {
    fn insert(&self, conn: &Connection) -> rusqlite::Result<()> {
        let Head { debate, last_seq, .. } = &self.head;
        let id = debate.id.uuid().into_bytes();
        let motion = self.entries.first().map(|entry| entry.argument.content.as_str());
        conn.execute(
            "insert into debates (id, title, debate_type, created_at, slug)
             values (?1, ?2, ?3, ?4, ?5)",
            params![
                id,
                debate.title,
                debate.debate_type.name(),
                debate.created_at.as_microsecond(),
                debate.slug
            ],
        )?;
        conn.execute(
            "insert into standings values (?1, ?2, ?3, ?4)",
            params![debate.updated_at.as_microsecond(), id, debate.state.name(), last_seq.number()],
        )?;
        conn.execute(
            "insert into debate_search values (?1, ?2)",
            params![id, SearchText::haystack(&debate.title, motion.unwrap_or_default())],
        )?;
        let bucket = if self.entries.len() == 1 { "UNOPPOSED" } else { debate.state.name() };
        conn.execute(
            "insert into debate_counts values (?1, 1)
             on conflict (bucket) do update set debates = debates + 1",
            [bucket],
        )?;
        self.entries.iter().try_for_each(|entry| insert_argument(conn, entry))
    }
}

fn insert_argument(conn: &Connection, entry: &StoredArgument) -> rusqlite::Result<()> {
    let StoredArgument { argument, fingerprint } = entry;
    conn.prepare_cached(
        "insert into arguments (id, debate_id, parent_id, kind, role, seq, state_after, created_at,
             client_request_id, fingerprint, content)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        argument.id.uuid().into_bytes(),
        argument.debate.uuid().into_bytes(),
        argument.parent.map(|parent| parent.uuid().into_bytes()),
        argument.kind.name(),
        argument.role.name(),
        argument.seq.number(),
        argument.state_after.name(),
        argument.created_at.as_microsecond(),
        argument.request_key,
        fingerprint.as_ref().map(|fingerprint| fingerprint.as_bytes().to_vec()),
        argument.content,
    ])?;
    Ok(())
}
