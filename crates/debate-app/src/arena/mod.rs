//! The arena's use cases, and the port they stand on.

mod archive;
mod copy;
mod delete;
mod error;
mod list;
mod open;
mod port;
mod references;
mod submit;
mod subscribe;
mod transcript;
mod wait;

use std::sync::Arc;

use crate::{Clock, Hub};

pub use archive::{Account, ArchiveError, Destination, Dossier, Source, Stale};
pub use copy::{Copied, Progress, account, copy};
pub use error::ArenaError;
pub use port::{
    Append, ArenaStore, DebatePage, How, Newest, News, Open, Since, Take, Transcript, Written,
};
pub use subscribe::{Heard, Place, Subscription};

/// The arena: everything a client may ask of it is a method.
#[derive(Clone)]
pub struct Arena {
    store: Arc<dyn ArenaStore>,
    hub: Arc<Hub>,
    clock: Arc<dyn Clock>,
    /// Whether a resolution closes a debate whose opener did not say.
    auto_ruling: bool,
}

impl Arena {
    /// An arena over `store`, whose writes ring `hub`.
    #[must_use]
    pub fn new(
        store: Arc<dyn ArenaStore>,
        hub: Arc<Hub>,
        clock: Arc<dyn Clock>,
        auto_ruling: bool,
    ) -> Self {
        Self { store, hub, clock, auto_ruling }
    }
}
