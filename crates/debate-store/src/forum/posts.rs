//! Posts: create one, find one.

use debate_app::forum::{CreatedPost, EvaluatedItem, ForumError};
use debate_app::{StoreError, Subject};
use debate_core::forum::{
    Agent, Author, Parent, Post, PostDraft, REPEAT_WINDOW, SolutionStatus, THREAD_POSTS_MAX,
    TextDigest, ThreadPosition, UNDECIDED_POSTS_MAX, Viewer, reply_position, start_thread,
};
use debate_core::{AgentId, Fingerprint, PostId, Seq, SolutionId};
use jiff::{SignedDuration, Timestamp};

use super::agents::agent_by_id;
use super::evaluation::{ADD_EVALUATION, new_values};
use super::publish::{ADD_FEED, LOCK_SOLUTION, feed_values};
use super::rows::{self, is_public, join_links, to_exposure, viewer_values};
use super::statements::{PARENT, POST_OF_KEY, POST_OF_SOLUTION, REPEATED};
use super::topics::pending;
use crate::sql::{Commit, Decoder, Group, Operation, Row, Statement, Value, Writes};

const SOLUTION_STATE: &str = "select progress, posts, last_feed from forum_solutions
     where id = $1 and (public or agent_id = $2 or $3)";

const ADD_POST: &str = "insert into forum_posts
         (id, solution_id, agent_id, parent_id, root_id, root_seq, seq, depth, thread_posts,
          stance, content, links, status, public, evaluation_id, upvotes, request_key,
          fingerprint, text_mark, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
          $20)";

const COUNT_IN_THREAD: &str =
    "update forum_posts set thread_posts = thread_posts + 1 where id = $1";

const SAVE_SOLUTION_STATE: &str = "update forum_solutions
     set progress = $1, posts = $2, last_feed = $3, updated_at = $4 where id = $5";

/// The columns of a solution that a new post changes.
struct SolutionState {
    progress: SolutionStatus,
    posts: u32,
    last_feed: u32,
}

fn solution_state(row: &Row) -> Result<SolutionState, StoreError> {
    Ok(SolutionState {
        progress: row.parsed("progress", |name| SolutionStatus::from_name(&name))?,
        posts: row.count("posts")?,
        last_feed: row.count("last_feed")?,
    })
}

/// The parent of a reply, and the sequence number of the thread's first post.
fn parent(row: &Row) -> Result<(Parent, u32), StoreError> {
    let parent = Parent {
        id: PostId::new(row.id("id")?),
        solution: SolutionId::new(row.id("solution_id")?),
        author: rows::author_id(row)?,
        exposure: to_exposure(row.flag("public")?),
        root: PostId::new(row.id("root_id")?),
        depth: rows::depth(row)?,
        public_posts: row.count("public_posts")?,
        undecided_posts: row.count("undecided_posts")?,
    };
    Ok((parent, row.count("root_seq")?))
}

struct PostContext {
    state: SolutionState,
    author: Agent,
    /// The post that an earlier request with the same key created, and that request's fingerprint.
    earlier: Option<(Post, Fingerprint)>,
    parent: Option<(Parent, u32)>,
    text_digest: TextDigest,
    repeated: Option<PostId>,
}

type CreatePost = (AgentId, PostDraft, Timestamp);

pub(super) fn create(
    (author, draft, at): &CreatePost,
) -> Operation<'_, Commit<Result<CreatedPost, ForumError>>> {
    let mut group = Group::default();
    let loaded = push_context(&mut group, *author, draft, *at);
    group.finish(move |rows| {
        Ok(Commit::from_decision(loaded(rows)?.and_then(|loaded| decide(draft, loaded, *at))))
    })
}

fn push_context(
    group: &mut Group<'_>,
    author: AgentId,
    draft: &PostDraft,
    at: Timestamp,
) -> Decoder<Result<PostContext, ForumError>> {
    let (solution, id) = (draft.solution.uuid(), Value::from(author.uuid()));
    let [agent, all] = viewer_values(Viewer::Agent(author));
    let key = draft.key.as_ref().map(|key| key.as_str().to_owned());
    let window = SignedDuration::try_from(REPEAT_WINDOW).unwrap_or_default();
    let since = at.saturating_sub(window).unwrap_or(at);
    let text_digest = draft.text_digest();
    let digest = text_digest.as_bytes().to_vec();
    let parent_values = vec![
        THREAD_POSTS_MAX.into(),
        id.clone(),
        UNDECIDED_POSTS_MAX.into(),
        draft.parent.map(PostId::uuid).into(),
    ];
    group.lock(LOCK_SOLUTION, solution);
    let state = group
        .push(Statement::new(SOLUTION_STATE, vec![solution.into(), agent, all]), solution_state);
    let author_row = group.push(agent_by_id(author), rows::agent);
    let earlier = Statement::new(POST_OF_KEY, vec![id.clone(), key.into()]);
    let earlier = group.push(earlier, move |row| {
        let fingerprint = Fingerprint::from_bytes(row.digest("fingerprint")?);
        Ok((rows::post(row, Viewer::Agent(author))?, fingerprint))
    });
    let parent = group.push(Statement::new(PARENT, parent_values), parent);
    let repeated = Statement::new(REPEATED, vec![id, digest.into(), since.into()]);
    let repeated = group.push(repeated, |row| Ok(PostId::new(row.id("id")?)));
    let solution = draft.solution;
    Box::new(move |rows| {
        let Some(state) = rows.first(&state)? else {
            return Ok(Err(ForumError::UnknownSolution(solution)));
        };
        let Some(author) = rows.first(&author_row)? else {
            return Ok(Err(ForumError::UnknownAgent(author)));
        };
        let (earlier, parent) = (rows.first(&earlier)?, rows.first(&parent)?);
        let repeated = rows.first(&repeated)?;
        Ok(Ok(PostContext { state, author, earlier, parent, text_digest, repeated }))
    })
}

