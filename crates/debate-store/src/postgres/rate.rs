//! Rate windows in PostgreSQL, shared by all processes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use debate_app::{RateWindows, StoreError};
use debate_core::{Admission, Charge, RateDecision};
use jiff::Timestamp;

use super::Postgres;
use crate::engine::Engine as _;
use crate::rate;

/// The number of refusals that are remembered.
const REFUSALS_MAX: usize = 10_000;

/// Full windows, until a request could be accepted again. Further requests of the client are
/// refused without the database: other processes can only fill a window and never empty it.
#[derive(Debug, Default)]
pub(super) struct CachedRefusals(Mutex<HashMap<Charge, CachedRefusal>>);

#[derive(Debug)]
struct CachedRefusal {
    admission: Admission,
    since: Instant,
}

impl CachedRefusal {
    /// The same refusal as it is now; none if its wait is over.
    fn now(&self) -> Option<Admission> {
        let wait = self.admission.retry_after?.checked_sub(self.since.elapsed())?;
        Some(Admission { retry_after: Some(wait).filter(|wait| !wait.is_zero()), ..self.admission })
            .filter(Admission::is_refused)
    }
}

impl CachedRefusals {
    fn find(&self, charges: &[Charge]) -> Option<RateDecision> {
        let refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        charges.iter().enumerate().find_map(|(decisive, charge)| {
            let admission = refusals.get(charge).and_then(CachedRefusal::now)?;
            Some(RateDecision { decisive, admission })
        })
    }

    fn remember(&self, charges: &[Charge], decision: RateDecision) {
        let Some(charge) = charges.get(decision.decisive) else { return };
        if !decision.admission.is_refused() {
            return;
        }
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() >= REFUSALS_MAX {
            refusals.retain(|_, refusal| refusal.now().is_some());
        }
        // Without an entry the next request asks the database.
        if refusals.len() >= REFUSALS_MAX {
            refusals.clear();
        }
        let refusal = CachedRefusal { admission: decision.admission, since: Instant::now() };
        refusals.insert(charge.clone(), refusal);
    }
}

#[async_trait]
impl RateWindows for Postgres {
    async fn admit(
        &self,
        charges: &[Charge],
        at: Timestamp,
    ) -> Result<Option<RateDecision>, StoreError> {
        if charges.is_empty() {
            return Ok(None);
        }
        if let Some(refused) = self.0.refusals.find(charges) {
            return Ok(Some(refused));
        }
        let counted = self.0.write((charges.to_vec(), at), rate::admit).await?;
        if let Some(decision) = counted {
            self.0.refusals.remember(charges, decision);
        }
        Ok(counted)
    }
}
