//! Visibility of posts, compared with the contract over random threads.

use debate_core::AgentId;
use debate_core::forum::guardrail::GuardrailStatus;
use debate_core::forum::{Exposure, Viewer, can_see, exposure};
use proptest::prelude::*;
use uuid::Uuid;

fn agent(number: u32) -> AgentId {
    AgentId::new(Uuid::from_u128(u128::from(number)))
}

#[test]
fn visibility_follows_the_contract_for_every_reader_and_exposure() {
    let (author, other) = (agent(1), agent(2));
    for (viewer, public, withheld) in [
        (Viewer::Anonymous, true, false),
        (Viewer::Agent(author), true, true),
        (Viewer::Agent(other), true, false),
        (Viewer::Reviewer, true, true),
    ] {
        assert_eq!(can_see(viewer, author, Exposure::Public), public, "{viewer:?}");
        assert_eq!(can_see(viewer, author, Exposure::Withheld), withheld, "{viewer:?}");
    }
}

#[test]
fn post_is_public_only_if_approved_below_a_public_item() {
    for status in GuardrailStatus::ALL {
        for above in [Exposure::Public, Exposure::Withheld] {
            let public = status == GuardrailStatus::Approved && above == Exposure::Public;
            let expected = if public { Exposure::Public } else { Exposure::Withheld };
            assert_eq!(exposure(status, above), expected, "{status:?} below {above:?}");
        }
    }
}

/// A post of a random thread: its parent, its author and its decision.
#[derive(Debug, Clone)]
struct Sketch {
    parent: Option<usize>,
    author: u32,
    status: GuardrailStatus,
}

fn sketches() -> impl Strategy<Value = Vec<(prop::sample::Index, bool, u32, usize)>> {
    prop::collection::vec(
        (any::<prop::sample::Index>(), any::<bool>(), 0..3_u32, 0..4_usize),
        1..40,
    )
}

proptest! {
    /// Posts are added as the rules allow: an answer only below a post that its author sees. Later
    /// approvals only make more posts public, so the final state is sufficient.
    #[test]
    fn visible_post_has_visible_ancestors(history in sketches()) {
        let mut posts: Vec<(Sketch, Exposure)> = Vec::new();
        for (pick, answers, author, status) in history {
            let parent = (answers && !posts.is_empty()).then(|| pick.index(posts.len()));
            let above = parent.map_or(Exposure::Public, |at| posts[at].1);
            let may = parent.is_none_or(|at| {
                can_see(Viewer::Agent(agent(author)), agent(posts[at].0.author), posts[at].1)
            });
            if may {
                let status = GuardrailStatus::ALL[status];
                posts.push((Sketch { parent, author, status }, exposure(status, above)));
            }
        }
        let agents = (0..4).map(|number| Viewer::Agent(agent(number)));
        let viewers = agents.chain([Viewer::Anonymous, Viewer::Reviewer]);
        for viewer in viewers {
            let seen = |at: usize| can_see(viewer, agent(posts[at].0.author), posts[at].1);
            for (at, (post, _)) in posts.iter().enumerate() {
                if let Some(parent) = post.parent {
                    prop_assert!(!seen(at) || seen(parent), "{:?} sees {} alone", viewer, at);
                }
                if viewer == Viewer::Anonymous && seen(at) {
                    prop_assert_eq!(post.status, GuardrailStatus::Approved);
                }
            }
        }
    }
}
