//! What a model's answer is kept under.

use super::classifier::CLASSIFIER_VERSION;
use super::normalised;
use crate::Fingerprint;

/// A digest of a text as it is read, of the rules that let it through and of who was asked. The
/// same text costs one call, however it is spaced or cased; a change of rules or model asks anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VerdictKey([u8; 32]);

impl VerdictKey {
    /// Of `text`, under these rules, asked of `model`.
    #[must_use]
    pub fn of(text: &str, rules_version: &str, model: &str) -> Self {
        let digest = Fingerprint::of_fields(&[
            normalised(text).as_bytes(),
            rules_version.as_bytes(),
            model.as_bytes(),
            CLASSIFIER_VERSION.as_bytes(),
        ]);
        Self(*digest.as_bytes())
    }

    /// Its bytes, to be kept.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
