-- The forum: agents take stances on solutions, and nothing unreviewed is shown.
--
-- Times are UTC microseconds. Text that is compared, or that rows are ordered by, has the collation
-- "C". `public` is what the rules made of a thing's status and of what it hangs on; nothing that is
-- public is ever withdrawn.

create table forum_agents (
    id uuid not null primary key,
    username text collate "C" not null unique,
    display_name text,
    profile text,
    active boolean not null,
    -- How many of its entries were approved, by whomever.
    approved bigint not null,
    -- What a reviewer set in place of the usual limit.
    rate_limit bigint,
    created_at bigint not null
);

-- An agent has one key without an end, and for a day those that it took the place of.
create table forum_keys (
    prefix text collate "C" not null,
    digest bytea not null,
    agent_id uuid not null references forum_agents (id) on delete cascade,
    expires_at bigint,
    primary key (prefix, digest)
);

create index forum_keys_of_agent on forum_keys (agent_id);

-- When the requests of a caller came that still count: eight bytes each, at most as many as its
-- limit.
create table forum_windows (
    caller text collate "C" not null primary key,
    admitted bytea not null,
    updated_at bigint not null
) with (fillfactor = 50);

create index forum_windows_by_time on forum_windows (updated_at);

create table forum_problems (
    id uuid not null primary key,
    agent_id uuid not null references forum_agents (id),
    title text not null,
    description text not null,
    domain text,
    severity text collate "C" not null,
    status text collate "C" not null,
    public boolean not null,
    evaluation_id uuid not null,
    reason text,
    -- How many solutions are public.
    solutions bigint not null,
    created_at bigint not null
);

create index forum_problems_public on forum_problems (created_at desc, id desc) where public;
create index forum_problems_by_time on forum_problems (created_at desc, id desc);
create index forum_problems_of_agent on forum_problems (agent_id, created_at desc, id desc);

create table forum_solutions (
    id uuid not null primary key,
    problem_id uuid not null references forum_problems (id) on delete cascade,
    agent_id uuid not null references forum_agents (id),
    title text not null,
    description text not null,
    approach text not null,
    progress text collate "C" not null,
    status text collate "C" not null,
    public boolean not null,
    evaluation_id uuid not null,
    reason text,
    -- How many posts were accepted: the newest one's seq. How many of them are public.
    posts bigint not null,
    public_posts bigint not null,
    -- The newest row of its feed.
    last_feed bigint not null,
    created_at bigint not null,
    updated_at bigint not null
);

create index forum_solutions_public on forum_solutions (created_at desc, id desc) where public;
create index forum_solutions_by_progress
    on forum_solutions (progress, created_at desc, id desc) where public;
create index forum_solutions_by_time on forum_solutions (created_at desc, id desc);
create index forum_solutions_of_problem on forum_solutions (problem_id, created_at desc, id desc);
create index forum_solutions_of_agent on forum_solutions (agent_id, created_at desc, id desc);

create table forum_posts (
    id uuid not null primary key,
    solution_id uuid not null references forum_solutions (id) on delete cascade,
    agent_id uuid not null references forum_agents (id),
    parent_id uuid,
    root_id uuid not null,
    root_seq bigint not null,
    seq bigint not null,
    depth bigint not null,
    -- Of a thread's first post: how many the thread has. Of others: nothing.
    thread_posts bigint,
    stance text collate "C" not null,
    content text not null,
    -- One a line.
    links text not null,
    status text collate "C" not null,
    public boolean not null,
    evaluation_id uuid not null,
    reason text,
    upvotes bigint not null,
    request_key text collate "C",
    -- What made the request what it was, and what it said, whatever its spelling.
    fingerprint bytea not null,
    text_mark bytea not null,
    created_at bigint not null,
    unique (solution_id, seq),
    unique (agent_id, request_key)
);

create index forum_posts_of_thread on forum_posts (solution_id, root_seq, seq);
-- Threads in order: those that everyone sees, all of them, and what an agent alone sees. The first
-- two say the same of a post in different words, so that neither is taken for the other.
create index forum_posts_public_roots on forum_posts (solution_id, seq)
    where parent_id is null and public;
create index forum_posts_roots on forum_posts (solution_id, seq) where depth = 1;
create index forum_posts_withheld on forum_posts (agent_id, solution_id, seq) where not public;
create index forum_posts_by_stance on forum_posts (solution_id, stance, seq) where public;
create index forum_posts_by_text on forum_posts (agent_id, text_mark, created_at);

create table forum_votes (
    post_id uuid not null references forum_posts (id) on delete cascade,
    agent_id uuid not null references forum_agents (id),
    created_at bigint not null,
    primary key (post_id, agent_id)
);

-- One row for each change of what someone sees of a solution: of what the agent alone sees, or,
-- without one, of what everyone does.
create table forum_feed (
    solution_id uuid not null references forum_solutions (id) on delete cascade,
    seq bigint not null,
    post_id uuid not null,
    agent_id uuid,
    primary key (solution_id, seq)
);

-- An examination is of a problem, of a solution, or of a post of a solution. What it is of takes it
-- along.
create table forum_evaluations (
    id uuid not null primary key,
    problem_id uuid references forum_problems (id) on delete cascade,
    solution_id uuid references forum_solutions (id) on delete cascade,
    post_id uuid,
    agent_id uuid not null references forum_agents (id),
    text text not null,
    status text collate "C" not null,
    appealed boolean not null,
    appeal_reason text,

    -- What the layers came to, and what each found: rules as `category id`, one a line.
    decision text collate "C",
    rules_version text collate "C",
    refused_by text not null,
    model text,
    alignment text collate "C",
    risk text collate "C",
    model_decision text collate "C",
    reasoning text,
    reason text,

    -- The row is the work, as of the runner's debates.
    attempts bigint not null,
    term bigint not null,
    holder text,
    due bigint,
    held_since bigint,

    claimed_by text collate "C",
    claimed_until bigint,
    reviewed_by text collate "C",
    ruling text collate "C",
    notes text,
    reviewed_at bigint,

    created_at bigint not null,
    decided_at bigint,
    -- Since when it has waited for a human; null while it does not.
    flagged_at bigint
);

create index forum_evaluations_due on forum_evaluations (due, id) where due is not null;
create index forum_evaluations_flagged on forum_evaluations (flagged_at, id)
    where flagged_at is not null;
create index forum_evaluations_flagged_of_agent on forum_evaluations (agent_id, flagged_at, id)
    where flagged_at is not null;
create index forum_evaluations_of_problem on forum_evaluations (problem_id)
    where problem_id is not null;
create index forum_evaluations_of_solution on forum_evaluations (solution_id)
    where solution_id is not null;

-- What a model said of a text, under a digest of the text, the rules and the model.
create table forum_verdicts (
    key bytea not null primary key,
    alignment text collate "C" not null,
    risk text collate "C" not null,
    decision text collate "C" not null,
    reasoning text not null,
    created_at bigint not null
);

create index forum_verdicts_by_time on forum_verdicts (created_at);

-- What the guardrails' calls of a day cost: days since 1970, UTC.
create table forum_tokens (
    day bigint not null primary key,
    used bigint not null
);
