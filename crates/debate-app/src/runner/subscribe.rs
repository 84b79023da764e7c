//! Following a debate: its turns, where it stands, and the answer that is being given.

use async_trait::async_trait;
use debate_core::runner::{Cursor, Run, Standing};
use debate_core::{RunId, Seq};
use jiff::Timestamp;

use super::stage::Watcher;
use super::{Delta, RunNews, Runner, RunnerError, Since};
use crate::follow::Position;
use crate::{Bell, Rung, Waiter};

/// One reader of a debate's sequence.
pub struct Subscription {
    reader: Reader,
    bell: Bell,
    watcher: Watcher,
    /// Whether there may be something that the reader has not seen.
    is_stale: bool,
}

/// What a subscriber hears.
#[derive(Debug)]
pub enum Heard {
    /// Turns came, or the debate stands elsewhere; the subscription has moved past it.
    News(Box<RunNews>),
    /// More of an answer that is being given. It is not kept and does not come again.
    Delta(Delta),
    /// The server is closing down.
    Closing,
}

/// A place in a debate's sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The place.
    pub at: Seq,
    /// Whether the debate is over for good and nothing comes after it.
    pub is_the_end: bool,
}

impl Runner {
    /// Follows `run` from `since` on.
    pub fn subscribe(&self, run: RunId, since: Since) -> Result<Subscription, RunnerError> {
        // Listen first: what is written between a read and a later listen would go unheard.
        let bell = self.hub.listen_as(Waiter::Runner, run)?;
        let watcher = self.stage.watch(run);
        let reader =
            Reader { runner: self.clone(), run, since, created_at: None, told: None, spoken: None };
        Ok(Subscription { reader, bell, watcher, is_stale: true })
    }

    /// Where a position is; none if the debate has no such place.
    pub async fn locate(&self, run: RunId, since: Since) -> Result<Option<Place>, RunnerError> {
        match self.store.newer_than(run, since).await {
            Ok(news) if news.seen <= news.last => {
                let is_the_end = news.seen == news.last && news.run.standing.is_final();
                Ok(Some(Place { at: news.seen, is_the_end }))
            }
            Ok(_) | Err(RunnerError::UnknownPosition(_)) => Ok(None),
            Err(err) => Err(err),
        }
    }
}

impl Subscription {
    /// What comes next. May be given up half-way: nothing is lost by it.
    pub async fn next(&mut self) -> Result<Heard, RunnerError> {
        let Self { reader, bell, watcher, is_stale } = self;
        loop {
            // The turns first, all of them: an answer is shown after what it answers. They are
            // looked for only when rung for: words come a hundred times for every turn.
            if *is_stale {
                if let Some(news) = reader.look().await? {
                    return Ok(Heard::News(Box::new(news)));
                }
                *is_stale = false;
            }
            tokio::select! {
                biased;
                rung = bell.rung() => match rung {
                    Rung::Moved => *is_stale = true,
                    Rung::Closing => return Ok(Heard::Closing),
                },
                delta = watcher.next() => {
                    // What is left of an answer is no news once it is a turn.
                    if reader.spoken.is_none_or(|last| delta.place > last) {
                        return Ok(Heard::Delta(delta));
                    }
                }
            }
        }
    }
}

/// What a debate's reader was told of where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    standing: Standing,
    cursor: Cursor,
    last_error: Option<String>,
}

impl Told {
    fn of(run: &Run) -> Self {
        Self { standing: run.standing, cursor: run.cursor, last_error: run.last_error.clone() }
    }
}

struct Reader {
    runner: Runner,
    run: RunId,
    since: Since,
    /// When the debate was made, once that is known: another may come to have its id.
    created_at: Option<Timestamp>,
    told: Option<Told>,
    /// The place of the newest turn that was told.
    spoken: Option<Cursor>,
}

#[async_trait]
impl Position for Reader {
    type News = RunNews;
    type Error = RunnerError;

    async fn look(&mut self) -> Result<Option<RunNews>, RunnerError> {
        let news = self.runner.store.newer_than(self.run, self.since).await?;
        if *self.created_at.get_or_insert(news.run.created_at) != news.run.created_at {
            return Err(RunnerError::NoSuchRun(self.run));
        }
        let told = Told::of(&news.run);
        if news.newer.is_empty() && self.told.as_ref() == Some(&told) {
            self.since = Since::Seq(news.seen);
            return Ok(None);
        }
        self.told = Some(told);
        let newest = news.newer.last();
        self.since = Since::Seq(newest.map_or(news.seen, |turn| turn.seq));
        self.spoken = newest.map(|turn| turn.place).or(self.spoken);
        Ok(Some(news))
    }
}

impl RunNews {
    /// Whether the debate is over for good and this is the last of it.
    #[must_use]
    pub fn is_the_end(&self) -> bool {
        let newest = self.newer.last().map_or(self.seen, |turn| turn.seq);
        newest >= self.last && self.run.standing.is_final()
    }
}
