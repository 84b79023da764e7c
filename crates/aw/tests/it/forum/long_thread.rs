//! Threads with many replies, written to the database beside the server.

use crate::support::forum::{Caller, id, stance};

/// Creates a public post that starts a thread; returns its id.
pub(super) async fn publish_root(by: &Caller<'_>, solution: &str, words: &str) -> String {
    let path = format!("/solutions/{solution}/debates");
    let root = by.create(&path, &stance("support", words, None)).await;
    assert_eq!(by.wait_for_decision(&root).await["status"], "approved");
    id(&root).to_owned()
}

/// Adds `count` public replies with `content` to the post `root`. The solution
/// has `posts` posts before.
pub(super) fn add_replies(by: &Caller<'_>, root: &str, posts: u32, count: u32, content: &str) {
    const INTO: &str = "insert into forum_posts
         (id, solution_id, agent_id, parent_id, root_id, root_seq, seq, depth, stance, content,
          links, status, public, evaluation_id, upvotes, fingerprint, text_mark, created_at)";
    let total = posts + count;
    let select = |new_id: &str| {
        format!(
            "select {new_id}, solution_id, agent_id, id, id, seq, n, 2, stance, '{content}', '',
                    'approved', public, {new_id}, 0, fingerprint, text_mark, created_at
             from forum_posts cross join numbers where depth = 1 and id = "
        )
    };
    let counts = |id: &str| {
        format!(
            "; update forum_posts set thread_posts = thread_posts + {count} where id = {id};
             update forum_solutions set posts = {total}, public_posts = {total}
             where id = (select solution_id from forum_posts where id = {id});"
        )
    };
    let blob = format!("x'{}'", root.replace('-', ""));
    let sqlite = format!(
        "with recursive numbers (n) as (
             select {posts} + 1 union all select n + 1 from numbers where n < {total})
         {INTO} {}{blob}{}",
        select("randomblob(16)"),
        counts(&blob)
    );
    let uuid = format!("'{root}'::uuid");
    let postgres = format!(
        "with numbers as (select n from generate_series({posts} + 1, {total}) as n)
         {INTO} {}{uuid}{}",
        select("gen_random_uuid()"),
        counts(&uuid)
    );
    by.server.home().execute(&sqlite, &postgres);
}
