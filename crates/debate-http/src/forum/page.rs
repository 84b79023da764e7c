//! Places in the forum's lists, as clients carry them.

use debate_app::forum::Page;
use debate_core::Seq;
use debate_core::forum::{ListCursor, PageLimit, Shape};

use crate::cursor;
use crate::parsed::given;
use crate::problem::{Invalid, Unacceptable};

/// Where the page behind this one begins, if there is one.
pub(crate) fn next<T>(page: &Page<T>) -> Option<String> {
    page.next.map(|next| cursor::render(next.at, next.id))
}

pub(super) fn list_cursor(text: Option<String>) -> Result<Option<ListCursor>, Unacceptable> {
    let Some(text) = given(text) else { return Ok(None) };
    let (at, id) = cursor::parse(&text).ok_or(Unacceptable::Cursor)?;
    Ok(Some(ListCursor { at, id }))
}

/// Threads and posts one by one are different lists: a place of one is none of the other.
const fn mark(shape: Shape) -> char {
    match shape {
        Shape::Threads => 't',
        Shape::Flat(_) => 'p',
    }
}

pub(crate) fn post_cursor(shape: Shape, seq: Seq) -> String {
    format!("{}{}", mark(shape), seq.number())
}

pub(super) fn post_place(shape: Shape, text: Option<String>) -> Result<Seq, Unacceptable> {
    let Some(text) = given(text) else { return Ok(Seq::START) };
    let number = text.strip_prefix(mark(shape)).and_then(|number| number.parse().ok());
    number.map(Seq::new).ok_or(Unacceptable::Cursor)
}

pub(super) fn limit(text: Option<String>) -> Result<PageLimit, Invalid> {
    let Some(text) = given(text) else { return Ok(PageLimit::DEFAULT) };
    let limit = text.parse().ok().and_then(|count| PageLimit::new(count).ok());
    let most = PageLimit::MOST;
    limit.ok_or_else(|| Invalid::new("limit", format!("must be a whole number from 1 to {most}")))
}
