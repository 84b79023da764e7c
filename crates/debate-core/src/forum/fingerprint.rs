//! What makes two posts the same: as requests, and as texts.

use super::guardrail::normalised;
use super::post::PostDraft;
use crate::{Fingerprint, PostId, SolutionId};

/// How long the same text is not taken again from the same agent in the same place.
pub const REPEAT_WINDOW: std::time::Duration = std::time::Duration::from_mins(10);

/// Of a post: everything its client chose, but for the key.
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
    Fingerprint::of_fields(&fields)
}

/// A digest of what a post says and where: neither case nor spacing nor invisible characters make
/// another text of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextMark([u8; 32]);

impl TextMark {
    pub(super) fn of(solution: SolutionId, parent: Option<PostId>, content: &str) -> Self {
        let (solution, parent) = (solution.uuid(), parent.map(PostId::uuid));
        let digest = Fingerprint::of_fields(&[
            solution.as_bytes(),
            parent.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            normalised(content).as_bytes(),
        ]);
        Self(*digest.as_bytes())
    }

    /// One that was kept.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes, to be kept.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
