//! The forum's reads. The tests of the query plans include this file, so it uses nothing else.
//!
//! Public items and the viewer's own items are read from one index each and merged, so that a read
//! does not pass over items that the viewer may not see. SQLite executes a cross join in the order
//! in which it is written: the page first, then the rows that belong to it.

/// Problems with all columns that `rows::problem` decodes.
macro_rules! problems {
    ($rest:expr) => {
        concat!(
            "select id, agent_id, title, description, domain, severity, status, public,
                    evaluation_id, reason, solutions, created_at
             from ",
            $rest
        )
    };
}

/// Solutions with all columns that `rows::solution` decodes.
macro_rules! solutions {
    ($rest:expr) => {
        concat!(
            "select id, problem_id, agent_id, title, description, approach, progress, status,
                    public, evaluation_id, reason, posts, public_posts, created_at, updated_at
             from ",
            $rest
        )
    };
}

/// Posts with their authors, as `rows::post` decodes them, and one more column.
macro_rules! posts {
    ($more:literal, $rest:literal) => {
        concat!(
            "select p.id, p.solution_id, p.agent_id, a.username, a.display_name, p.parent_id,
                    p.root_id, p.seq, p.depth, p.stance, p.content, p.links, p.status, p.public,
                    p.evaluation_id, p.reason, p.upvotes, p.created_at, ",
            $more,
            " from ",
            $rest
        )
    };
}

/// Evaluations with all columns that `stored_evaluation` decodes.
macro_rules! evaluations {
    ($rest:literal) => {
        concat!(
            "select id, problem_id, solution_id, post_id, agent_id, text, status, appealed,
                    appeal_reason, decision, rules_version, refused_by, model, alignment, risk,
                    model_decision, reasoning, reason, attempts, term, due, held_since, claimed_by,
                    claimed_until, reviewed_by, ruling, notes, reviewed_at, created_at, decided_at,
                    flagged_at
             from ",
            $rest
        )
    };
}

pub(crate) const PROBLEM: &str =
    problems!("forum_problems where id = $1 and (public or agent_id = $2 or $3)");

pub(crate) const SOLUTION: &str =
    solutions!("forum_solutions where id = $1 and (public or agent_id = $2 or $3)");

