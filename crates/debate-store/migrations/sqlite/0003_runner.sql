-- The runner: debates that run themselves.
--
-- Ids are the 16 bytes of a UUID, times are UTC microseconds. The order of a round (debater_a,
-- debater_b, judge) is that of the names.

create table runs (
    id blob not null primary key,
    topic text not null,
    status text not null,
    -- Why it does not run any more; null while nothing ended it.
    stop_reason text,

    debater_a_side text not null,
    output_language text not null,
    judge_mode text not null,
    max_rounds integer not null,
    max_runtime_seconds integer not null,
    max_total_output_tokens integer not null,
    max_tokens_debater integer not null,
    max_tokens_judge integer not null,
    model_debater text not null,
    model_debater_a text not null,
    model_debater_b text not null,
    model_judge text not null,
    prompt_version text not null,

    next_round integer not null,
    next_actor text not null,
    last_error text,
    -- The newest turn's seq: the next one is this plus one.
    last_seq integer not null,
    completed_rounds integer not null,
    -- Tokens of all answers, and how long it has run, in microseconds.
    spent integer not null,
    ran integer not null,
    tries integer not null,

    -- The row is the work: whoever comes after `due` may take it. While `held_since` is there a
    -- worker has it, and `due` is when its lease ends. Whoever takes it gets a higher term.
    term integer not null,
    holder text,
    due integer,
    held_since integer,

    idempotency_key text unique,
    -- What made the request what it was; null where there is no key.
    fingerprint blob,
    created_at integer not null,
    updated_at integer not null
) strict;

create index runs_by_time on runs (updated_at desc, id desc);
create index runs_by_status on runs (status, updated_at desc, id desc);
create index runs_due on runs (due, id) where due is not null;

create table run_turns (
    id blob not null primary key,
    run_id blob not null references runs (id) on delete cascade,
    seq integer not null,
    round integer not null,
    actor text not null,
    content text not null,
    model text,
    prompt_tokens integer,
    completion_tokens integer,
    outcome text not null,
    -- Only a judge's turn has these; without a valid verdict the other five are null.
    verdict_valid integer,
    summary text,
    score_a integer,
    score_b integer,
    winner text,
    no_new_substantive_arguments integer,
    created_at integer not null,
    unique (run_id, seq),
    unique (run_id, round, actor)
) strict;

-- Every call to a provider, recorded before it is made.
create table run_calls (
    id blob not null primary key,
    run_id blob not null references runs (id) on delete cascade,
    round integer not null,
    actor text not null,
    number integer not null,
    model text not null,
    allowed integer not null,
    started_at integer not null,
    finished_at integer,
    called text not null,
    prompt_tokens integer,
    completion_tokens integer,
    unique (run_id, round, actor, number)
) strict;

-- What all calls of a day were charged, by the day they began: days since 1970, UTC. Debates that
-- are gone still count.
create table run_days (
    day integer not null primary key,
    spent integer not null
) strict;
