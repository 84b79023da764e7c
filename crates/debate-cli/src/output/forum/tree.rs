//! Threads as trees: the lines that connect a post with its replies.

/// The maximum depth of the drawing. Threads have five levels; deeper posts appear at it.
const DEPTH_MAX: usize = 16;

/// The lines in front of a post: of its first row, and of the other rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) first: String,
    pub(super) rest: String,
}

/// The branches of posts at these depths. Each post follows the one that it answers.
pub(super) fn branches(depths: &[u8]) -> Vec<Branch> {
    let has_next = have_next_siblings(depths);
    let mut open = [false; DEPTH_MAX];
    let mut branches = Vec::with_capacity(depths.len());
    for (depth, has_next) in depths.iter().zip(has_next) {
        let level = level(*depth);
        let above = open.get(1..level).unwrap_or_default();
        let lines: String = above.iter().map(|open| if *open { "│  " } else { "   " }).collect();
        let (knee, below) = if has_next { ("├─ ", "│  ") } else { ("└─ ", "   ") };
        let branch = if level == 0 {
            Branch { first: String::new(), rest: String::new() }
        } else {
            Branch { first: format!("{lines}{knee}"), rest: format!("{lines}{below}") }
        };
        branches.push(branch);
        if let Some(place) = open.get_mut(level) {
            *place = has_next;
        }
    }
    branches
}

/// Whether a later post answers the same parent, for each post.
fn have_next_siblings(depths: &[u8]) -> Vec<bool> {
    let mut coming = [false; DEPTH_MAX];
    let mut found: Vec<bool> = Vec::with_capacity(depths.len());
    for depth in depths.iter().rev() {
        let level = level(*depth);
        found.push(coming.get(level).copied().unwrap_or_default());
        for (at, place) in coming.iter_mut().enumerate() {
            // Deeper posts answer another post.
            *place = (*place && at <= level) || at == level;
        }
    }
    found.reverse();
    found
}

fn level(depth: u8) -> usize {
    usize::from(depth.saturating_sub(1)).min(DEPTH_MAX - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::branches;

    #[test]
    fn replies_are_drawn_below_their_parent() {
        let depths = [1, 2, 3, 3, 2, 1, 2, 3];
        let drawn: Vec<_> = branches(&depths).into_iter().map(|branch| branch.first).collect();
        assert_eq!(drawn, ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "", "└─ ", "   └─ "]);
        let rest: Vec<_> = branches(&depths).into_iter().map(|branch| branch.rest).collect();
        assert_eq!(rest, ["", "│  ", "│  │  ", "│     ", "   ", "", "   ", "      "]);
    }

    proptest! {
        #[test]
        fn every_post_has_a_branch(depths in prop::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(branches(&depths).len(), depths.len());
        }
    }
}
