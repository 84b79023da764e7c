-- Layout 6.
--
-- One section for each subject, each independent of the others and in the order of the other
-- engine's file. Add a section at the end; a new table also belongs into `TABLES` in migrate.rs,
-- and into `aw db copy` if it holds durable data (see CONTRIBUTING.md). A database of layout 5
-- keeps every row.

-- Section: deleted debates. The id of a deleted debate is never used again.
create table deleted_debates (
    id uuid not null primary key,
    -- UTC microseconds.
    deleted_at bigint not null
);

-- Section: revoked sessions. A session that ended before its time. The row can be removed once
-- the session would have expired anyway.
create table revoked_sessions (
    -- SHA-256 of the session's cookie.
    digest bytea not null primary key,
    -- UTC microseconds.
    expires_at bigint not null
);

create index revoked_sessions_by_expiry on revoked_sessions (expires_at);

-- Section: debates of the earlier Node servers, which come here by `aw db copy`. Their ids were any
-- text and their types too. An id that is not a UUID is replaced by one that is derived from it;
-- the original id stays valid in requests.
create table original_ids (
    kind text collate "C" not null check (kind in ('debate', 'argument')),
    original text collate "C" not null,
    id uuid not null,
    primary key (kind, original),
    unique (kind, id)
);

-- The type that the debate had; null where `debate_type` is that type.
alter table debates add column original_type text;

-- Section: rate windows, which all processes share. A crash or a fail-over may empty the table:
-- it then counts from nothing. It takes the place of `forum_windows`.
drop table forum_windows;

create unlogged table rate_windows (
    -- What is counted, and for which caller.
    key text collate "C" not null primary key,
    -- The accepted requests that count: for each run 8 bytes of time and 4 of count.
    runs bytea not null,
    -- UTC microseconds from which on nothing counts any more.
    expires_at bigint not null
) with (fillfactor = 50);

create index rate_windows_by_expiry on rate_windows (expires_at);

-- Section: budgets of runs. A call reserves the bytes of its prompt and its max_tokens, priced as its
-- model was when it began (millionths of a USD for a million tokens), until its usage is known.
alter table run_calls add column prompt_bytes bigint not null default 0;
alter table run_calls add column usd_input_rate bigint;
alter table run_calls add column usd_output_rate bigint;
-- Whether the provider reported more tokens than the call allowed.
alter table run_calls add column usage_clipped boolean not null default false;
alter table run_turns add column usage_clipped boolean not null default false;
-- Billionths of a USD, beside the tokens.
alter table run_days add column cost bigint not null default 0;

-- Section: what turns and runs show. How many milliseconds a turn's call took; whether the creation
-- named the output language, which counts as named where that is not known.
alter table run_turns add column duration_ms bigint;
alter table runs add column output_language_given boolean not null default true;

-- Section: views for people who read the database with SQL. Ids are text, times are ISO 8601 in UTC
-- with microseconds, and nothing in them is a secret. They are no part of the server: it does not
-- read them. The join with an empty row makes a view read-only: PostgreSQL would pass writes to a
-- view of a single table on to that table.

create view debates_view as
select
    id::text as id, title, debate_type, original_type, state, last_seq, auto_ruling,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(timestamp 'epoch' + updated_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
from debates cross join (select) as read_only;

create view arguments_view as
select
    id::text as id, debate_id::text as debate_id, parent_id::text as parent_id, seq, kind, role,
    content, state_after, client_request_id,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from arguments cross join (select) as read_only;

create view runs_view as
select
    id::text as id, topic, status, stop_reason, debater_a_side, output_language, judge_mode,
    max_rounds, max_runtime_seconds, max_total_output_tokens, max_tokens_debater,
    max_tokens_judge, model_debater, model_debater_a, model_debater_b, model_judge,
    prompt_version, next_round, next_actor, completed_rounds, last_seq, last_error,
    spent as output_tokens, ran / 1000000.0 as run_seconds,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(timestamp 'epoch' + updated_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
from runs cross join (select) as read_only;

create view turns_view as
select
    id::text as id, run_id::text as run_id, seq, round, actor, content, model, prompt_tokens,
    completion_tokens, outcome, verdict_valid, summary, score_a, score_b, winner,
    no_new_substantive_arguments,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from run_turns cross join (select) as read_only;

create view calls_view as
select
    id::text as id, run_id::text as run_id, round, actor, number, model, allowed as max_tokens,
    called as outcome, prompt_tokens, completion_tokens,
    to_char(timestamp 'epoch' + started_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as started_at,
    to_char(timestamp 'epoch' + finished_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as finished_at
from run_calls cross join (select) as read_only;

create view agents_view as
select
    id::text as id, username, display_name, profile, active, approved, rate_limit,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from forum_agents cross join (select) as read_only;

create view problems_view as
select
    id::text as id, agent_id::text as agent_id, title, description, domain, severity, status,
    public, reason, evaluation_id::text as evaluation_id, solutions,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from forum_problems cross join (select) as read_only;

create view solutions_view as
select
    id::text as id, problem_id::text as problem_id, agent_id::text as agent_id, title,
    description, approach, progress, status, public, reason, evaluation_id::text as evaluation_id,
    posts, public_posts,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(timestamp 'epoch' + updated_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at
from forum_solutions cross join (select) as read_only;

create view posts_view as
select
    id::text as id, solution_id::text as solution_id, agent_id::text as agent_id,
    parent_id::text as parent_id, root_id::text as root_id, seq, depth, stance, content, links,
    status, public, reason, evaluation_id::text as evaluation_id, upvotes,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
from forum_posts cross join (select) as read_only;

create view evaluations_view as
select
    id::text as id, problem_id::text as problem_id, solution_id::text as solution_id,
    post_id::text as post_id, agent_id::text as agent_id, text, status, appealed, appeal_reason,
    decision, rules_version, refused_by, model, alignment, risk, model_decision, reasoning,
    reason, attempts, claimed_by,
    to_char(timestamp 'epoch' + claimed_until * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as claimed_until,
    reviewed_by, ruling, notes,
    to_char(timestamp 'epoch' + created_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    to_char(timestamp 'epoch' + decided_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as decided_at,
    to_char(timestamp 'epoch' + flagged_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as flagged_at,
    to_char(timestamp 'epoch' + reviewed_at * interval '1 microsecond',
        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as reviewed_at
from forum_evaluations cross join (select) as read_only;
