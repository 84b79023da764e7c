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
    cursor: Cursor,
    call: u32,
    text: String,
}

/// The answers in progress, by run.
#[derive(Debug, Default)]
pub(super) struct LiveAnswers {
    channels: Mutex<HashMap<RunId, watch::Sender<Option<PartialAnswer>>>>,
}

/// A piece of an answer in progress.
#[derive(Clone, PartialEq, Eq)]
pub struct Delta {
    /// The turn that the answer is for.
    pub cursor: Cursor,
    /// The number of the call for that turn; text of earlier calls is void.
    pub call: u32,
    /// The text since the last delta of this call, or since its beginning.
    pub text: String,
}

/// Shows the size only: content never reaches a log.
impl std::fmt::Debug for Delta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Delta({:?}, call {}, {} bytes)", self.cursor, self.call, self.text.len())
    }
}

impl LiveAnswers {
    /// Starts the answer of a call for a turn. It ends when the returned value is dropped.
    pub(super) fn start(self: &Arc<Self>, run: RunId, cursor: Cursor, call: u32) -> LiveAnswer {
        let channel = self.channels().entry(run).or_default().clone();
        channel.send_replace(Some(PartialAnswer { cursor, call, text: String::new() }));
        LiveAnswer { live_answers: Arc::clone(self), run, channel }
    }

    /// Reads the answers of a run from now on.
    pub(super) fn watch(self: &Arc<Self>, run: RunId) -> AnswerReader {
        let partial = self.channels().entry(run).or_default().subscribe();
        AnswerReader { live_answers: Arc::clone(self), run, partial: Some(partial), position: None }
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

    fn channels(&self) -> MutexGuard<'_, HashMap<RunId, watch::Sender<Option<PartialAnswer>>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One answer in progress.
#[derive(Debug)]
pub(super) struct LiveAnswer {
    live_answers: Arc<LiveAnswers>,
    run: RunId,
    channel: watch::Sender<Option<PartialAnswer>>,
}

impl LiveAnswer {
    /// Appends a piece to the answer and wakes its readers.
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

/// A reader of the answers of one run.
#[derive(Debug)]
pub(super) struct AnswerReader {
    live_answers: Arc<LiveAnswers>,
    run: RunId,
    /// Dropped before `remove_if_idle` is called.
    partial: Option<watch::Receiver<Option<PartialAnswer>>>,
    /// The call of the last delta, and the number of its bytes that were returned.
    position: Option<(Cursor, u32, usize)>,
}

impl AnswerReader {
    /// The next piece of an answer. Waits forever without an answer in progress.
    pub(super) async fn next(&mut self) -> Delta {
        loop {
            if let Some(delta) = self.unread() {
                return delta;
            }
            let changed = match &mut self.partial {
                Some(partial) => partial.changed().await.is_ok(),
                None => false,
            };
            if !changed {
                // The sender was dropped; no text follows.
                std::future::pending::<()>().await;
            }
        }
    }

    fn unread(&mut self) -> Option<Delta> {
        let partial = self.partial.as_mut()?.borrow_and_update();
        let PartialAnswer { cursor, call, text } = partial.as_ref()?;
        let start = match self.position {
            Some((read_cursor, read_call, bytes))
                if (read_cursor, read_call) == (*cursor, *call) =>
            {
                bytes
            }
            Some(_) | None => 0,
        };
        let more = text.get(start..).filter(|more| !more.is_empty())?.to_owned();
        let delta = Delta { cursor: *cursor, call: *call, text: more };
        self.position = Some((*cursor, *call, text.len()));
        Some(delta)
    }
}

impl Drop for AnswerReader {
    fn drop(&mut self) {
        self.partial = None;
        self.live_answers.remove_if_idle(self.run);
    }
}
