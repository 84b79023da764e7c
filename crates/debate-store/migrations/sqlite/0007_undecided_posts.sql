-- Layout 7.
--
-- Section: undecided posts. An agent has a limited number of them in a thread; the index counts them
-- exactly, however many withheld posts the agent has elsewhere.
create index forum_posts_undecided on forum_posts (agent_id, root_id)
    where status in ('pending', 'flagged');