/// A page of public rows and of the viewer's own withheld rows, newest first: at most `$limit` rows
/// before the position `$before`.
macro_rules! visible_rows {
    ($table:literal, $public:literal, $own:literal, $before:literal, $limit:literal) => {
        concat!(
            "(select * from (select * from ",
            $table,
            " where ",
            $public,
            " and (created_at, id) < ",
            $before,
            " order by created_at desc, id desc limit ",
            $limit,
            ") as everyones
              union all
              select * from (select * from ",
            $table,
            " where ",
            $own,
            " and (created_at, id) < ",
            $before,
            " order by created_at desc, id desc limit ",
            $limit,
            ") as own) as page order by created_at desc, id desc limit ",
            $limit
        )
    };
}

/// Public problems are approved; `$1` says whether the page includes approved problems.
pub(crate) const PROBLEMS: &str = problems!(visible_rows!(
    "forum_problems",
    "public and $1",
    "agent_id = $5 and not public and (status = $6 or $7)",
    "($2, $3)",
    "$4"
));

pub(crate) const PROBLEMS_OF_AGENT: &str = problems!(
    "forum_problems
     where agent_id = $1 and (public or agent_id = $2 or $3) and (status = $4 or $5)
       and (created_at, id) < ($6, $7)
     order by created_at desc, id desc limit $8"
);

pub(crate) const ALL_PROBLEMS: &str = problems!(
    "forum_problems where (status = $1 or $2) and (created_at, id) < ($3, $4)
     order by created_at desc, id desc limit $5"
);

pub(crate) const SOLUTIONS: &str = solutions!(visible_rows!(
    "forum_solutions",
    "public",
    "agent_id = $4 and not public",
    "($1, $2)",
    "$3"
));

pub(crate) const SOLUTIONS_IN_PROGRESS: &str = solutions!(visible_rows!(
    "forum_solutions",
    "public and progress = $1",
    "agent_id = $5 and not public and progress = $1",
    "($2, $3)",
    "$4"
));

pub(crate) const SOLUTIONS_OF_PROBLEM: &str = solutions!(
    "forum_solutions
     where problem_id = $1 and (public or agent_id = $2 or $3) and (progress = $4 or $5)
       and (created_at, id) < ($6, $7)
     order by created_at desc, id desc limit $8"
);

pub(crate) const SOLUTIONS_OF_AGENT: &str = solutions!(
    "forum_solutions
     where agent_id = $1 and (public or agent_id = $2 or $3) and (progress = $4 or $5)
       and (problem_id = $6 or $7) and (created_at, id) < ($8, $9)
     order by created_at desc, id desc limit $10"
);

pub(crate) const ALL_SOLUTIONS: &str = solutions!(
    "forum_solutions where (progress = $1 or $2) and (created_at, id) < ($3, $4)
     order by created_at desc, id desc limit $5"
);

/// A post of any solution.
pub(crate) const POST: &str = posts!(
    "p.root_seq",
    "forum_posts p join forum_agents a on a.id = p.agent_id
     where p.id = $1 and (p.public or p.agent_id = $2 or $3)"
);

/// A viewer sees a post only of a solution that it sees.
pub(crate) const POST_OF_SOLUTION: &str = posts!(
    "p.root_seq",
    "forum_posts p
     join forum_agents a on a.id = p.agent_id
     join forum_solutions s on s.id = p.solution_id
     where p.id = $1 and (p.public or p.agent_id = $2 or $3)
       and s.id = $4 and (s.public or s.agent_id = $2 or $3)"
);

pub(crate) const POST_OF_KEY: &str = posts!(
    "p.fingerprint",
    "forum_posts p join forum_agents a on a.id = p.agent_id
     where p.agent_id = $1 and p.request_key = $2"
);

/// The parent post `$4` and the counts that limit its thread. The thread's public posts are
/// counted only if it has `$1` posts with the withheld ones. At most `$3` undecided posts of the
/// agent `$2` are counted.
pub(crate) const PARENT: &str = "select p.id, p.solution_id, p.agent_id, p.public, p.root_id,
            p.root_seq, p.depth,
            case when r.thread_posts < $1 then r.thread_posts
                 else (select count(*) from forum_posts t
                       where t.solution_id = p.solution_id and t.root_seq = p.root_seq
                         and t.public) end as public_posts,
            (select count(*) from
                 (select 1 from forum_posts
                  where agent_id = $2 and root_id = p.root_id
                    and status in ('pending', 'flagged')
                  limit $3) as own)
                as undecided_posts
     from forum_posts p join forum_posts r on r.id = p.root_id where p.id = $4";

pub(crate) const REPEATED: &str = "select id from forum_posts
     where agent_id = $1 and text_mark = $2 and created_at > $3
     order by created_at desc limit 1";

/// The columns of posts that decide which page they are on. `bytes` is the size of a post.
macro_rules! outlines {
    ($more:literal, $rest:literal) => {
        concat!(
            "select p.parent_id, p.id, p.root_seq, p.seq,
                    cast(octet_length(p.content) + octet_length(p.links) as bigint) as bytes, ",
            $more,
            " from ",
            $rest
        )
    };
}

/// The threads of `roots` before which there are fewer than `$most` posts, not counting the posts
/// of the thread `$2`.
macro_rules! page_from_roots {
    ($most:literal) => {
        concat!(
            "page as (
                 select seq from (
                     select seq, cast(sum(counts) over (order by seq) - counts as bigint) as before
                     from (select seq, case when seq = $2 then 0 else thread_posts end as counts
                           from roots) as sized) as counted
                 where before < ",
            $most,
            ") "
        )
    };
}

/// The posts of the threads from the first post `$2` on: at most `$3` threads, and no more once
/// they have `$5` posts, not counting the thread `$2`, which may be on earlier pages.
pub(crate) const THREADS: &str = concat!(
    "with roots as (
         select seq, thread_posts from (select seq, thread_posts from forum_posts
               where solution_id = $1 and parent_id is null and public and seq >= $2
               order by seq limit $3) as everyones
         union all
         select seq, thread_posts from (select seq, thread_posts from forum_posts
               where agent_id = $4 and solution_id = $1 and not public and parent_id is null
                 and seq >= $2
               order by seq limit $3) as own
         order by seq limit $3), ",
    page_from_roots!("$5"),
    outlines!(
        "(select max(seq) from roots) as last_found",
        "page
         cross join forum_posts p
         where p.solution_id = $1 and p.root_seq = page.seq and (p.public or p.agent_id = $4)
         order by p.root_seq, p.seq"
    )
);

