//! Databases of the two original servers, and the expected result of their migration.

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Role, State, slug_candidates,
};
use debate_core::{ArgumentId, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::sqlite::temp_database::TempDatabase;
use crate::support::{argument_id, debate_id, micros};

/// The original server that made the file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Layout {
    /// The first: a version in `schema_meta`, times to the second.
    Express,
    /// The second: Prisma's tables, ISO times to the millisecond.
    Prisma,
}

impl Layout {
    pub(crate) const BOTH: [Self; 2] = [Self::Express, Self::Prisma];

    const fn schema(self) -> &'static str {
        match self {
            Self::Express => include_str!("express.sql"),
            Self::Prisma => include_str!("prisma.sql"),
        }
    }

    /// The time of an argument, as exact as this schema stores it.
    fn instant(self, number: u32, seq: u32) -> Timestamp {
        let second = i64::from(1000 * number + seq) * 1_000_000;
        match self {
            Self::Express => micros(second),
            Self::Prisma => micros(second + 123_000),
        }
    }

    fn spelled(self, instant: Timestamp) -> String {
        match self {
            Self::Express => instant.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            Self::Prisma => instant.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        }
    }
}

/// A stored argument, and the state it led to, which was not stored.
#[derive(Clone)]
pub(crate) struct OldArgument {
    pub(crate) kind: ArgumentType,
    pub(crate) role: Role,
    /// The position of its parent.
    pub(crate) parent: Option<u32>,
    pub(crate) content: String,
    pub(crate) key: Option<&'static str>,
    pub(crate) leads_to: State,
}

pub(crate) struct OldDebate {
    pub(crate) number: u32,
    pub(crate) title: String,
    pub(crate) debate_type: DebateType,
    pub(crate) arguments: Vec<OldArgument>,
}

/// The id of the argument at a position of a debate.
pub(crate) fn id_at(number: u32, seq: u32) -> ArgumentId {
    argument_id(1000 * number + seq)
}

impl OldDebate {
    pub(crate) fn state(&self) -> State {
        self.arguments.last().map_or(State::AwaitingOpponent, |newest| newest.leads_to)
    }

    fn last_seq(&self) -> u32 {
        u32::try_from(self.arguments.len()).expect("it is short")
    }

    /// The debate that the new store must return.
    pub(crate) fn debate(&self, layout: Layout) -> Debate {
        Debate {
            id: debate_id(self.number),
            title: self.title.clone(),
            debate_type: self.debate_type,
            state: self.state(),
            created_at: layout.instant(self.number, 1),
            updated_at: layout.instant(self.number, self.last_seq()),
            slug: slug_candidates(&self.title, debate_id(self.number)).remove(0),
            seat_changes: None,
        }
    }

    /// Whether the argument is a ruling without a key after a resolution.
    fn is_automatic(&self, seq: u32) -> bool {
        let at = |seq: u32| self.arguments.get(usize::try_from(seq).expect("a u32 fits"));
        let is_ruling =
            at(seq - 1).is_some_and(|old| old.kind == ArgumentType::Ruling && old.key.is_none());
        let before = seq.checked_sub(2).and_then(at);
        is_ruling && before.is_some_and(|old| old.kind == ArgumentType::Resolution)
    }

    /// The arguments that the new store must return.
    pub(crate) fn expected_arguments(&self, layout: Layout) -> Vec<Argument> {
        let argument = |(seq, old): (u32, &OldArgument)| Argument {
            id: id_at(self.number, seq),
            debate: debate_id(self.number),
            parent: old.parent.map(|seq| id_at(self.number, seq)),
            kind: old.kind,
            role: old.role,
            content: old.content.clone(),
            request_key: old.key.map(str::to_owned),
            seq: Seq::new(seq),
            created_at: layout.instant(self.number, seq),
            state_after: old.leads_to,
            by: self.is_automatic(seq).then(|| "server".to_owned()),
        };
        (1..).zip(&self.arguments).map(argument).collect()
    }
}

/// A file with these debates after a clean stop of its server.
pub(crate) fn closed_file(layout: Layout, debates: &[OldDebate]) -> TempDatabase {
    let folder = TempDatabase::new();
    drop(file_in_use(&folder, layout, debates));
    folder
}

/// The same file while its server is running.
pub(crate) fn file_in_use(
    folder: &TempDatabase,
    layout: Layout,
    debates: &[OldDebate],
) -> Connection {
    let conn = folder.writable_connection();
    conn.execute_batch(layout.schema()).expect("the old layout is sound");
    for old in debates {
        insert(&conn, layout, old).expect("the old rows are sound");
    }
    conn
}

