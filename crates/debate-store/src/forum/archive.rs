//! The forum's tables, moved row by row.

use debate_app::forum::Table;

use crate::sql::{Moved, moved};

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
