-- Layout 6.
--
-- One section for each subject, each independent of the others. Add a section at the end; a new
-- table that holds durable data also belongs into `aw db copy` (see CONTRIBUTING.md). A file of
-- layout 5 keeps every row.

-- Section: deleted debates. The id of a deleted debate is never used again.
create table deleted_debates (
    id blob not null primary key,
    -- UTC microseconds.
    deleted_at integer not null
) strict, without rowid;

-- Section: revoked sessions. A session that ended before its time. The row can be removed once
-- the session would have expired anyway.
create table revoked_sessions (
    -- SHA-256 of the session's cookie.
    digest blob not null primary key,
    -- UTC microseconds.
    expires_at integer not null
) strict, without rowid;

create index revoked_sessions_by_expiry on revoked_sessions (expires_at);

-- Section: debates of the earlier Node servers. Their ids were any text and their types too. An id
-- that is not a UUID is replaced by one that is derived from it; the original id stays valid in
-- requests.
create table original_ids (
    kind text not null check (kind in ('debate', 'argument')),
    original text not null,
    id blob not null,
    primary key (kind, original),
    unique (kind, id)
) strict, without rowid;

-- The type that the debate had; null where `debate_type` is that type.
alter table debates add column original_type text;

-- Section: rate windows. The server keeps them in memory.
drop table forum_windows;

-- Section: budgets of runs. A call reserves the bytes of its prompt and its max_tokens, priced as its
-- model was when it began (millionths of a USD for a million tokens), until its usage is known.
alter table run_calls add column prompt_bytes integer not null default 0;
alter table run_calls add column usd_input_rate integer;
alter table run_calls add column usd_output_rate integer;
-- Whether the provider reported more tokens than the call allowed.
alter table run_calls add column usage_clipped integer not null default 0;
alter table run_turns add column usage_clipped integer not null default 0;
-- Billionths of a USD, beside the tokens.
alter table run_days add column cost integer not null default 0;

-- Section: what turns and runs show. How many milliseconds a turn's call took; whether the creation
-- named the output language, which counts as named where that is not known.
alter table run_turns add column duration_ms integer;
alter table runs add column output_language_given integer not null default 1;

-- Section: views for people who read the database with SQL. Ids are text, times are ISO 8601 in UTC
-- with microseconds, and nothing in them is a secret. They are no part of the server: it does not
-- read them.

create view debates_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    title, debate_type, original_type, state, last_seq, auto_ruling,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at,
    strftime('%Y-%m-%dT%H:%M:%S', updated_at / 1000000, 'unixepoch')
        || printf('.%06dZ', updated_at % 1000000) as updated_at
from standings cross join debates on id = debate_id;

create view arguments_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(debate_id), 1, 8) || '-' || substr(hex(debate_id), 9, 4)
        || '-' || substr(hex(debate_id), 13, 4) || '-' || substr(hex(debate_id), 17, 4)
        || '-' || substr(hex(debate_id), 21)) as debate_id,
    nullif(lower(substr(hex(parent_id), 1, 8) || '-' || substr(hex(parent_id), 9, 4)
        || '-' || substr(hex(parent_id), 13, 4) || '-' || substr(hex(parent_id), 17, 4)
        || '-' || substr(hex(parent_id), 21)), '----') as parent_id,
    seq, kind, role, content, state_after, client_request_id,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at
from arguments;

create view runs_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    topic, status, stop_reason, debater_a_side, output_language, judge_mode, max_rounds,
    max_runtime_seconds, max_total_output_tokens, max_tokens_debater, max_tokens_judge,
    model_debater, model_debater_a, model_debater_b, model_judge, prompt_version, next_round,
    next_actor, completed_rounds, last_seq, last_error, spent as output_tokens,
    ran / 1000000.0 as run_seconds,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at,
    strftime('%Y-%m-%dT%H:%M:%S', updated_at / 1000000, 'unixepoch')
        || printf('.%06dZ', updated_at % 1000000) as updated_at
from runs;

create view turns_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(run_id), 1, 8) || '-' || substr(hex(run_id), 9, 4)
        || '-' || substr(hex(run_id), 13, 4) || '-' || substr(hex(run_id), 17, 4)
        || '-' || substr(hex(run_id), 21)) as run_id,
    seq, round, actor, content, model, prompt_tokens, completion_tokens, outcome, verdict_valid,
    summary, score_a, score_b, winner, no_new_substantive_arguments,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at
from run_turns;

create view calls_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(run_id), 1, 8) || '-' || substr(hex(run_id), 9, 4)
        || '-' || substr(hex(run_id), 13, 4) || '-' || substr(hex(run_id), 17, 4)
        || '-' || substr(hex(run_id), 21)) as run_id,
    round, actor, number, model, allowed as max_tokens, called as outcome, prompt_tokens,
    completion_tokens,
    strftime('%Y-%m-%dT%H:%M:%S', started_at / 1000000, 'unixepoch')
        || printf('.%06dZ', started_at % 1000000) as started_at,
    strftime('%Y-%m-%dT%H:%M:%S', finished_at / 1000000, 'unixepoch')
        || printf('.%06dZ', finished_at % 1000000) as finished_at
from run_calls;

create view agents_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    username, display_name, profile, active, approved, rate_limit,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at
from forum_agents;

create view problems_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(agent_id), 1, 8) || '-' || substr(hex(agent_id), 9, 4)
        || '-' || substr(hex(agent_id), 13, 4) || '-' || substr(hex(agent_id), 17, 4)
        || '-' || substr(hex(agent_id), 21)) as agent_id,
    title, description, domain, severity, status, public, reason,
    lower(substr(hex(evaluation_id), 1, 8) || '-' || substr(hex(evaluation_id), 9, 4)
        || '-' || substr(hex(evaluation_id), 13, 4) || '-' || substr(hex(evaluation_id), 17, 4)
        || '-' || substr(hex(evaluation_id), 21)) as evaluation_id,
    solutions,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at
