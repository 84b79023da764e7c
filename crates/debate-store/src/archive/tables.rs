//! Every table that a copy contains, parents first. A new table is one entry in [`COPIED`].
//!
//! `debate_search` and `debate_counts` follow from other tables: a copy rebuilds them. `standings`
//! of SQLite is a part of `debates`. `schema_meta`, `rate_windows` and `login_codes` are not
//! copied.

use super::table::{Column, ColumnType, Owner, StoragePart, Table, columns};

/// The tables of a copy, in the order in which they are written and digested.
pub(crate) static COPIED: [&Table; 20] = [
    &DEBATES,
    &ARGUMENTS,
    &SEATS,
    &RUNS,
    &RUN_TURNS,
    &RUN_CALLS,
    &RUN_DAYS,
    &FORUM_AGENTS,
    &FORUM_KEYS,
    &FORUM_PROBLEMS,
    &FORUM_SOLUTIONS,
    &FORUM_POSTS,
    &FORUM_VOTES,
    &FORUM_FEED,
    &FORUM_EVALUATIONS,
    &FORUM_VERDICTS,
    &FORUM_TOKENS,
    &ORIGINAL_IDS,
    &DELETED_DEBATES,
    &REVOKED_SESSIONS,
];

/// The tables that a copy rebuilds.
pub(crate) static DERIVED: [&Table; 2] = [&DEBATE_SEARCH, &DEBATE_COUNTS];

pub(crate) static DEBATES: Table = Table {
    owner: Owner::Debate,
    // A debate whose standing does not match its newest argument has no state, and is refused.
    sqlite_relation: Some(
        "(select d.id, d.title, d.debate_type, d.original_type, s.state, s.last_seq,
                 d.auto_ruling, d.created_at, s.updated_at, d.slug, d.seat_changes, d.invite,
                 d.seat_fields
          from debates d
          left join arguments n on n.debate_id = d.id
              and n.seq = (select max(seq) from arguments where debate_id = d.id)
          left join standings s on s.debate_id = d.id
              and s.updated_at = coalesce(n.updated_after, n.created_at)) as debates",
    ),
    sqlite_parts: &[
        StoragePart {
            table: "debates",
            columns: &[
                "id",
                "title",
                "debate_type",
                "original_type",
                "auto_ruling",
                "created_at",
                "slug",
                "seat_changes",
                "invite",
                "seat_fields",
            ],
            alias: None,
        },
        StoragePart {
            table: "standings",
            columns: &["updated_at", "debate_id", "state", "last_seq"],
            alias: Some(("debate_id", "id")),
        },
    ],
    ..Table::new(
        "debates",
        1,
        columns![
            id: Id, title: Text, debate_type: Text, original_type: Text, state: Text,
            last_seq: Number, auto_ruling: Flag, created_at: Number, updated_at: Number,
            slug: Text, seat_changes: Number, invite: Bytes, seat_fields: Bytes,
        ],
    )
};

pub(crate) static ARGUMENTS: Table = Table {
    owner: Owner::Debate,
    ..Table::new(
        "arguments",
        2,
        columns![
            debate_id: Id, seq: Number, id: Id, parent_id: Id, kind: Text, role: Text,
            content: Text, client_request_id: Text, fingerprint: Bytes, state_after: Text,
            created_at: Number, author: Text,
        ],
    )
};

pub(crate) static SEATS: Table = Table {
    owner: Owner::Debate,
    ..Table::new(
        "seats",
        2,
        columns![debate_id: Id, side: Text, holder: Text, token: Bytes, since: Number],
    )
};

/// A lease is not copied: its holder uses the source. The run arrives as due since the lease began.
/// A row that holds a lease without a deadline stays as it is, and is refused.
pub(crate) static RUNS: Table = Table {
    owner: Owner::Run,
    ..Table::new(
        "runs",
        1,
        columns![
            id: Id, topic: Text, status: Text, stop_reason: Text, debater_a_side: Text,
            output_language: Text, output_language_given: Flag, judge_mode: Text,
            max_rounds: Number, max_runtime_seconds: Number, max_total_output_tokens: Number,
            max_tokens_debater: Number, max_tokens_judge: Number, model_debater: Text,
            model_debater_a: Text, model_debater_b: Text, model_judge: Text,
            prompt_version: Text, next_round: Number, next_actor: Text, last_error: Text,
            last_seq: Number, completed_rounds: Number,
            spent: Number, ran: Number, tries: Number, term: Number,
            holder: Text = "cast(null as text)",
            due: Number = "case when due is not null then coalesce(held_since, due) end",
            held_since: Number = "case when due is null then held_since end", idempotency_key: Text,
            fingerprint: Bytes, created_at: Number, updated_at: Number,
        ],
    )
};

pub(crate) static RUN_TURNS: Table = Table {
    owner: Owner::Run,
    ..Table::new(
        "run_turns",
        2,
        columns![
            run_id: Id, seq: Number, id: Id, round: Number, actor: Text, content: Text, model: Text,
            prompt_tokens: Number, completion_tokens: Number, usage_clipped: Flag, outcome: Text,
            verdict_valid: Flag, summary: Text, score_a: Number, score_b: Number, winner: Text,
            no_new_substantive_arguments: Flag, duration_ms: Number, created_at: Number,
        ],
    )
};