fn decide(
    draft: &PostDraft,
    loaded: PostContext,
    at: Timestamp,
) -> Result<(CreatedPost, Writes), ForumError> {
    let PostContext { state, author, earlier, parent, text_digest, repeated } = loaded;
    match earlier {
        Some((post, fingerprint)) if fingerprint == draft.fingerprint() => {
            return Ok((CreatedPost::Replayed(post), Writes::default()));
        }
        Some(_) => return Err(ForumError::KeyReused),
        None => {}
    }
    let seq = state.posts.saturating_add(1);
    let (position, root_seq) = match (draft.parent, &parent) {
        (None, _) => (start_thread(draft.id), seq),
        (Some(_), known) => {
            let parent = known.as_ref().map(|(parent, _)| parent);
            let position = reply_position(parent, draft.solution, author.id)?;
            (position, known.as_ref().map_or(seq, |(_, root_seq)| *root_seq))
        }
    };
    if let Some(repeated) = repeated {
        return Err(ForumError::Repeated(repeated));
    }
    let post = new_post(draft, author, position, Seq::new(seq), at);
    let writes = save(draft, &post, text_digest, root_seq, &state);
    Ok((CreatedPost::Fresh(post), writes))
}

fn new_post(
    draft: &PostDraft,
    author: Agent,
    position: ThreadPosition,
    seq: Seq,
    at: Timestamp,
) -> Post {
    let Agent { id, username, display_name, .. } = author;
    Post {
        id: draft.id,
        solution: draft.solution,
        author: Author { id, username, display_name },
        parent: draft.parent,
        root: position.root,
        depth: position.depth,
        seq,
        stance: draft.stance,
        content: draft.content.clone(),
        links: draft.links.clone(),
        guardrail: pending(draft.evaluation),
        upvotes: 0,
        created_at: at,
    }
}

fn save(
    draft: &PostDraft,
    post: &Post,
    text_digest: TextDigest,
    root_seq: u32,
    state: &SolutionState,
) -> Writes {
    let mut writes = Writes::default();
    let (author, at) = (post.author.id, post.created_at);
    writes.push(ADD_POST, post_values(draft, post, text_digest, root_seq));
    if post.parent.is_some() {
        writes.push(COUNT_IN_THREAD, vec![post.root.uuid().into()]);
    }
    let subject = EvaluatedItem::Post(post.solution, post.id);
    let evaluation = new_values(draft.evaluation, subject, author, draft.evaluated_text(), at);
    writes.push(ADD_EVALUATION, evaluation);
    let feed_seq = state.last_feed.saturating_add(1);
    writes.push(ADD_FEED, feed_values(post.solution, feed_seq, post.id, Some(author)));
    let values = vec![
        state.progress.after_post().name().into(),
        post.seq.number().into(),
        feed_seq.into(),
        at.into(),
        post.solution.uuid().into(),
    ];
    writes.push(SAVE_SOLUTION_STATE, values);
    writes.notify(post.solution);
    writes.notify(Subject::GUARDRAIL_WORK);
    writes
}

fn post_values(
    draft: &PostDraft,
    post: &Post,
    text_digest: TextDigest,
    root_seq: u32,
) -> Vec<Value<'static>> {
    let thread_posts = post.parent.is_none().then_some(1_u32);
    vec![
        post.id.uuid().into(),
        post.solution.uuid().into(),
        post.author.id.uuid().into(),
        post.parent.map(PostId::uuid).into(),
        post.root.uuid().into(),
        root_seq.into(),
        post.seq.number().into(),
        u32::from(post.depth.number()).into(),
        thread_posts.into(),
        post.stance.name().into(),
        post.content.as_str().to_owned().into(),
        join_links(&post.links).into(),
        post.guardrail.status.name().into(),
        is_public(post.guardrail.exposure).into(),
        post.guardrail.evaluation.uuid().into(),
        post.upvotes.into(),
        draft.key.as_ref().map(|key| key.as_str().to_owned()).into(),
        draft.fingerprint().as_bytes().to_vec().into(),
        text_digest.as_bytes().to_vec().into(),
        post.created_at.into(),
    ]
}

/// A post of a solution, if `viewer` sees both.
pub(super) fn push_post(
    group: &mut Group<'_>,
    viewer: Viewer,
    solution: SolutionId,
    post: PostId,
) -> Decoder<Result<Post, ForumError>> {
    let [agent, all] = viewer_values(viewer);
    let id = Value::from(solution.uuid());
    let seen = vec![id.clone(), agent.clone(), all.clone()];
    let seen = group.push_exists(Statement::new(SOLUTION_STATE, seen));
    let found = Statement::new(POST_OF_SOLUTION, vec![post.uuid().into(), agent, all, id]);
    let found = group.push(found, move |row| rows::post(row, viewer));
    Box::new(move |rows| {
        if !rows.has_any(&seen) {
            return Ok(Err(ForumError::UnknownSolution(solution)));
        }
        Ok(rows.first(&found)?.ok_or(ForumError::UnknownPost(post)))
    })
}

pub(super) fn find(
    &(viewer, solution, post): &(Viewer, SolutionId, PostId),
) -> Operation<'_, Result<Post, ForumError>> {
    let mut group = Group::default();
    let found = push_post(&mut group, viewer, solution, post);
    group.finish(found)
}
