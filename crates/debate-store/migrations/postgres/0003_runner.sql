-- The runner: debates that run themselves.
--
-- Times are UTC microseconds. Text that is compared, or that rows are ordered by, has the collation
-- "C": the order of a round (debater_a, debater_b, judge) is that of the names.

create table runs (
    id uuid not null primary key,
    topic text not null,
    status text collate "C" not null,
    -- Why it does not run any more; null while nothing ended it.
    stop_reason text collate "C",

    debater_a_side text collate "C" not null,
    output_language text collate "C" not null,
    judge_mode text collate "C" not null,
    max_rounds bigint not null,
    max_runtime_seconds bigint not null,
    max_total_output_tokens bigint not null,
    max_tokens_debater bigint not null,
    max_tokens_judge bigint not null,
    model_debater text collate "C" not null,
    model_debater_a text collate "C" not null,
    model_debater_b text collate "C" not null,
    model_judge text collate "C" not null,
    prompt_version text collate "C" not null,

    next_round bigint not null,
    next_actor text collate "C" not null,
    last_error text,
    -- The newest turn's seq: the next one is this plus one.
    last_seq bigint not null,
    completed_rounds bigint not null,
    -- Tokens of all answers, and how long it has run, in microseconds.
    spent bigint not null,
    ran bigint not null,
    tries bigint not null,

    -- The row is the work: whoever comes after `due` may take it. While `held_since` is there a
    -- worker has it, and `due` is when its lease ends. Whoever takes it gets a higher term.
    term bigint not null,
    holder text,
    due bigint,
    held_since bigint,

    idempotency_key text collate "C" unique,
    -- What made the request what it was; null where there is no key.
    fingerprint bytea,
    created_at bigint not null,
    updated_at bigint not null
);

create index runs_by_time on runs (updated_at desc, id desc);
create index runs_by_status on runs (status, updated_at desc, id desc);
create index runs_due on runs (due, id) where due is not null;

create table run_turns (
    id uuid not null primary key,
    run_id uuid not null references runs (id) on delete cascade,
    seq bigint not null,
    round bigint not null,
    actor text collate "C" not null,
    content text not null,
    model text collate "C",
    prompt_tokens bigint,
    completion_tokens bigint,
    outcome text collate "C" not null,
    -- Only a judge's turn has these; without a valid verdict the other five are null.
    verdict_valid boolean,
    summary text,
    score_a bigint,
    score_b bigint,
    winner text collate "C",
    no_new_substantive_arguments boolean,
    created_at bigint not null,
    unique (run_id, seq),
    unique (run_id, round, actor)
);

-- Every call to a provider, recorded before it is made.
create table run_calls (
    id uuid not null primary key,
    run_id uuid not null references runs (id) on delete cascade,
    round bigint not null,
    actor text collate "C" not null,
    number bigint not null,
    model text collate "C" not null,
    allowed bigint not null,
    started_at bigint not null,
    finished_at bigint,
    called text collate "C" not null,
    prompt_tokens bigint,
    completion_tokens bigint,
    unique (run_id, round, actor, number)
);

-- What all calls of a day were charged, by the day they began: days since 1970, UTC. Debates that
-- are gone still count. Each connection has rows of its own, which are added up when read: one row
-- for all would make every call of every process wait for every other.
create table run_days (
    day bigint not null,
    slot bigint not null,
    spent bigint not null,
    primary key (day, slot)
) with (fillfactor = 50);
