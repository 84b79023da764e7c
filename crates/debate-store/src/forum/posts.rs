//! Posts: added, and found one by one.

use debate_app::Subject;
use debate_app::forum::{Examined, ForumError, Posted};
use debate_core::forum::{
    Agent, Author, Parent, Place, Post, PostDraft, REPEAT_WINDOW, Reader, SolutionStatus,
    THREAD_POSTS_MAX, answer, begin,
};
use debate_core::{AgentId, Fingerprint, PostId, Seq, SolutionId};
use jiff::{SignedDuration, Timestamp};

use super::agents::AGENT;
use super::conclude::{ADD_FEED, LOCK_SOLUTION, told};
use super::record::{ADD_EVALUATION, asked};
use super::rows::{self, exposed, eyes, is_public, lines};
use super::statements::{PARENT, POST_OF_KEY, POST_OF_SOLUTION, REPEATED};
use super::things::unseen;
use crate::sql::{Columns, Misfit, Query, Read, Rows, Step, Value, Writes};

const HEAD: &str = "select progress, posts, last_feed from forum_solutions
     where id = $1 and (public or agent_id = $2 or $3)";

const ADD_POST: &str = "insert into forum_posts
         (id, solution_id, agent_id, parent_id, root_id, root_seq, seq, depth, thread_posts,
          stance, content, links, status, public, evaluation_id, upvotes, request_key,
          fingerprint, text_mark, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
          $20)";

const LENGTHEN: &str = "update forum_posts set thread_posts = thread_posts + 1 where id = $1";

/// How many of an agent's withheld posts of a solution are looked at to count the undecided ones of
/// a thread.
const WITHHELD_MAX: u32 = 1000;

const SAVE_HEAD: &str = "update forum_solutions
     set progress = $1, posts = $2, last_feed = $3, updated_at = $4 where id = $5";

/// A solution, as far as a new post moves it.
struct Head {
    progress: SolutionStatus,
    posts: u32,
    last_feed: u32,
}

fn head<C: Columns>(row: &C) -> Result<Head, C::Fault> {
    Ok(Head {
        progress: row.parsed("progress", |name| SolutionStatus::named(&name))?,
        posts: row.count("posts")?,
        last_feed: row.count("last_feed")?,
    })
}

/// What is answered, and its thread's place.
fn parent<C: Columns>(row: &C) -> Result<(Parent, u32), C::Fault> {
    let parent = Parent {
        id: PostId::new(row.id("id")?),
        solution: SolutionId::new(row.id("solution_id")?),
        author: rows::author_id(row)?,
        exposure: exposed(row.flag("public")?),
        root: PostId::new(row.id("root_id")?),
        depth: rows::depth(row)?,
        public_posts: row.count("public_posts")?,
        undecided_posts: row.count("undecided_posts")?,
    };
    Ok((parent, row.count("root_seq")?))
}

/// All that decides on a new post.
struct Loaded {
    head: Head,
    author: Agent,
    /// The post that the same key brought before, and what made it that request.
    earlier: Option<(Post, Fingerprint)>,
    parent: Option<(Parent, u32)>,
    repeated: Option<PostId>,
}

pub(crate) fn post<'s, R: Columns + 's>(
    by: AgentId,
    draft: &'s PostDraft,
    at: Timestamp,
) -> Step<'s, R, Result<Posted, ForumError>> {
    let (solution, id) = (draft.solution.uuid(), Value::from(by.uuid()));
    let [agent, all] = eyes(Reader::Agent(by));
    let key = draft.key.as_ref().map(|key| key.as_str().to_owned());
    let window = SignedDuration::try_from(REPEAT_WINDOW).unwrap_or_default();
    let since = at.saturating_sub(window).unwrap_or(at);
    let mark = draft.text_mark().as_bytes().to_vec();
    let parent = vec![
        THREAD_POSTS_MAX.into(),
        id.clone(),
        solution.into(),
        WITHHELD_MAX.into(),
        draft.parent.map(PostId::uuid).into(),
    ];
    let asked_for = vec![
        Query::lock(LOCK_SOLUTION, solution),
        Query::new(HEAD, vec![solution.into(), agent, all]),
        Query::new(AGENT, vec![id.clone()]),
        Query::new(POST_OF_KEY, vec![id.clone(), key.into()]),
        Query::new(PARENT, parent),
        Query::new(REPEATED, vec![id, mark.into(), since.into()]),
    ];
    Step::ask(asked_for, move |found: &Rows<R>| {
        let loaded = match loaded(found, by, draft)? {
            Ok(loaded) => loaded,
            Err(refusal) => return Ok(Step::decided(Err(refusal))),
        };
        Ok(Step::decided(posted(draft, loaded, at)))
    })
}

