//! The arena's use cases, and the port to their storage engine.

mod debates;
mod error;
mod follow;
mod port;

use std::sync::Arc;

use crate::{Clock, Notifier};

pub use error::ArenaError;
pub use follow::{DebateFollower, DebatePosition, DebateUpdate};
pub use port::{
    AppendArgument, ArenaStore, ArgumentSelection, DebateListPage, NewArguments, OpenDebate,
    Transcript, TranscriptLimit, WriteOutcome, WrittenArgument,
};

/// The arena. Each operation that a client may request is a method.
#[derive(Clone)]
pub struct Arena {
    store: Arc<dyn ArenaStore>,
    notifier: Arc<Notifier>,
    clock: Arc<dyn Clock>,
    /// Whether a resolution closes a debate whose creation left `auto_ruling` out.
    auto_ruling: bool,
}

impl Arena {
    /// An arena over `store`, which must announce its commits to `notifier`.
    #[must_use]
    pub fn new(
        store: Arc<dyn ArenaStore>,
        notifier: Arc<Notifier>,
        clock: Arc<dyn Clock>,
        auto_ruling: bool,
    ) -> Self {
        Self { store, notifier, clock, auto_ruling }
    }
}
