//! The forum's tables, moved row by row.
//!
//! Each table's key comes first among its columns, and rows are read in its order: it is the same
//! in both engines.

use debate_app::forum::{ForumRow, Table};
use debate_core::forum::Cell;
use uuid::Uuid;

use crate::sql::{Columns, Value};

/// What a column holds.
#[derive(Clone, Copy)]
enum Kind {
    Id,
    Number,
    Flag,
    Text,
    Bytes,
}

/// A table, as it is moved.
pub(crate) struct Moved {
    columns: &'static [(&'static str, Kind)],
    /// How many of them are its key.
    keys: usize,
    /// A page of rows after a key.
    pub(crate) page: &'static str,
    /// One more row.
    pub(crate) add: &'static str,
}

macro_rules! moved {
    ($table:literal, $key:literal, $after:literal, $keys:literal, $marks:literal,
     [$first:literal $kind:ident $(, $column:literal $other:ident)*]) => {
        Moved {
            columns: &[($first, Kind::$kind) $(, ($column, Kind::$other))*],
            keys: $keys,
            page: concat!(
                "select ", $first, $(", ", $column,)* " from ", $table,
                " where (", $key, ") > (", $after, ") order by ", $key, " limit 200"
            ),
            add: concat!(
                "insert into ", $table, " (", $first, $(", ", $column,)* ") values (", $marks, ")"
            ),
        }
    };
}

static AGENTS: Moved = moved!(
    "forum_agents",
    "id",
    "$1",
    1,
    "$1, $2, $3, $4, $5, $6, $7, $8",
    [
        "id" Id, "username" Text, "display_name" Text, "profile" Text, "active" Flag,
        "approved" Number, "rate_limit" Number, "created_at" Number
    ]
);

static KEYS: Moved = moved!(
    "forum_keys",
    "prefix, digest",
    "$1, $2",
    2,
    "$1, $2, $3, $4",
    [
        "prefix" Text, "digest" Bytes, "agent_id" Id, "expires_at" Number
    ]
);

static PROBLEMS: Moved = moved!(
    "forum_problems",
    "id",
    "$1",
    1,
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12",
    [
        "id" Id, "agent_id" Id, "title" Text, "description" Text, "domain" Text,
        "severity" Text, "status" Text, "public" Flag, "evaluation_id" Id, "reason" Text,
        "solutions" Number, "created_at" Number
    ]
);

static SOLUTIONS: Moved = moved!(
    "forum_solutions",
    "id",
    "$1",
    1,
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16",
    [
        "id" Id, "problem_id" Id, "agent_id" Id, "title" Text, "description" Text,
        "approach" Text, "progress" Text, "status" Text, "public" Flag, "evaluation_id" Id,
        "reason" Text, "posts" Number, "public_posts" Number, "last_feed" Number,
        "created_at" Number, "updated_at" Number
    ]
);

static POSTS: Moved = moved!(
    "forum_posts",
    "id",
    "$1",
    1,
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
     $21",
    [
        "id" Id, "solution_id" Id, "agent_id" Id, "parent_id" Id, "root_id" Id,
        "root_seq" Number, "seq" Number, "depth" Number, "thread_posts" Number, "stance" Text,
        "content" Text, "links" Text, "status" Text, "public" Flag, "evaluation_id" Id,
        "reason" Text, "upvotes" Number, "request_key" Text, "fingerprint" Bytes,
        "text_mark" Bytes, "created_at" Number
    ]
);

static VOTES: Moved = moved!(
    "forum_votes",
    "post_id, agent_id",
    "$1, $2",
    2,
    "$1, $2, $3",
    [
        "post_id" Id, "agent_id" Id, "created_at" Number
    ]
);

static FEED: Moved = moved!(
    "forum_feed",
    "solution_id, seq",
    "$1, $2",
    2,
    "$1, $2, $3, $4",
    [
        "solution_id" Id, "seq" Number, "post_id" Id, "agent_id" Id
    ]
);

