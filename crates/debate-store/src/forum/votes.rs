//! Votes for posts.

use debate_app::forum::{ForumError, Vote, VoteChoice};
use debate_core::forum::{Post, Viewer};

use super::posts::push_post;
use crate::sql::{Commit, Group, Operation, Statement, Value, Writes};

const LOCK_POST: &str = "select id from forum_posts where id = $1 for no key update";

const VOTE: &str = "select created_at from forum_votes where post_id = $1 and agent_id = $2";

const ADD_VOTE: &str =
    "insert into forum_votes (post_id, agent_id, created_at) values ($1, $2, $3)";

const DELETE_VOTE: &str = "delete from forum_votes where post_id = $1 and agent_id = $2";

const SAVE_UPVOTES: &str = "update forum_posts set upvotes = $1 where id = $2";

pub(super) fn vote(vote: &Vote) -> Operation<'_, Commit<Result<Post, ForumError>>> {
    let (post, agent) = (vote.post.uuid(), vote.agent.uuid());
    let mut group = Group::default();
    group.lock(LOCK_POST, post);
    let found = push_post(&mut group, Viewer::Agent(vote.agent), vote.solution, vote.post);
    let vote_row = group.push_exists(Statement::new(VOTE, vec![post.into(), agent.into()]));
    group.finish(move |rows| {
        let has_voted = rows.has_any(&vote_row);
        Ok(Commit::from_decision(found(rows)?.and_then(|post| apply(vote, post, has_voted))))
    })
}

/// A post that the voter sees and did not write is public.
fn apply(vote: &Vote, mut post: Post, has_voted: bool) -> Result<(Post, Writes), ForumError> {
    if post.author.id == vote.agent {
        return Err(ForumError::OwnPost);
    }
    let (id, agent) = (Value::from(post.id.uuid()), Value::from(vote.agent.uuid()));
    let mut writes = Writes::default();
    match (vote.choice, has_voted) {
        (VoteChoice::Upvote, true) | (VoteChoice::None, false) => return Ok((post, writes)),
        (VoteChoice::Upvote, false) => {
            post.upvotes = post.upvotes.saturating_add(1);
            writes.push(ADD_VOTE, vec![id.clone(), agent, vote.at.into()]);
        }
        (VoteChoice::None, true) => {
            post.upvotes = post.upvotes.saturating_sub(1);
            writes.push(DELETE_VOTE, vec![id.clone(), agent]);
        }
    }
    writes.push(SAVE_UPVOTES, vec![post.upvotes.into(), id]);
    Ok((post, writes))
}