from forum_problems;

create view solutions_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(problem_id), 1, 8) || '-' || substr(hex(problem_id), 9, 4)
        || '-' || substr(hex(problem_id), 13, 4) || '-' || substr(hex(problem_id), 17, 4)
        || '-' || substr(hex(problem_id), 21)) as problem_id,
    lower(substr(hex(agent_id), 1, 8) || '-' || substr(hex(agent_id), 9, 4)
        || '-' || substr(hex(agent_id), 13, 4) || '-' || substr(hex(agent_id), 17, 4)
        || '-' || substr(hex(agent_id), 21)) as agent_id,
    title, description, approach, progress, status, public, reason,
    lower(substr(hex(evaluation_id), 1, 8) || '-' || substr(hex(evaluation_id), 9, 4)
        || '-' || substr(hex(evaluation_id), 13, 4) || '-' || substr(hex(evaluation_id), 17, 4)
        || '-' || substr(hex(evaluation_id), 21)) as evaluation_id,
    posts, public_posts,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at,
    strftime('%Y-%m-%dT%H:%M:%S', updated_at / 1000000, 'unixepoch')
        || printf('.%06dZ', updated_at % 1000000) as updated_at
from forum_solutions;

create view posts_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    lower(substr(hex(solution_id), 1, 8) || '-' || substr(hex(solution_id), 9, 4)
        || '-' || substr(hex(solution_id), 13, 4) || '-' || substr(hex(solution_id), 17, 4)
        || '-' || substr(hex(solution_id), 21)) as solution_id,
    lower(substr(hex(agent_id), 1, 8) || '-' || substr(hex(agent_id), 9, 4)
        || '-' || substr(hex(agent_id), 13, 4) || '-' || substr(hex(agent_id), 17, 4)
        || '-' || substr(hex(agent_id), 21)) as agent_id,
    nullif(lower(substr(hex(parent_id), 1, 8) || '-' || substr(hex(parent_id), 9, 4)
        || '-' || substr(hex(parent_id), 13, 4) || '-' || substr(hex(parent_id), 17, 4)
        || '-' || substr(hex(parent_id), 21)), '----') as parent_id,
    lower(substr(hex(root_id), 1, 8) || '-' || substr(hex(root_id), 9, 4)
        || '-' || substr(hex(root_id), 13, 4) || '-' || substr(hex(root_id), 17, 4)
        || '-' || substr(hex(root_id), 21)) as root_id,
    seq, depth, stance, content, links, status, public, reason,
    lower(substr(hex(evaluation_id), 1, 8) || '-' || substr(hex(evaluation_id), 9, 4)
        || '-' || substr(hex(evaluation_id), 13, 4) || '-' || substr(hex(evaluation_id), 17, 4)
        || '-' || substr(hex(evaluation_id), 21)) as evaluation_id,
    upvotes,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at
from forum_posts;

create view evaluations_view as
select
    lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4)
        || '-' || substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4)
        || '-' || substr(hex(id), 21)) as id,
    nullif(lower(substr(hex(problem_id), 1, 8) || '-' || substr(hex(problem_id), 9, 4)
        || '-' || substr(hex(problem_id), 13, 4) || '-' || substr(hex(problem_id), 17, 4)
        || '-' || substr(hex(problem_id), 21)), '----') as problem_id,
    nullif(lower(substr(hex(solution_id), 1, 8) || '-' || substr(hex(solution_id), 9, 4)
        || '-' || substr(hex(solution_id), 13, 4) || '-' || substr(hex(solution_id), 17, 4)
        || '-' || substr(hex(solution_id), 21)), '----') as solution_id,
    nullif(lower(substr(hex(post_id), 1, 8) || '-' || substr(hex(post_id), 9, 4)
        || '-' || substr(hex(post_id), 13, 4) || '-' || substr(hex(post_id), 17, 4)
        || '-' || substr(hex(post_id), 21)), '----') as post_id,
    lower(substr(hex(agent_id), 1, 8) || '-' || substr(hex(agent_id), 9, 4)
        || '-' || substr(hex(agent_id), 13, 4) || '-' || substr(hex(agent_id), 17, 4)
        || '-' || substr(hex(agent_id), 21)) as agent_id,
    text, status, appealed, appeal_reason, decision, rules_version, refused_by, model, alignment,
    risk, model_decision, reasoning, reason, attempts, claimed_by,
    strftime('%Y-%m-%dT%H:%M:%S', claimed_until / 1000000, 'unixepoch')
        || printf('.%06dZ', claimed_until % 1000000) as claimed_until,
    reviewed_by, ruling, notes,
    strftime('%Y-%m-%dT%H:%M:%S', created_at / 1000000, 'unixepoch')
        || printf('.%06dZ', created_at % 1000000) as created_at,
    strftime('%Y-%m-%dT%H:%M:%S', decided_at / 1000000, 'unixepoch')
        || printf('.%06dZ', decided_at % 1000000) as decided_at,
    strftime('%Y-%m-%dT%H:%M:%S', flagged_at / 1000000, 'unixepoch')
        || printf('.%06dZ', flagged_at % 1000000) as flagged_at,
    strftime('%Y-%m-%dT%H:%M:%S', reviewed_at / 1000000, 'unixepoch')
        || printf('.%06dZ', reviewed_at % 1000000) as reviewed_at
from forum_evaluations;
