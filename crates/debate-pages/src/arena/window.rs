//! The arguments that a page of a debate shows. Their number does not depend on the debate's
//! length.

use std::collections::HashMap;

use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError};
use debate_core::arena::Argument;
use debate_core::{ArgumentId, DebateId, Seq};
use debate_render::Html;

use super::view::argument_item;

/// The number of arguments on a page, beside the motion.
pub(super) const LENGTH: u32 = 50;

/// The number of arguments before a requested one.
const BEFORE: u32 = 5;

/// The arguments that a page is asked to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The newest arguments of the debate.
    Newest,
    /// The argument at a position and those around it.
    At(Seq),
    /// The arguments before a position.
    Before(Seq),
    /// The arguments after a position.
    After(Seq),
}

impl Window {
    /// The window that the query parameters `at`, `before` and `after` name; the newest arguments
    /// if none of them is a position. `param` returns the value of a parameter.
    pub fn from_params(param: impl Fn(&str) -> Option<String>) -> Self {
        let position = |name| param(name)?.trim().parse().ok().map(Seq::new);
        let at = position("at").map(Self::At);
        let before = position("before").map(Self::Before);
        at.or(before).or(position("after").map(Self::After)).unwrap_or(Self::Newest)
    }

    /// The position before the window and the last position of the window, in a debate that ends at
    /// `last`.
    pub(super) fn bounds(self, last: Seq) -> (Seq, Seq) {
        let back = |from: Seq, count: u32| Seq::new(from.number().saturating_sub(count));
        let after = match self {
            Self::Newest => back(last, LENGTH),
            Self::At(seq) => back(seq, BEFORE + 1),
            Self::Before(seq) => back(seq, LENGTH + 1),
            Self::After(seq) => seq,
        };
        // The last page is full; the motion is not counted.
        let after = after.min(back(last, LENGTH)).max(Seq::FIRST);
        (after, Seq::new(after.number().saturating_add(LENGTH)).min(last))
    }
}

/// The arguments after a position, through another. They can be several pages of the store.
pub(super) async fn read_range(
    arena: &Arena,
    debate: DebateId,
    after: Seq,
    through: Seq,
) -> Result<Vec<Argument>, ArenaError> {
    let (mut found, mut after) = (Vec::new(), after);
    while after < through {
        let page = arena.page(debate, after, through).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        found.extend(page);
    }
    Ok(found)
}

/// The arguments as list items of the page at `path`. Each has the position of the argument that it
/// answers, which may be outside the window.
pub(super) async fn render_items(
    arena: &Arena,
    path: String,
    debate: DebateId,
    arguments: Vec<Argument>,
    motion: Option<&Argument>,
) -> Result<Vec<Html>, ArenaError> {
    let known = arguments.iter().chain(motion).map(|argument| (argument.id, argument.seq));
    let mut positions: HashMap<ArgumentId, Seq> = known.collect();
    for parent in arguments.iter().filter_map(|argument| argument.parent) {
        if !positions.contains_key(&parent)
            && let Some(position) = arena.locate(debate, StreamPosition::Item(parent)).await?
        {
            positions.insert(parent, position.at);
        }
    }
    // Rendering blocks, and other requests must not wait for it.
    let entries = move || {
        let items = arguments.into_iter();
        items.map(|argument| argument_item(argument, &positions, &path)).collect()
    };
    Ok(tokio::task::spawn_blocking(entries).await.expect("rendering does not panic"))
}

#[cfg(test)]
mod tests {
    use debate_core::Seq;

    use super::Window;

    #[test]
    fn window_is_full_and_ends_with_the_debate() {
        let seq = Seq::new;
        for (window, last, after, through) in [
            (Window::Newest, 1, 1, 1),
            (Window::Newest, 7, 1, 7),
            (Window::Newest, 51, 1, 51),
            (Window::Newest, 10_000, 9950, 10_000),
            (Window::At(seq(1)), 10_000, 1, 51),
            (Window::At(seq(500)), 10_000, 494, 544),
            (Window::At(seq(9999)), 10_000, 9950, 10_000),
            (Window::At(seq(u32::MAX)), 10_000, 9950, 10_000),
            (Window::Before(seq(495)), 10_000, 444, 494),
            (Window::Before(seq(3)), 10_000, 1, 51),
            (Window::Before(seq(0)), 10_000, 1, 51),
            (Window::After(seq(544)), 10_000, 544, 594),
            (Window::After(seq(9_999)), 10_000, 9950, 10_000),
        ] {
            assert_eq!(window.bounds(seq(last)), (seq(after), seq(through)), "{window:?}");
        }
    }
}
