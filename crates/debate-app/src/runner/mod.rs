//! The runner's use cases, and the ports they stand on.

mod archive;
mod call;
mod copy;
mod error;
mod manage;
mod port;
mod stage;
mod step;
mod subscribe;
mod workers;

use std::sync::Arc;

use debate_core::runner::{Budget, Defaults};

use crate::llm::Llm;
use crate::{Clock, Hub};

pub use archive::{
    Chronicle, DaySpent, RunAccount, RunArchiveError, RunDestination, RunRows, RunSource,
};
pub use copy::{RunProgress, account, copy};
pub use error::RunnerError;
pub use port::{
    CommandRequest, Cost, Create, Created, Found, Renew, RunNews, RunPage, RunnerStore, Settle,
    Settlement, Since, Story, Take, Task,
};
pub use stage::{Delta, Stage};
pub use step::ReadVerdict;
pub use subscribe::{Heard, Place, Subscription};
pub use workers::{WorkerOptions, Workers};

/// The runner: everything a client may ask of it is a method.
#[derive(Clone)]
pub struct Runner {
    store: Arc<dyn RunnerStore>,
    llm: Arc<dyn Llm>,
    hub: Arc<Hub>,
    clock: Arc<dyn Clock>,
    stage: Arc<Stage>,
    defaults: Arc<Defaults>,
    budget: Arc<Budget>,
}

impl Runner {
    /// A runner over `store`, whose writes ring `hub`, that asks models through `llm` within
    /// `budget`.
    #[must_use]
    pub fn new(
        store: Arc<dyn RunnerStore>,
        llm: Arc<dyn Llm>,
        hub: Arc<Hub>,
        clock: Arc<dyn Clock>,
        defaults: Defaults,
        budget: Budget,
    ) -> Self {
        let (defaults, budget) = (Arc::new(defaults), Arc::new(budget));
        Self { store, llm, hub, clock, stage: Arc::default(), defaults, budget }
    }
}
