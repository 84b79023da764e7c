//! The text of turns in progress, for followers in this process.
//!
//! A reader holds a position in the text and no queue, so that a slow reader misses nothing and
//! delays no other. The text is not stored; the saved turn counts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use debate_core::RunId;
use debate_core::runner::Cursor;
use tokio::sync::watch;

#[derive(Debug, Clone)]
struct PartialAnswer {
    place: Cursor,
    call: u32,
    text: String,
}

/// The answers in progress, by run.
#[derive(Debug, Default)]
pub struct LiveAnswers {
    channels: Mutex<HashMap<RunId, watch::Sender<Option<PartialAnswer>>>>,
}

/// A piece of an answer in progress.
#[derive(Clone, PartialEq, Eq)]
pub struct Delta {
    /// The turn that the answer is for.
    pub place: Cursor,
    /// The number of the call for that turn; text of earlier calls is void.
    pub call: u32,
    /// The text since the last delta of this call, or since its beginning.
    pub text: String,
}

/// Shows the size only: content never reaches a log.
impl std::fmt::Debug for Delta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Delta({:?}, call {}, {} bytes)", self.place, self.call, self.text.len())
    }
}

impl LiveAnswers {
    /// Starts the answer of a call for a turn. It ends when the returned value is dropped.
    pub(super) fn start(self: &Arc<Self>, run: RunId, place: Cursor, call: u32) -> LiveAnswer {
        let channel = self.channels().entry(run).or_default().clone();
        channel.send_replace(Some(PartialAnswer { place, call, text: String::new() }));
        LiveAnswer { live_answers: Arc::clone(self), run, channel }
    }

    /// Reads the answers of a run from now on.
    pub(super) fn watch(self: &Arc<Self>, run: RunId) -> AnswerReader {
        let partial = self.channels().entry(run).or_default().subscribe();
        AnswerReader { live_answers: Arc::clone(self), run, partial: Some(partial), heard: None }
    }

    /// Removes a run without an answer in progress and without readers.
    fn remove_if_idle(&self, run: RunId) {
        let mut channels = self.channels();
        let idle = |channel: &watch::Sender<Option<PartialAnswer>>| {
            channel.receiver_count() == 0 && channel.borrow().is_none()
        };
        if channels.get(&run).is_some_and(idle) {
            channels.remove(&run);
        }
    }

    /// The number of runs with an answer in progress or a reader.
    #[must_use]
    pub fn debates(&self) -> usize {
        self.channels().len()
    }

    fn channels(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<Option<PartialAnswer>>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One answer that is being given.
#[derive(Debug)]
pub(super) struct LiveAnswer {
    live_answers: Arc<LiveAnswers>,
    run: RunId,
    channel: watch::Sender<Option<PartialAnswer>>,
}

impl LiveAnswer {
    /// The next piece.
    pub(super) fn push(&self, piece: &str) {
        self.channel.send_modify(|partial| {
            if let Some(partial) = partial {
                partial.text.push_str(piece);
            }
        });
    }
}

impl Drop for LiveAnswer {
    fn drop(&mut self) {
        self.channel.send_replace(None);
        self.live_answers.remove_if_idle(self.run);
    }
}

/// One watcher of a debate's answers.
#[derive(Debug)]
pub(super) struct AnswerReader {
    live_answers: Arc<LiveAnswers>,
    run: RunId,
    /// Dropped before `remove_if_idle` is called.
    partial: Option<watch::Receiver<Option<PartialAnswer>>>,
    /// The call of the last delta, and the number of its bytes that were returned.
    heard: Option<(Cursor, u32, usize)>,
}

impl AnswerReader {
    /// The next piece of an answer. Waits forever without an answer in progress.
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
                // The sender is gone; no text follows.
                std::future::pending::<()>().await;
            }
        }
    }

    fn fresh(&mut self) -> Option<Delta> {
        let partial = self.partial.as_mut()?.borrow_and_update();
        let PartialAnswer { place, call, text } = partial.as_ref()?;
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

impl Drop for AnswerReader {
    fn drop(&mut self) {
        self.partial = None;
        self.live_answers.remove_if_idle(self.run);
    }
}
