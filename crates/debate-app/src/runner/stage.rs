//! Answers while they are being given, for whoever watches in this process.
//!
//! A watcher holds a position in the text and never a queue, so a slow one misses nothing and holds
//! up nobody. Nothing here is kept: what counts is the turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::RunId;
use debate_core::runner::Cursor;
use tokio::sync::watch;

/// An answer as far as it has come.
#[derive(Debug, Clone)]
struct Partial {
    place: Cursor,
    call: u32,
    text: String,
}

/// Where answers are given.
#[derive(Debug, Default)]
pub struct Stage {
    scenes: Mutex<HashMap<RunId, watch::Sender<Option<Partial>>>>,
}

/// More of an answer that is being given.
#[derive(Clone, PartialEq, Eq)]
pub struct Delta {
    /// For which turn.
    pub place: Cursor,
    /// The so-manieth call for that turn: what earlier ones said counts for nothing.
    pub call: u32,
    /// What came since the last delta of this call, or since its beginning.
    pub text: String,
}

/// Shows the size only: content never reaches a log.
impl std::fmt::Debug for Delta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Delta({:?}, call {}, {} bytes)", self.place, self.call, self.text.len())
    }
}

impl Stage {
    /// Begins the so-manieth answer for a turn; it is gone when dropped.
    pub(super) fn perform(self: &Arc<Self>, run: RunId, place: Cursor, call: u32) -> Performance {
        let scene = self.scenes().entry(run).or_default().clone();
        scene.send_replace(Some(Partial { place, call, text: String::new() }));
        Performance { stage: Arc::clone(self), run, scene }
    }

    /// Watches whatever answers are given in a debate from now on.
    pub(super) fn watch(self: &Arc<Self>, run: RunId) -> Watcher {
        let partial = self.scenes().entry(run).or_default().subscribe();
        Watcher { stage: Arc::clone(self), run, partial: Some(partial), heard: None }
    }

    /// Forgets a debate that nobody performs in and nobody watches.
    fn tidy(&self, run: RunId) {
        let mut scenes = self.scenes();
        let idle = |scene: &watch::Sender<Option<Partial>>| {
            scene.receiver_count() == 0 && scene.borrow().is_none()
        };
        if scenes.get(&run).is_some_and(idle) {
            scenes.remove(&run);
        }
    }

    /// How many debates are performed in or watched now.
    #[must_use]
    pub fn debates(&self) -> usize {
        self.scenes().len()
    }

    fn scenes(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<Option<Partial>>>> {
        self.scenes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One answer that is being given.
#[derive(Debug)]
pub(super) struct Performance {
    stage: Arc<Stage>,
    run: RunId,
    scene: watch::Sender<Option<Partial>>,
}

impl Performance {
    /// The next piece.
    pub(super) fn push(&self, piece: &str) {
        self.scene.send_modify(|partial| {
            if let Some(partial) = partial {
                partial.text.push_str(piece);
            }
        });
    }
}

impl Drop for Performance {
    fn drop(&mut self) {
        self.scene.send_replace(None);
        self.stage.tidy(self.run);
    }
}

/// One watcher of a debate's answers.
#[derive(Debug)]
pub(super) struct Watcher {
    stage: Arc<Stage>,
    run: RunId,
    /// Given up before the stage is tidied.
    partial: Option<watch::Receiver<Option<Partial>>>,
    /// Of which call how many bytes were handed over.
    heard: Option<(Cursor, u32, usize)>,
}

impl Watcher {
    /// More of an answer, as soon as there is any. Waits for ever if none is given.
    pub(super) async fn next(&mut self) -> Delta {
        loop {
            if let Some(delta) = self.fresh() {
                return delta;
            }
            let changed = match &mut self.partial {
                Some(partial) => partial.changed().await.is_ok(),
                None => false,
            };
            if !changed {
                // The stage itself is gone; there will be no more.
                std::future::pending::<()>().await;
            }
        }
    }

    fn fresh(&mut self) -> Option<Delta> {
        let partial = self.partial.as_mut()?.borrow_and_update();
        let Partial { place, call, text } = partial.as_ref()?;
        let heard = match self.heard {
            Some((heard_place, heard_call, bytes))
                if (heard_place, heard_call) == (*place, *call) =>
            {
                bytes
            }
            Some(_) | None => 0,
        };
        let more = text.get(heard..).filter(|more| !more.is_empty())?.to_owned();
        let delta = Delta { place: *place, call: *call, text: more };
        self.heard = Some((*place, *call, text.len()));
        Some(delta)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.partial = None;
        self.stage.tidy(self.run);
    }
}