fn insert(conn: &Connection, layout: Layout, old: &OldDebate) -> rusqlite::Result<()> {
    let debate = old.debate(layout);
    conn.execute(
        "insert into debates (id, title, debate_type, state, created_at, updated_at)
         values (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            debate.id.to_string(),
            debate.title,
            debate.debate_type.name(),
            debate.state.name(),
            layout.spelled(debate.created_at),
            layout.spelled(debate.updated_at),
        ],
    )?;
    for argument in old.expected_arguments(layout) {
        conn.execute(
            "insert into arguments (id, debate_id, parent_id, type, role, content,
                                    client_request_id, seq, created_at)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                argument.id.to_string(),
                argument.debate.to_string(),
                argument.parent.map(|parent| parent.to_string()),
                argument.kind.name(),
                argument.role.name(),
                argument.content,
                argument.request_key,
                argument.seq.number(),
                layout.spelled(argument.created_at),
            ],
        )?;
    }
    Ok(())
}

fn old_argument(
    kind: ArgumentType,
    role: Role,
    key: Option<&'static str>,
    leads_to: State,
) -> OldArgument {
    let content = format!("{} by the {role} 🦀", kind.name());
    OldArgument { kind, role, parent: None, content, key, leads_to }
}

fn answering(seq: u32, argument: OldArgument) -> OldArgument {
    OldArgument { parent: Some(seq), ..argument }
}

fn motion() -> OldArgument {
    old_argument(ArgumentType::Motion, Role::Proposer, Some("open"), State::AwaitingOpponent)
}

fn attack(key: &'static str) -> OldArgument {
    old_argument(ArgumentType::Claim, Role::Opponent, Some(key), State::AwaitingProposer)
}

/// Debates with each state and each argument type, and with values that
/// only original servers accept.
pub(crate) fn story() -> Vec<OldDebate> {
    use ArgumentType::{Appeal, Claim, Intervention, Resolution, Ruling};
    use Role::{Arbitrator, Proposer};
    use State::{
        AwaitingArbitrator, AwaitingOpponent, AwaitingProposer, Closed, InterventionPending,
    };

    let silence = old_argument(Intervention, Arbitrator, None, InterventionPending);
    let silence = OldArgument { content: String::new(), ..silence };
    let rule = |key, leads_to| old_argument(Ruling, Arbitrator, key, leads_to);
    let appeal =
        || answering(2, old_argument(Appeal, Proposer, Some("appeal"), AwaitingArbitrator));
    let resolve = |seq| {
        answering(seq, old_argument(Resolution, Proposer, Some("resolve"), AwaitingArbitrator))
    };
    let defend =
        |seq| answering(seq, old_argument(Claim, Proposer, Some("defend"), AwaitingOpponent));
    let attack_1 = || answering(1, attack("attack"));

    let logs = [
        // 1: every argument type, closed by an automatic ruling.
        vec![
            motion(),
            attack_1(),
            silence.clone(),
            rule(None, AwaitingProposer),
            defend(2),
            answering(5, attack("attack again")),
            appeal(),
            rule(Some("rule"), AwaitingProposer),
            resolve(8),
            rule(None, Closed),
        ],
        // 2: only the motion, which is far larger than today's limit.
        vec![OldArgument { content: "ä".repeat(40_000), ..motion() }],
        // 3: the last argument is a ruling that continues the debate.
        vec![motion(), attack_1(), appeal(), rule(Some("rule"), AwaitingProposer)],
        // 4: paused by the arbitrator.
        vec![motion(), silence],
        // 5: closed by the arbitrator, with a key.
        vec![motion(), attack_1(), appeal(), rule(Some("close"), Closed)],
        // 6: a resolution that waits for the arbitrator.
        vec![motion(), attack_1(), resolve(2)],
        // 7: the opponent's turn again.
        vec![motion(), attack_1(), defend(2)],
    ];
    let debates = (1..).zip(logs).map(|(number, arguments)| OldDebate {
        number,
        title: format!("Old debate {number}: Über alles"),
        debate_type: DebateType::General,
        arguments,
    });
    let mut debates: Vec<OldDebate> = debates.collect();
    if let Some(second) = debates.get_mut(1) {
        second.title = "x".repeat(1000);
        second.debate_type = DebateType::CodingPlan;
    }
    debates
}
