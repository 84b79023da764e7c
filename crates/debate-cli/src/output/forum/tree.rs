//! Threads as trees: the lines that connect a post with its replies.

/// How far a tree is drawn. Threads are five deep; what a stranger says is deeper stands there too.
const DEPTH_MAX: usize = 16;

/// What stands before a debate: before its first line, and before the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) first: String,
    pub(super) rest: String,
}

/// The branches of debates at these depths, which come as threads do: each behind what it answers.
pub(super) fn branches(depths: &[u8]) -> Vec<Branch> {
    let has_next = siblings(depths);
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

/// Whether each has another answer to the same behind it.
fn siblings(depths: &[u8]) -> Vec<bool> {
    let mut coming = [false; DEPTH_MAX];
    let mut found: Vec<bool> = Vec::with_capacity(depths.len());
    for depth in depths.iter().rev() {
        let level = level(*depth);
        found.push(coming.get(level).copied().unwrap_or_default());
        for (at, place) in coming.iter_mut().enumerate() {
            // What was deeper answers something else.
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
    fn answers_hang_on_what_they_answer() {
        let depths = [1, 2, 3, 3, 2, 1, 2, 3];
        let drawn: Vec<_> = branches(&depths).into_iter().map(|branch| branch.first).collect();
        assert_eq!(drawn, ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "", "└─ ", "   └─ "]);
        let rest: Vec<_> = branches(&depths).into_iter().map(|branch| branch.rest).collect();
        assert_eq!(rest, ["", "│  ", "│  │  ", "│     ", "   ", "", "   ", "      "]);
    }

    proptest! {
        #[test]
        fn any_depths_have_a_branch_each(depths in prop::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(branches(&depths).len(), depths.len());
        }
    }
}