fn loaded<R: Columns>(
    found: &Rows<R>,
    by: AgentId,
    draft: &PostDraft,
) -> Result<Result<Loaded, ForumError>, R::Fault> {
    let Some(head) = found.one(1, head)? else {
        return Ok(Err(ForumError::NoSuchSolution(draft.solution)));
    };
    let Some(author) = found.one(2, rows::agent)? else {
        return Ok(Err(ForumError::NoSuchAgent(by)));
    };
    let earlier = found.one(3, |row| {
        let print = row.maybe_bytes("fingerprint")?;
        let print = print.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let print = print.ok_or_else(|| Misfit("invalid fingerprint".to_owned()))?;
        Ok((rows::post(row, Reader::Agent(by))?, Fingerprint::from_bytes(print)))
    })?;
    let parent = found.one(4, parent)?;
    let repeated = found.one(5, |row| Ok(PostId::new(row.id("id")?)))?;
    Ok(Ok(Loaded { head, author, earlier, parent, repeated }))
}

fn posted(
    draft: &PostDraft,
    loaded: Loaded,
    at: Timestamp,
) -> Result<(Posted, Writes), ForumError> {
    let Loaded { head, author, earlier, parent, repeated } = loaded;
    match earlier {
        Some((post, print)) if print == draft.fingerprint() => {
            return Ok((Posted::Replayed(post), Writes::default()));
        }
        Some(_) => return Err(ForumError::KeyReused),
        None => {}
    }
    let seq = head.posts.saturating_add(1);
    let (place, root_seq) = match (draft.parent, &parent) {
        (None, _) => (begin(draft.id), seq),
        (Some(_), known) => {
            let parent = known.as_ref().map(|(parent, _)| parent);
            let place = answer(parent, draft.solution, author.id)?;
            (place, known.as_ref().map_or(seq, |(_, root_seq)| *root_seq))
        }
    };
    if let Some(repeated) = repeated {
        return Err(ForumError::Repeated(repeated));
    }
    let post = fresh(draft, author, place, Seq::new(seq), at);
    let writes = kept(draft, &post, root_seq, &head);
    Ok((Posted::Fresh(post), writes))
}

fn fresh(draft: &PostDraft, author: Agent, place: Place, seq: Seq, at: Timestamp) -> Post {
    let Agent { id, username, display_name, .. } = author;
    Post {
        id: draft.id,
        solution: draft.solution,
        author: Author { id, username, display_name },
        parent: draft.parent,
        root: place.root,
        depth: place.depth,
        seq,
        stance: draft.stance,
        content: draft.content.clone(),
        links: draft.links.clone(),
        standing: unseen(draft.evaluation),
        upvotes: 0,
        created_at: at,
    }
}

fn kept(draft: &PostDraft, post: &Post, root_seq: u32, head: &Head) -> Writes {
    let mut writes = Writes::default();
    let (author, at) = (post.author.id, post.created_at);
    writes.push(ADD_POST, added(draft, post, root_seq));
    if post.parent.is_some() {
        writes.push(LENGTHEN, vec![post.root.uuid().into()]);
    }
    let subject = Examined::Post(post.solution, post.id);
    writes.push(ADD_EVALUATION, asked(draft.evaluation, subject, author, draft.examined(), at));
    let place = head.last_feed.saturating_add(1);
    writes.push(ADD_FEED, told(post.solution, place, post.id, Some(author)));
    let moved = vec![
        head.progress.after_post().name().into(),
        post.seq.number().into(),
        place.into(),
        at.into(),
        post.solution.uuid().into(),
    ];
    writes.push(SAVE_HEAD, moved);
    writes.rings.moved(post.solution);
    writes.rings.moved(Subject::GUARDRAIL_WORK);
    writes
}

fn added(draft: &PostDraft, post: &Post, root_seq: u32) -> Vec<Value<'static>> {
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
        lines(&post.links).into(),
        post.standing.status.name().into(),
        is_public(post.standing.exposure).into(),
        post.standing.evaluation.uuid().into(),
        post.upvotes.into(),
        draft.key.as_ref().map(|key| key.as_str().to_owned()).into(),
        draft.fingerprint().as_bytes().to_vec().into(),
        draft.text_mark().as_bytes().to_vec().into(),
        post.created_at.into(),
    ]
}

/// A post and its solution, if `reader` sees them: read by [`found_in`].
pub(super) fn of_solution<'s>(
    post: PostId,
    solution: SolutionId,
    reader: Reader,
) -> [Query<'s>; 2] {
    let [agent, all] = eyes(reader);
    let id = Value::from(solution.uuid());
    let seen = vec![id.clone(), agent.clone(), all.clone()];
    let values = vec![post.uuid().into(), agent, all, id];
    [Query::new(HEAD, seen), Query::new(POST_OF_SOLUTION, values)]
}

/// The post, where [`of_solution`] was asked from this number on.
pub(super) fn found_in<R: Columns>(
    found: &Rows<R>,
    number: usize,
    (post, solution, reader): (PostId, SolutionId, Reader),
) -> Result<Result<Post, ForumError>, R::Fault> {
    if !found.any(number) {
        return Ok(Err(ForumError::NoSuchSolution(solution)));
    }
    let seen = found.one(number + 1, |row| rows::post(row, reader))?;
    Ok(seen.ok_or(ForumError::NoSuchPost(post)))
}

pub(crate) fn one_post<'s, R: Columns + 's>(
    reader: Reader,
    solution: SolutionId,
    post: PostId,
) -> Read<'s, R, Result<Post, ForumError>> {
    Read::new(of_solution(post, solution, reader).into(), move |found: &Rows<R>| {
        found_in(found, 0, (post, solution, reader))
    })
}
