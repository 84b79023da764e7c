//! What makes two requests of the arena the same.

use super::argument::DebateType;
use super::rules::{Move, Verdict};
use crate::{ArgumentId, Fingerprint};

impl Fingerprint {
    /// Of an argument: action, role, target, content, and whether a ruling closes.
    #[must_use]
    pub fn of_move(mv: Move, target: Option<ArgumentId>, content: &str) -> Self {
        let target = target.map(ArgumentId::uuid);
        let closes = match mv {
            Move::Rule(Verdict::Close) => "close",
            Move::Rule(Verdict::Continue)
            | Move::Claim(_)
            | Move::Appeal
            | Move::Resolve
            | Move::Intervene => "",
        };
        Self::of_fields(&[
            mv.name().as_bytes(),
            mv.role().name().as_bytes(),
            target.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            content.as_bytes(),
            closes.as_bytes(),
        ])
    }

    /// Of an opening. `auto_ruling` counts as the client gave it, so that a server whose custom
    /// changed meanwhile still knows the retry.
    #[must_use]
    pub fn of_opening(
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
        Self::of_fields(&[
            b"open",
            title.as_bytes(),
            debate_type.name().as_bytes(),
            motion.as_bytes(),
            auto_ruling.as_bytes(),
        ])
    }
}
