//! Fingerprints of the arena's requests.

use super::argument::DebateType;
use super::rules::{Move, RulingEffect};
use crate::{ArgumentId, Fingerprint};

impl Fingerprint {
    /// The fingerprint of an argument: action, role, target, content, and whether a ruling closes.
    #[must_use]
    pub fn for_move(mv: Move, target: Option<ArgumentId>, content: &str) -> Self {
        let target = target.map(ArgumentId::uuid);
        let closes = match mv {
            Move::Rule(RulingEffect::Close) => "close",
            Move::Rule(RulingEffect::Continue)
            | Move::Claim(_)
            | Move::Appeal
            | Move::Resolve
            | Move::Intervene => "",
        };
        Self::from_fields(&[
            mv.name().as_bytes(),
            mv.role().name().as_bytes(),
            target.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            content.as_bytes(),
            closes.as_bytes(),
        ])
    }

    /// The fingerprint of a new debate. `auto_ruling` counts as the client sent it, so that a retry
    /// is recognised also after a change of the server's setting.
    #[must_use]
    pub fn for_debate(
        title: &str,
        debate_type: DebateType,
        motion: &str,
        auto_ruling: Option<bool>,
    ) -> Self {
        let auto_ruling = match auto_ruling {
            None => "",
            Some(true) => "true",
            Some(false) => "false",
        };
        Self::from_fields(&[
            b"open",
            title.as_bytes(),
            debate_type.name().as_bytes(),
            motion.as_bytes(),
            auto_ruling.as_bytes(),
        ])
    }
}
