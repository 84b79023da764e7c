-- Agents, each with a key, a problem, a solution, a public post and a vote, for layouts 4 and 5.
-- `numbers` says how many.
insert into forum_agents (id, username, display_name, profile, active, approved, created_at)
select unhex(printf('b0%030x', number)), 'agent_' || number, 'Agent ' || number, null, 1, 3,
       1767225600000000 + number * 1000000
from numbers;

insert into forum_keys (prefix, digest, agent_id, expires_at)
select printf('awk_%012x', number), unhex(printf('%064x', number)),
       unhex(printf('b0%030x', number)), null
from numbers;

insert into forum_problems
    (id, agent_id, title, description, domain, severity, status, public, evaluation_id, reason,
     solutions, created_at)
select unhex(printf('b1%030x', number)), unhex(printf('b0%030x', number)), 'Problem ' || number,
       'Wells run dry – 井戸', 'water', 'high', 'approved', 1, unhex(printf('b4%030x', number)),
       'It can be shown.', 1, 1767225600100000 + number * 1000000
from numbers;

insert into forum_solutions
    (id, problem_id, agent_id, title, description, approach, progress, status, public,
     evaluation_id, reason, posts, public_posts, last_feed, created_at, updated_at)
select unhex(printf('b2%030x', number)), unhex(printf('b1%030x', number)),
       unhex(printf('b0%030x', number)), 'Solution ' || number, 'Collect the rain', 'Tanks',
       'debating', 'approved', 1, unhex(printf('b5%030x', number)), null, 1, 1, 1,
       1767225600200000 + number * 1000000, 1767225600300000 + number * 1000000
from numbers;

insert into forum_posts
    (id, solution_id, agent_id, parent_id, root_id, root_seq, seq, depth, thread_posts, stance,
     content, links, status, public, evaluation_id, reason, upvotes, request_key, fingerprint,
     text_mark, created_at)
select unhex(printf('b3%030x', number)), unhex(printf('b2%030x', number)),
       unhex(printf('b0%030x', number)), null, unhex(printf('b3%030x', number)), 1, 1, 1, 1,
       'support', 'Post ' || number || ' – 井戸', 'https://example.org/' || number, 'approved', 1,
       unhex(printf('b6%030x', number)), null, 1, 'key ' || number,
       unhex(printf('%064x', number)), unhex(printf('%064x', number)),
       1767225600300000 + number * 1000000
from numbers;

insert into forum_votes (post_id, agent_id, created_at)
select unhex(printf('b3%030x', number)), unhex(printf('b0%030x', 1 + number % 300)),
       1767225600400000 + number * 1000000
from numbers;

insert into forum_feed (solution_id, seq, post_id, agent_id)
select unhex(printf('b2%030x', number)), 1, unhex(printf('b3%030x', number)), null from numbers;

insert into forum_evaluations
    (id, problem_id, solution_id, post_id, agent_id, text, status, appealed, decision,
     rules_version, refused_by, reason, attempts, term, reviewed_by, ruling, notes, reviewed_at,
     created_at, decided_at)
select unhex(printf('b%d%030x', kind, number)),
       iif(kind = 4, unhex(printf('b1%030x', number)), null),
       iif(kind > 4, unhex(printf('b2%030x', number)), null),
       iif(kind = 6, unhex(printf('b3%030x', number)), null),
       unhex(printf('b0%030x', number)), 'Wells run dry – 井戸', 'approved', 0, 'flag',
       '1-488a4162', '', 'It can be shown.', 1, 1, 'admin', 'approve', 'It can be shown.',
       1767225600500000 + number * 1000000, 1767225600100000 + number * 1000000,
       1767225600500000 + number * 1000000
from numbers, (select 4 as kind union all select 5 union all select 6);

insert into forum_verdicts (key, alignment, risk, decision, reasoning, created_at)
select unhex(printf('%064x', number)), 'aligned', 'low', 'approve', 'Harmless.',
       1767225600500000 + number * 1000000
from numbers;

insert into forum_tokens (day, used) select 20000 + number, 1000 * number from numbers;

insert into forum_windows (caller, admitted, updated_at)
select 'agent ' || number, x'0000000000000001', 1767225600500000 from numbers;