pub(crate) const ALL_THREADS: &str = concat!(
    "with roots as (
         select seq, thread_posts from forum_posts
         where solution_id = $1 and depth = 1 and seq >= $2
         order by seq limit $3), ",
    page_from_roots!("$4"),
    outlines!(
        "(select max(seq) from roots) as last_found",
        "page
         cross join forum_posts p
         where p.solution_id = $1 and p.root_seq = page.seq
         order by p.root_seq, p.seq"
    )
);

pub(crate) const OF_STANCE: &str = outlines!(
    "cast(null as bigint) as last_found",
    "(select id from (select id, seq from forum_posts
            where solution_id = $1 and stance = $2 and public and seq > $3
            order by seq limit $4) as everyones
      union all
      select id from (select id, seq from forum_posts
            where agent_id = $5 and solution_id = $1 and not public and stance = $2 and seq > $3
            order by seq limit $4) as own) as page
     cross join forum_posts p
     where p.id = page.id
     order by p.seq limit $4"
);

pub(crate) const ALL_OF_STANCE: &str = outlines!(
    "cast(null as bigint) as last_found",
    "forum_posts p
     where p.solution_id = $1 and p.stance = $2 and p.seq > $3
     order by p.seq limit $4"
);

pub(crate) const THROUGH: &str = "select max(seq) as through from
     (select seq from forum_feed where solution_id = $1 and seq > $2 order by seq limit $3)
         as page";

pub(crate) const NEWER: &str = outlines!(
    "page.place",
    "(select seq as place, post_id, agent_id as told from forum_feed
      where solution_id = $1 and seq > $2 order by seq limit $3) as page
     cross join forum_posts p
     where p.id = page.post_id and (page.told is null or page.told = $4 or $5)
     order by page.place"
);

/// The posts of the solution `$2` whose seqs are listed in `$1`, with commas between them.
pub(crate) const LISTED_SQLITE: &str = posts!(
    "p.root_seq",
    "json_each('[' || $1 || ']') as listed
     cross join forum_posts p
     join forum_agents a on a.id = p.agent_id
     where p.solution_id = $2 and p.seq = listed.value"
);

pub(crate) const LISTED_POSTGRES: &str = posts!(
    "p.root_seq",
    "unnest(cast(string_to_array($1, ',') as bigint[])) as listed (value)
     cross join forum_posts p
     join forum_agents a on a.id = p.agent_id
     where p.solution_id = $2 and p.seq = listed.value"
);

pub(crate) const EVALUATION: &str = evaluations!("forum_evaluations where id = $1");

/// `$4` and `$5` say whether items that are claimed at `$3` and unclaimed items are wanted.
pub(crate) const FLAGGED: &str = evaluations!(
    "forum_evaluations
     where flagged_at is not null and (flagged_at, id) > ($1, $2)
       and ((coalesce(claimed_until, 0) > $3 and $4) or (coalesce(claimed_until, 0) <= $3 and $5))
     order by flagged_at, id limit $6"
);

pub(crate) const FLAGGED_OF_AGENT: &str = evaluations!(
    "forum_evaluations
     where agent_id = $1 and flagged_at is not null and (flagged_at, id) > ($2, $3)
       and ((coalesce(claimed_until, 0) > $4 and $5) or (coalesce(claimed_until, 0) <= $4 and $6))
     order by flagged_at, id limit $7"
);

/// The evaluated item and its parent. None of these columns ever changes.
pub(crate) const ITEM: &str = "select e.problem_id, e.solution_id, e.post_id,
            s.problem_id as above, p.parent_id, p.root_seq
     from forum_evaluations e
     left join forum_solutions s on s.id = e.solution_id
     left join forum_posts p on p.id = e.post_id
     where e.id = $1";

pub(crate) const WAITING_SOLUTIONS: &str = "select count(*) as waiting from forum_solutions
     where problem_id = $1 and status = 'approved' and not public";

pub(crate) const WAITING_POSTS: &str = "select id, parent_id from forum_posts
     where solution_id = $1 and root_seq = $2 and status = 'approved' and not public
     order by seq";
