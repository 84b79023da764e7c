//! Fingerprints of posts, and digests that detect repeated texts.

use super::guardrail::normalize;
use super::post::PostDraft;
use crate::{Fingerprint, PostId, SolutionId};

/// The time in which an agent cannot repeat a text in the same place.
pub const REPEAT_WINDOW: std::time::Duration = std::time::Duration::from_mins(10);

/// The fingerprint of a post: all fields of its request except the idempotency key.
pub(super) fn fingerprint(draft: &PostDraft) -> Fingerprint {
    let (solution, parent) = (draft.solution.uuid(), draft.parent.map(PostId::uuid));
    let mut fields: Vec<&[u8]> = vec![
        b"post",
        solution.as_bytes(),
        parent.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
        draft.stance.name().as_bytes(),
        draft.content.as_str().as_bytes(),
    ];
    fields.extend(draft.links.iter().map(|link| link.as_str().as_bytes()));
    Fingerprint::from_fields(&fields)
}

/// A digest of a post's normalized text and its place. Case, spacing and invisible characters
/// do not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextDigest([u8; 32]);

impl TextDigest {
    pub(super) fn for_post(solution: SolutionId, parent: Option<PostId>, content: &str) -> Self {
        let (solution, parent) = (solution.uuid(), parent.map(PostId::uuid));
        let digest = Fingerprint::from_fields(&[
            solution.as_bytes(),
            parent.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            normalize(content).as_bytes(),
        ]);
        Self(*digest.as_bytes())
    }

    /// A digest from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
