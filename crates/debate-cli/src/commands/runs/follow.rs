//! Follows a run, with reconnects, until it ends.

use std::io;
use std::pin::pin;
use std::time::Duration;

use debate_core::RunId;
use debate_wire::runner::{Reason, Status, Story};
use tokio::time::Instant;

use super::{path, story};
use crate::client::{Follower, RunEvent, Tried};
use crate::commands::Desk;
use crate::commands::write::gone;
use crate::fault::{Fault, Halt};
use crate::output::{Done, Manner, Show, Stage, has_left, resting};

/// A stream that has lived this long was a stream, not an attempt.
const LIVED: Duration = Duration::from_secs(10);

/// How often the clock on a terminal moves.
const TICK: Duration = Duration::from_secs(1);

/// How one stream ended.
enum Ended {
    /// All was shown, or nobody looks any more.
    Over,
    /// The connection is gone.
    Cut(String),
}

/// Shows a debate until it does not run any more. Ctrl-C leaves it, and the debate goes on.
pub(super) async fn follow(run: RunId, deltas: bool, desk: &Desk<'_>) -> Result<Done, Fault> {
    tokio::select! {
        followed = watch(run, deltas, desk) => followed,
        Ok(()) = tokio::signal::ctrl_c() => Err(left(run, desk)),
    }
}

fn left(run: RunId, desk: &Desk<'_>) -> Fault {
    let command = |what: &str| desk.command(&["run", what, &run.to_string()]);
    let (follow, stop) = (command("follow"), command("stop"));
    Fault::Halted {
        how: Halt::Left,
        message: "stopped following; the run continues in the background".to_owned(),
        again: format!("follow it again with `{follow}`, or stop it with `{stop}`"),
    }
}

async fn watch(run: RunId, deltas: bool, desk: &Desk<'_>) -> Result<Done, Fault> {
    let manner = Manner { printer: desk.printer, notes: desk.client.notes, deltas };
    let story = story(run, desk).await?;
    let show = match Show::begin(story.debate.clone(), manner) {
        Err(err) if has_left(&err) => return Ok(Done::Shown),
        begun => begun.map_err(local)?,
    };
    let mut following = Following { run, desk, show, stage: Stage::default() };
    if following.settle(&story)? {
        return Ok(Done::Shown);
    }
    following.until_over().await
}

/// A debate that is followed.
struct Following<'d> {
    run: RunId,
    desk: &'d Desk<'d>,
    show: Show,
    stage: Stage,
}

impl Following<'_> {
    async fn until_over(&mut self) -> Result<Done, Fault> {
        let desk = self.desk;
        let mut patience = desk.client.patience(desk.settings.wait_deadline);
        loop {
            let opened = Instant::now();
            let before = self.stage.position().map(str::to_owned);
            self.stage.reconnected();
            let stream = desk.client.stream(path(self.run, "/events"), before.as_deref()).await;
            let (fault, after) = match stream {
                Tried::Done(stream) => match self.hear(stream).await? {
                    Ended::Over => return Ok(Done::Shown),
                    Ended::Cut(why) => (desk.client.unreachable(why), None),
                },
                Tried::Refused(fault) => return Err(fault),
                Tried::Again(fault, after) => (fault, after),
            };
            if self.stage.position() != before.as_deref() || opened.elapsed() > LIVED {
                patience = desk.client.patience(desk.settings.wait_deadline);
            }
            self.show.make_way().map_err(local)?;
            let again = desk.command(&["run", "follow", &self.run.to_string()]);
            patience
                .pause(fault, after, desk.client.notes)
                .await
                .map_err(|fault| fault.then_run(again))?;
        }
    }

    /// Shows what comes until nothing more will.
    async fn hear(&mut self, mut stream: Follower<RunEvent>) -> Result<Ended, Fault> {
        loop {
            let event = self.next(&mut stream).await;
            let is_over = match &event {
                RunEvent::End(Some(Reason::DebateDeleted)) => return Err(gone("run")),
                RunEvent::Lost(why) => return Ok(Ended::Cut(why.clone())),
                RunEvent::End(_) => true,
                RunEvent::Status(status) => {
                    self.show.now(status);
                    is_at_rest(status.status)
                }
                RunEvent::Turn(_) | RunEvent::Delta(_) | RunEvent::Reset => false,
            };
            let has_ended = matches!(event, RunEvent::End(_));
            if !self.show_all(event)? {
                return Ok(Ended::Over);
            }
            // What the debate says of itself decides, and brings what may still be under way here.
            if is_over && self.settle(&story(self.run, self.desk).await?)? {
                return Ok(Ended::Over);
            }
            if has_ended {
                return Ok(Ended::Cut("the stream ended, but the run continues".to_owned()));
            }
        }
    }

    /// The next event; the clock moves meanwhile.
    async fn next(&mut self, stream: &mut Follower<RunEvent>) -> RunEvent {
        let mut next = pin!(stream.next());
        loop {
            tokio::select! {
                event = &mut next => return event,
                () = tokio::time::sleep(TICK), if self.show.is_live() => {
                    // A terminal that is gone is noticed by the next thing that has to be shown.
                    let _ = self.show.tick();
                }
            }
        }
    }

    /// Shows what an event brings; false if nobody looks any more.
    fn show_all(&mut self, event: RunEvent) -> Result<bool, Fault> {
        for step in self.stage.hear(event) {
            if !looks_on(self.show.step(step))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Shows what is left of a debate that does not run any more. False if it runs.
    fn settle(&mut self, story: &Story) -> Result<bool, Fault> {
        for turn in &story.turns {
            if !self.show_all(RunEvent::Turn(Box::new(turn.clone())))? {
                return Ok(true);
            }
        }
        let status = story.debate.status;
        if !is_at_rest(status) {
            return Ok(false);
        }
        if !looks_on(self.show.end(story))? {
            return Ok(true);
        }
        let how = match status {
            Status::Failed => Halt::Failed,
            Status::Stopped => Halt::Stopped,
            Status::Canceled => Halt::Canceled,
            Status::Completed | Status::Created | Status::Running | Status::Stopping => {
                return Ok(true);
            }
        };
        Err(self.halted(how, story))
    }

    fn halted(&self, how: Halt, story: &Story) -> Fault {
        let id = story.debate.id.as_str();
        let command = |words: &[&str]| self.desk.command(words);
        let again = match how {
            Halt::Failed => {
                let retry = command(&["run", "retry", id, "--follow"]);
                format!("fix the problem, then run `{retry}`")
            }
            Halt::Stopped | Halt::Left => {
                format!("resume the run with `{}`", command(&["run", "resume", id, "--follow"]))
            }
            Halt::Canceled => {
                let show = command(&["run", "show", id]);
                format!("a cancelled run cannot be resumed; show it with `{show}`")
            }
        };
        Fault::Halted { how, message: resting(&story.debate), again }
    }
}

/// Whether nothing more will come unless someone asks for it.
const fn is_at_rest(status: Status) -> bool {
    match status {
        Status::Created | Status::Running | Status::Stopping => false,
        Status::Stopped | Status::Failed | Status::Completed | Status::Canceled => true,
    }
}

/// False for a reader that has left: it has had what it wanted.
fn looks_on(shown: io::Result<()>) -> Result<bool, Fault> {
    match shown {
        Ok(()) => Ok(true),
        Err(err) if has_left(&err) => Ok(false),
        Err(err) => Err(local(err)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn local(err: io::Error) -> Fault {
    Fault::Local(err.to_string())
}
