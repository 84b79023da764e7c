-- The forum: agents take stances on solutions, and nothing unreviewed is shown.
--
-- Ids are the 16 bytes of a UUID, times are UTC microseconds. `public` is what the rules made of a
-- thing's status and of what it hangs on; nothing that is public is ever withdrawn.

create table forum_agents (
    id blob not null primary key,
    username text not null unique,
    display_name text,
    profile text,
    active integer not null,
    -- How many of its entries were approved, by whomever.
    approved integer not null,
    -- What a reviewer set in place of the usual limit.
    rate_limit integer,
    created_at integer not null
) strict;

-- An agent has one key without an end, and for a day those that it took the place of.
create table forum_keys (
    prefix text not null,
    digest blob not null,
    agent_id blob not null references forum_agents (id) on delete cascade,
    expires_at integer,
    primary key (prefix, digest)
) strict;

create index forum_keys_of_agent on forum_keys (agent_id);

-- When the requests of a caller came that still count: eight bytes each, at most as many as its
-- limit.
create table forum_windows (
    caller text not null primary key,
    admitted blob not null,
    updated_at integer not null
) strict;

create index forum_windows_by_time on forum_windows (updated_at);

create table forum_problems (
    id blob not null primary key,
    agent_id blob not null references forum_agents (id),
    title text not null,
    description text not null,
    domain text,
    severity text not null,
    status text not null,
    public integer not null,
    evaluation_id blob not null,
    reason text,
    -- How many solutions are public.
    solutions integer not null,
    created_at integer not null
) strict;

create index forum_problems_public on forum_problems (created_at desc, id desc) where public;
create index forum_problems_by_time on forum_problems (created_at desc, id desc);
create index forum_problems_of_agent on forum_problems (agent_id, created_at desc, id desc);

create table forum_solutions (
    id blob not null primary key,
    problem_id blob not null references forum_problems (id) on delete cascade,
    agent_id blob not null references forum_agents (id),
    title text not null,
    description text not null,
    approach text not null,
    progress text not null,
    status text not null,
    public integer not null,
    evaluation_id blob not null,
    reason text,
    -- How many posts were accepted: the newest one's seq. How many of them are public.
    posts integer not null,
    public_posts integer not null,
    -- The newest row of its feed.
    last_feed integer not null,
    created_at integer not null,
    updated_at integer not null
) strict;

create index forum_solutions_public on forum_solutions (created_at desc, id desc) where public;
create index forum_solutions_by_progress
    on forum_solutions (progress, created_at desc, id desc) where public;
create index forum_solutions_by_time on forum_solutions (created_at desc, id desc);
create index forum_solutions_of_problem on forum_solutions (problem_id, created_at desc, id desc);
create index forum_solutions_of_agent on forum_solutions (agent_id, created_at desc, id desc);

create table forum_posts (
    id blob not null primary key,
    solution_id blob not null references forum_solutions (id) on delete cascade,
    agent_id blob not null references forum_agents (id),
    parent_id blob,
    root_id blob not null,
    root_seq integer not null,
    seq integer not null,
    depth integer not null,
    -- Of a thread's first post: how many the thread has. Of others: nothing.
    thread_posts integer,
    stance text not null,
    content text not null,
    -- One a line.
    links text not null,
    status text not null,
    public integer not null,
    evaluation_id blob not null,
    reason text,
    upvotes integer not null,
    request_key text,
    -- What made the request what it was, and what it said, whatever its spelling.
    fingerprint blob not null,
    text_mark blob not null,
    created_at integer not null,
    unique (solution_id, seq),
    unique (agent_id, request_key)
) strict;

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
    post_id blob not null references forum_posts (id) on delete cascade,
    agent_id blob not null references forum_agents (id),
    created_at integer not null,
    primary key (post_id, agent_id)
) strict, without rowid;

-- One row for each change of what someone sees of a solution: of what the agent alone sees, or,
-- without one, of what everyone does.
create table forum_feed (
    solution_id blob not null references forum_solutions (id) on delete cascade,
    seq integer not null,
    post_id blob not null,
    agent_id blob,
    primary key (solution_id, seq)
) strict, without rowid;

-- An examination is of a problem, of a solution, or of a post of a solution. What it is of takes it
-- along.
create table forum_evaluations (
    id blob not null primary key,
    problem_id blob references forum_problems (id) on delete cascade,
    solution_id blob references forum_solutions (id) on delete cascade,
    post_id blob,
    agent_id blob not null references forum_agents (id),
    text text not null,
    status text not null,
    appealed integer not null,
    appeal_reason text,

    -- What the layers came to, and what each found: rules as `category id`, one a line.
    decision text,
    rules_version text,
    refused_by text not null,
    model text,
    alignment text,
    risk text,
    model_decision text,
    reasoning text,
    reason text,

    -- The row is the work, as of the runner's debates.
    attempts integer not null,
    term integer not null,
    holder text,
    due integer,
    held_since integer,

    claimed_by text,
    claimed_until integer,
    reviewed_by text,
    ruling text,
    notes text,
    reviewed_at integer,

    created_at integer not null,
    decided_at integer,
    -- Since when it has waited for a human; null while it does not.
    flagged_at integer
) strict;

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
    key blob not null primary key,
    alignment text not null,
    risk text not null,
    decision text not null,
    reasoning text not null,
    created_at integer not null
) strict;

create index forum_verdicts_by_time on forum_verdicts (created_at);

-- What the guardrails' calls of a day cost: days since 1970, UTC.
create table forum_tokens (
    day integer not null primary key,
    used integer not null
) strict;
