//! Who sees what, held against the sentence of the contract over whole threads.

use debate_core::AgentId;
use debate_core::forum::guardrail::GuardrailStatus;
use debate_core::forum::{Exposure, Viewer, can_see, exposure};
use proptest::prelude::*;
use uuid::Uuid;

fn agent(number: u32) -> AgentId {
    AgentId::new(Uuid::from_u128(u128::from(number)))
}

#[test]
fn every_reader_of_every_exposure() {
    let (author, other) = (agent(1), agent(2));
    for (reader, public, withheld) in [
        (Viewer::Anonymous, true, false),
        (Viewer::Agent(author), true, true),
        (Viewer::Agent(other), true, false),
        (Viewer::Reviewer, true, true),
    ] {
        assert_eq!(can_see(reader, author, Exposure::Public), public, "{reader:?}");
        assert_eq!(can_see(reader, author, Exposure::Withheld), withheld, "{reader:?}");
    }
}

#[test]
fn only_what_is_approved_below_what_is_public_is_public() {
    for status in GuardrailStatus::ALL {
        for above in [Exposure::Public, Exposure::Withheld] {
            let public = status == GuardrailStatus::Approved && above == Exposure::Public;
            let expected = if public { Exposure::Public } else { Exposure::Withheld };
            assert_eq!(exposure(status, above), expected, "{status:?} below {above:?}");
        }
    }
}

/// A post of a random thread: whom it answers, by whom, and what became of it.
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
    /// Posts are added as the rules allow: an answer only below what its author sees then. Later
    /// approvals only add to what is public, so it is enough to look at the end.
    #[test]
    fn nobody_sees_an_answer_without_what_it_answers(history in sketches()) {
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
        let readers = agents.chain([Viewer::Anonymous, Viewer::Reviewer]);
        for reader in readers {
            let seen = |at: usize| can_see(reader, agent(posts[at].0.author), posts[at].1);
            for (at, (post, _)) in posts.iter().enumerate() {
                if let Some(parent) = post.parent {
                    prop_assert!(!seen(at) || seen(parent), "{:?} sees {} alone", reader, at);
                }
                if reader == Viewer::Anonymous && seen(at) {
                    prop_assert_eq!(post.status, GuardrailStatus::Approved);
                }
            }
        }
    }
}
