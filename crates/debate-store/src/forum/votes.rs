//! Votes for posts.

use debate_app::forum::{ForumError, Opinion, Vote};
use debate_core::forum::{Post, Reader};

use super::posts::{found_in, of_solution};
use crate::sql::{Columns, Query, Rows, Step, Value, Writes};

const LOCK_POST: &str = "select id from forum_posts where id = $1 for no key update";

const VOTE: &str = "select created_at from forum_votes where post_id = $1 and agent_id = $2";

const ADD_VOTE: &str =
    "insert into forum_votes (post_id, agent_id, created_at) values ($1, $2, $3)";

const FORGET_VOTE: &str = "delete from forum_votes where post_id = $1 and agent_id = $2";

const COUNT: &str = "update forum_posts set upvotes = $1 where id = $2";

pub(crate) fn vote<'s, R: Columns + 's>(vote: Vote) -> Step<'s, R, Result<Post, ForumError>> {
    let reader = Reader::Agent(vote.by);
    let (post, by) = (Value::from(vote.post.uuid()), Value::from(vote.by.uuid()));
    let mut asked_for = vec![Query::lock(LOCK_POST, vote.post.uuid())];
    asked_for.extend(of_solution(vote.post, vote.solution, reader));
    asked_for.push(Query::new(VOTE, vec![post, by]));
    Step::ask(asked_for, move |found: &Rows<R>| {
        let seen = found_in(found, 1, (vote.post, vote.solution, reader))?;
        Ok(Step::decided(seen.and_then(|post| voted(&vote, post, found.any(3)))))
    })
}

/// Whoever sees a post that is not its own sees a public one.
fn voted(vote: &Vote, mut post: Post, has_voted: bool) -> Result<(Post, Writes), ForumError> {
    if post.author.id == vote.by {
        return Err(ForumError::OwnPost);
    }
    let (id, by) = (Value::from(post.id.uuid()), Value::from(vote.by.uuid()));
    let mut writes = Writes::default();
    match (vote.opinion, has_voted) {
        (Opinion::Upvote, true) | (Opinion::None, false) => return Ok((post, writes)),
        (Opinion::Upvote, false) => {
            post.upvotes = post.upvotes.saturating_add(1);
            writes.push(ADD_VOTE, vec![id.clone(), by, vote.at.into()]);
        }
        (Opinion::None, true) => {
            post.upvotes = post.upvotes.saturating_sub(1);
            writes.push(FORGET_VOTE, vec![id.clone(), by]);
        }
    }
    writes.push(COUNT, vec![post.upvotes.into(), id]);
    Ok((post, writes))
}