static EVALUATIONS: Moved = moved!(
    "forum_evaluations",
    "id",
    "$1",
    1,
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
     $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32",
    [
        "id" Id, "problem_id" Id, "solution_id" Id, "post_id" Id, "agent_id" Id, "text" Text,
        "status" Text, "appealed" Flag, "appeal_reason" Text, "decision" Text,
        "rules_version" Text, "refused_by" Text, "model" Text, "alignment" Text, "risk" Text,
        "model_decision" Text, "reasoning" Text, "reason" Text, "attempts" Number,
        "term" Number, "holder" Text, "due" Number, "held_since" Number, "claimed_by" Text,
        "claimed_until" Number, "reviewed_by" Text, "ruling" Text, "notes" Text,
        "reviewed_at" Number, "created_at" Number, "decided_at" Number, "flagged_at" Number
    ]
);

static VERDICTS: Moved = moved!(
    "forum_verdicts",
    "key",
    "$1",
    1,
    "$1, $2, $3, $4, $5, $6",
    [
        "key" Bytes, "alignment" Text, "risk" Text, "decision" Text, "reasoning" Text,
        "created_at" Number
    ]
);

static TOKENS: Moved = moved!(
    "forum_tokens",
    "day",
    "$1",
    1,
    "$1, $2",
    [
        "day" Number, "used" Number
    ]
);

/// How a table is moved.
pub(crate) const fn moved(table: Table) -> &'static Moved {
    match table {
        Table::Agents => &AGENTS,
        Table::Keys => &KEYS,
        Table::Problems => &PROBLEMS,
        Table::Solutions => &SOLUTIONS,
        Table::Posts => &POSTS,
        Table::Votes => &VOTES,
        Table::Feed => &FEED,
        Table::Evaluations => &EVALUATIONS,
        Table::Verdicts => &VERDICTS,
        Table::Tokens => &TOKENS,
    }
}

impl Moved {
    /// The key that a page comes after: a row's, or one before all.
    pub(crate) fn after<'r>(&self, row: Option<&'r ForumRow>) -> Vec<Value<'r>> {
        match row {
            Some(row) => row.iter().take(self.keys).map(value).collect(),
            None => self.columns.iter().take(self.keys).map(|(_, kind)| least(*kind)).collect(),
        }
    }

    /// A row, read.
    pub(crate) fn row<C: Columns>(&self, row: &C) -> Result<ForumRow, C::Fault> {
        self.columns.iter().map(|(column, kind)| cell(row, column, *kind)).collect()
    }
}

const fn least(kind: Kind) -> Value<'static> {
    match kind {
        Kind::Id => Value::Id(Uuid::nil()),
        Kind::Number => Value::Number(i64::MIN),
        Kind::Flag => Value::Flag(false),
        Kind::Text => Value::Text(std::borrow::Cow::Borrowed("")),
        Kind::Bytes => Value::Bytes(std::borrow::Cow::Borrowed(&[])),
    }
}

fn cell<C: Columns>(row: &C, column: &str, kind: Kind) -> Result<Cell, C::Fault> {
    let cell = match kind {
        Kind::Id => row.maybe_id(column)?.map(Cell::Id),
        Kind::Number => row.maybe_number(column)?.map(Cell::Number),
        Kind::Flag => row.maybe_flag(column)?.map(Cell::Flag),
        Kind::Text => row.maybe_text(column)?.map(Cell::Text),
        Kind::Bytes => row.maybe_bytes(column)?.map(Cell::Bytes),
    };
    Ok(cell.unwrap_or(Cell::Nothing))
}

/// A cell on its way into its column.
pub(crate) fn value(cell: &Cell) -> Value<'_> {
    match cell {
        Cell::Nothing => Value::Null,
        Cell::Id(id) => Value::Id(*id),
        Cell::Number(number) => Value::Number(*number),
        Cell::Flag(flag) => Value::Flag(*flag),
        Cell::Text(text) => text.as_str().into(),
        Cell::Bytes(bytes) => bytes.as_slice().into(),
    }
}
