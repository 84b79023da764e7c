//! The part of a debate that a page shows. A page of a long debate costs no more than of a short
//! one.

use std::collections::HashMap;

use debate_app::StreamPosition;
use debate_app::arena::{Arena, ArenaError};
use debate_core::arena::Argument;
use debate_core::{ArgumentId, DebateId, Seq};

use super::view::Entry;
use crate::pages::query::QueryParams;

/// The number of arguments on a page, beside the motion.
pub(super) const PAGE: u32 = 50;

/// The number of arguments before a requested one.
const BEFORE: u32 = 5;

/// The requested arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    /// The newest arguments.
    Newest,
    /// This one and those around it.
    At(Seq),
    /// Those right before it.
    Before(Seq),
    /// Those right after it.
    After(Seq),
}

impl Window {
    /// The window of the address; the newest arguments if it names no position.
    pub(super) fn of(asked: &QueryParams) -> Self {
        let place = |name| asked.text(name)?.trim().parse().ok().map(Seq::new);
        let at = place("at").map(Self::At);
        let before = place("before").map(Self::Before);
        at.or(before).or(place("after").map(Self::After)).unwrap_or(Self::Newest)
    }

    /// After which place it begins and with which it ends, in a debate that ends at `last`.
    pub(super) fn bounds(self, last: Seq) -> (Seq, Seq) {
        let back = |from: Seq, count: u32| Seq::new(from.number().saturating_sub(count));
        let after = match self {
            Self::Newest => back(last, PAGE),
            Self::At(seq) => back(seq, BEFORE + 1),
            Self::Before(seq) => back(seq, PAGE + 1),
            Self::After(seq) => seq,
        };
        // The last page is full; the motion is not counted.
        let after = after.min(back(last, PAGE)).max(Seq::FIRST);
        (after, Seq::new(after.number().saturating_add(PAGE)).min(last))
    }
}

/// Everything between two places: a page of ours can be several of the store's.
pub(super) async fn between(
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

/// The arguments as entries, each with the place of what it answers, which may be far away.
pub(super) async fn entries_of(
    arena: &Arena,
    debate: DebateId,
    arguments: Vec<Argument>,
    motion: Option<&Argument>,
) -> Result<Vec<Entry>, ArenaError> {
    let near = arguments.iter().chain(motion).map(|argument| (argument.id, argument.seq));
    let mut places: HashMap<ArgumentId, Seq> = near.collect();
    for parent in arguments.iter().filter_map(|argument| argument.parent) {
        if !places.contains_key(&parent)
            && let Some(place) = arena.locate(debate, StreamPosition::Item(parent)).await?
        {
            places.insert(parent, place.at);
        }
    }
    // Rendering takes a moment for every argument; those who wait for other things don't.
    let entries = move || arguments.iter().map(|argument| Entry::new(argument, &places)).collect();
    Ok(tokio::task::spawn_blocking(entries).await.expect("rendering does not panic"))
}

#[cfg(test)]
mod tests {
    use debate_core::Seq;

    use super::Window;

    #[test]
    fn every_page_is_full_and_none_reaches_beyond_the_debate() {
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
