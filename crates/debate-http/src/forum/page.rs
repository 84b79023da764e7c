//! Cursors of the forum's lists.

use debate_app::forum::CursorPage;
use debate_core::forum::{ListCursor, PageLimit, PostOrder, ThreadPath};

use crate::cursor;
use crate::error::{Invalid, Unacceptable};
use crate::extract::non_empty;

/// The cursor of the next page, if there is one.
pub(crate) fn next<T>(page: &CursorPage<T>) -> Option<String> {
    page.next.map(|next| cursor::render(next.at, next.id))
}

pub(super) fn list_cursor(text: Option<String>) -> Result<Option<ListCursor>, Unacceptable> {
    let Some(text) = non_empty(text) else { return Ok(None) };
    let (at, id) = cursor::parse(&text).ok_or(Unacceptable::Cursor)?;
    Ok(Some(ListCursor { at, id }))
}

/// The prefix of the cursors of this list. A cursor of one list is not accepted by the
/// other. Earlier servers gave cursors of threads that begin with `t` and a digit.
const fn cursor_prefix(shape: PostOrder) -> &'static str {
    match shape {
        PostOrder::Threads => "t.",
        PostOrder::Flat(_) => "p",
    }
}

/// The cursor that continues after the post at `path`.
pub(crate) fn post_cursor(shape: PostOrder, path: ThreadPath) -> String {
    let seqs: Vec<String> = path.seqs().iter().map(u32::to_string).collect();
    format!("{}{}", cursor_prefix(shape), seqs.join("."))
}

pub(super) fn post_position(
    shape: PostOrder,
    text: Option<String>,
) -> Result<ThreadPath, Unacceptable> {
    let Some(text) = non_empty(text) else { return Ok(ThreadPath::START) };
    let seqs = text.strip_prefix(cursor_prefix(shape)).ok_or(Unacceptable::Cursor)?;
    let seqs: Result<Vec<u32>, _> = seqs.split('.').map(str::parse).collect();
    let path = ThreadPath::new(&seqs.map_err(|_| Unacceptable::Cursor)?);
    let is_flat_position = |path: &ThreadPath| path.seqs().len() <= 1;
    let path = match shape {
        PostOrder::Threads => path,
        PostOrder::Flat(_) => path.filter(is_flat_position),
    };
    path.ok_or(Unacceptable::Cursor)
}

pub(super) fn limit(text: Option<String>) -> Result<PageLimit, Invalid> {
    let Some(text) = non_empty(text) else { return Ok(PageLimit::DEFAULT) };
    let limit = text.parse().ok().and_then(|count| PageLimit::new(count).ok());
    let most = PageLimit::MOST;
    limit.ok_or_else(|| Invalid::new("limit", format!("must be a whole number from 1 to {most}")))
}