pub(crate) static RUN_CALLS: Table = Table {
    owner: Owner::Run,
    ..Table::new(
        "run_calls",
        4,
        columns![
            run_id: Id, round: Number, actor: Text, number: Number, id: Id, model: Text,
            allowed: Number, prompt_bytes: Number, usd_input_rate: Number, usd_output_rate: Number,
            started_at: Number, finished_at: Number, called: Text, prompt_tokens: Number,
            completion_tokens: Number, usage_clipped: Flag,
        ],
    )
};

/// PostgreSQL spreads a day over slots, which are summed; a copy writes one.
static RUN_DAYS: Table = Table {
    sqlite_relation: Some(RUN_DAY_SUMS),
    postgres_relation: Some(RUN_DAY_SUMS),
    sqlite_parts: &[StoragePart {
        table: "run_days",
        columns: &["day", "spent", "cost"],
        alias: None,
    }],
    ..Table::new(
        "run_days",
        1,
        columns![day: Number, slot: Number = "cast(0 as bigint)", spent: Number, cost: Number],
    )
};

const RUN_DAY_SUMS: &str =
    "(select day, cast(sum(spent) as bigint) as spent, cast(sum(cost) as bigint) as cost
      from run_days group by day) as run_days";

static FORUM_AGENTS: Table = Table::new(
    "forum_agents",
    1,
    columns![
        id: Id, username: Text, display_name: Text, profile: Text, active: Flag,
        approved: Number, rate_limit: Number, created_at: Number,
    ],
);

static FORUM_KEYS: Table = Table::new(
    "forum_keys",
    2,
    columns![
        prefix: Text, digest: Bytes, agent_id: Id, expires_at: Number,
    ],
);

static FORUM_PROBLEMS: Table = Table::new(
    "forum_problems",
    1,
    columns![
        id: Id, agent_id: Id, title: Text, description: Text, domain: Text, severity: Text,
        status: Text, public: Flag, evaluation_id: Id, reason: Text, solutions: Number,
        created_at: Number,
    ],
);

static FORUM_SOLUTIONS: Table = Table::new(
    "forum_solutions",
    1,
    columns![
        id: Id, problem_id: Id, agent_id: Id, title: Text, description: Text, approach: Text,
        progress: Text, status: Text, public: Flag, evaluation_id: Id, reason: Text,
        posts: Number, public_posts: Number, last_feed: Number, created_at: Number,
        updated_at: Number,
    ],
);

static FORUM_POSTS: Table = Table::new(
    "forum_posts",
    1,
    columns![
        id: Id, solution_id: Id, agent_id: Id, parent_id: Id, root_id: Id, root_seq: Number,
        seq: Number, depth: Number, thread_posts: Number, stance: Text, content: Text,
        links: Text, status: Text, public: Flag, evaluation_id: Id, reason: Text,
        upvotes: Number, request_key: Text, fingerprint: Bytes, text_mark: Bytes,
        created_at: Number,
    ],
);

static FORUM_VOTES: Table =
    Table::new("forum_votes", 2, columns![post_id: Id, agent_id: Id, created_at: Number]);

static FORUM_FEED: Table = Table::new(
    "forum_feed",
    2,
    columns![
        solution_id: Id, seq: Number, post_id: Id, agent_id: Id,
    ],
);

static FORUM_EVALUATIONS: Table = Table::new(
    "forum_evaluations",
    1,
    columns![
        id: Id, problem_id: Id, solution_id: Id, post_id: Id, agent_id: Id, text: Text,
        status: Text, appealed: Flag, appeal_reason: Text, decision: Text, rules_version: Text,
        refused_by: Text, model: Text, alignment: Text, risk: Text, model_decision: Text,
        reasoning: Text, reason: Text, attempts: Number, term: Number, holder: Text, due: Number,
        held_since: Number, claimed_by: Text, claimed_until: Number, reviewed_by: Text,
        ruling: Text, notes: Text, reviewed_at: Number, created_at: Number, decided_at: Number,
        flagged_at: Number,
    ],
);

static FORUM_VERDICTS: Table = Table::new(
    "forum_verdicts",
    1,
    columns![
        key: Bytes, alignment: Text, risk: Text, decision: Text, reasoning: Text,
        created_at: Number,
    ],
);

static FORUM_TOKENS: Table = Table::new("forum_tokens", 1, columns![day: Number, used: Number]);

static ORIGINAL_IDS: Table =
    Table::new("original_ids", 2, columns![kind: Text, original: Text, id: Id]);

static DELETED_DEBATES: Table =
    Table::new("deleted_debates", 1, columns![id: Id, deleted_at: Number, slug: Text]);

static REVOKED_SESSIONS: Table =
    Table::new("revoked_sessions", 1, columns![digest: Bytes, expires_at: Number]);

pub(crate) static DEBATE_SEARCH: Table = Table {
    owner: Owner::Debate,
    ..Table::new("debate_search", 1, columns![debate_id: Id, folded: Text])
};

/// PostgreSQL spreads a counter over slots, as in [`RUN_DAYS`].
pub(crate) static DEBATE_COUNTS: Table = Table {
    sqlite_relation: Some(COUNTER_SUMS),
    postgres_relation: Some(COUNTER_SUMS),
    sqlite_parts: &[StoragePart {
        table: "debate_counts",
        columns: &["bucket", "debates"],
        alias: None,
    }],
    ..Table::new(
        "debate_counts",
        1,
        columns![bucket: Text, slot: Number = "cast(0 as bigint)", debates: Number],
    )
};

const COUNTER_SUMS: &str = "(select bucket, cast(sum(debates) as bigint) as debates
      from debate_counts group by bucket) as debate_counts";
