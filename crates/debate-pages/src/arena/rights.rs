//! The browser's rights on a debate: on debates with seats, only a session with arbitrator rights
//! may rule, intervene and delete.

use debate_core::arena::Debate;
use debate_render::arena::open_command;

use crate::frame::{ArbitratorAccess, PageRequest};
use crate::links::link;

/// Whether the browser may act as the arbitrator of this debate.
pub(super) fn can_arbitrate(request: &PageRequest, debate: &Debate) -> bool {
    debate.seat_changes.is_none() || request.arbitrator == ArbitratorAccess::SignedIn
}

/// The way to arbitrator rights, for a browser without.
#[derive(Debug)]
pub(crate) struct RightsHint {
    /// The command that opens the debate with arbitrator rights.
    pub(crate) command: String,
    /// The path of the login form; none on a server without an arbitrator token.
    pub(crate) login: Option<String>,
}

impl RightsHint {
    /// None if the browser may act as the arbitrator.
    pub(super) fn new(request: &PageRequest, debate: &Debate) -> Option<Self> {
        if can_arbitrate(request, debate) {
            return None;
        }
        let page = format!("/arena/{}", debate.slug);
        let login = match request.arbitrator {
            ArbitratorAccess::NotConfigured => None,
            ArbitratorAccess::SignedOut | ArbitratorAccess::SignedIn => {
                Some(link("/login", &[("next", &page)]))
            }
        };
        Some(Self { command: open_command(&debate.slug, &request.server), login })
    }
}
