//! Follows a run, with reconnects, until it ends.

use std::io;
use std::pin::pin;
use std::time::Duration;

use debate_core::RunId;
use debate_wire::runner::{Reason, Status, Story};
use tokio::time::Instant;

use super::{path, story};
use crate::client::{Attempted, EventStream, RunEvent, StreamEnd};
use crate::commands::CommandContext;
use crate::commands::deletion::deleted_failure;
use crate::failure::{Failure, FollowEnd};
use crate::output::{
    CommandOutput, LiveOptions, LiveOutput, TurnAssembler, is_closed_pipe, status_message,
};

/// A stream of this duration resets the retry deadline.
const ESTABLISHED: Duration = Duration::from_secs(10);

/// The interval at which a terminal shows the elapsed time again.
const TICK: Duration = Duration::from_secs(1);

/// Prints a run until it ends. Ctrl-C ends the command; the run continues.
pub(super) async fn follow(
    run: RunId,
    deltas: bool,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    tokio::select! {
        followed = watch(run, deltas, context) => followed,
        Ok(()) = tokio::signal::ctrl_c() => Err(interruption_failure(run, context)),
    }
}

fn interruption_failure(run: RunId, context: &CommandContext<'_>) -> Failure {
    let command = |what: &str| context.command(&["run", what, &run.to_string()]);
    let (follow, stop) = (command("follow"), command("stop"));
    Failure::FollowEnded {
        how: FollowEnd::Interrupted,
        message: "stopped following; the run continues in the background".to_owned(),
        again: format!("follow it again with `{follow}`, or stop it with `{stop}`"),
    }
}

async fn watch(
    run: RunId,
    deltas: bool,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let options = LiveOptions { printer: context.printer, notes: context.client.notes, deltas };
    let story = story(run, context).await?;
    let output = match LiveOutput::begin(story.debate.clone(), &story.cost, options) {
        Err(err) if is_closed_pipe(&err) => return Ok(CommandOutput::Printed),
        output => output.map_err(local)?,
    };
    let mut follower = RunFollower { run, context, output, assembler: TurnAssembler::default() };
    if follower.finish(&story)? {
        return Ok(CommandOutput::Printed);
    }
    follower.follow_until_end().await
}

/// The state of following a run.
struct RunFollower<'d> {
    run: RunId,
    context: &'d CommandContext<'d>,
    output: LiveOutput,
    assembler: TurnAssembler,
}

impl RunFollower<'_> {
    async fn follow_until_end(&mut self) -> Result<CommandOutput, Failure> {
        let context = self.context;
        let mut budget = context.client.retry_budget(context.settings.wait_deadline);
        loop {
            let opened = Instant::now();
            let before = self.assembler.last_turn_id().map(str::to_owned);
            self.assembler.reconnect();
            let stream = context.client.stream(path(self.run, "/events"), before.as_deref()).await;
            let (failure, after) = match stream {
                Attempted::Success(stream) => match self.print_events(stream).await? {
                    StreamEnd::Finished => return Ok(CommandOutput::Printed),
                    StreamEnd::Disconnected(why) => (context.client.unreachable(why), None),
                },
                Attempted::Rejected(failure) => return Err(failure),
                Attempted::Retryable(failure, after) => (failure, after),
            };
            if self.assembler.last_turn_id() != before.as_deref() || opened.elapsed() > ESTABLISHED
            {
                budget = context.client.retry_budget(context.settings.wait_deadline);
            }
            self.output.clear_status().map_err(local)?;
            let again = context.command(&["run", "follow", &self.run.to_string()]);
            budget
                .pause(failure, after, context.client.notes)
                .await
                .map_err(|failure| failure.then_run(again))?;
        }
    }

    /// Prints the events of a stream until the run or the stream ends.
    async fn print_events(
        &mut self,
        mut stream: EventStream<RunEvent>,
    ) -> Result<StreamEnd, Failure> {
        loop {
            let event = self.next(&mut stream).await;
            let is_over = match &event {
                RunEvent::End(Some(Reason::DebateDeleted)) => return Err(deleted_failure("run")),
                RunEvent::Lost(why) => return Ok(StreamEnd::Disconnected(why.clone())),
                RunEvent::End(_) => true,
                RunEvent::Status(status) => {
                    self.output.set_status(status);
                    is_idle(status.status)
                }
                RunEvent::Turn(_) | RunEvent::Delta(_) | RunEvent::Reset => false,
            };
            let has_ended = matches!(event, RunEvent::End(_));
            if !self.print_updates(event)? {
                return Ok(StreamEnd::Finished);
            }
            // The run itself decides whether it has ended, and has turns that are not received yet.
            if is_over && self.finish(&story(self.run, self.context).await?)? {
                return Ok(StreamEnd::Finished);
            }
            if has_ended {
                return Ok(StreamEnd::Disconnected(
                    "the stream ended, but the run continues".to_owned(),
                ));
            }
        }
    }

    /// The next event. The elapsed time is updated meanwhile.
    async fn next(&mut self, stream: &mut EventStream<RunEvent>) -> RunEvent {
        let mut next = pin!(stream.next());
        loop {
            tokio::select! {
                event = &mut next => return event,
                () = tokio::time::sleep(TICK), if self.output.is_live() => {
                    // The next event reports a closed terminal.
                    let _ = self.output.tick();
                }
            }
        }
    }

    /// Prints the updates of an event; false if the reader has closed standard output.
    fn print_updates(&mut self, event: RunEvent) -> Result<bool, Failure> {
        for update in self.assembler.apply(event) {
            if !is_reader_present(self.output.update(update))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Prints the rest of a run that has ended. False if it is running.
    fn finish(&mut self, story: &Story) -> Result<bool, Failure> {
        for turn in &story.turns {
            if !self.print_updates(RunEvent::Turn(Box::new(turn.clone())))? {
                return Ok(true);
            }
        }
        let status = story.debate.status;
        if !is_idle(status) {
            return Ok(false);
        }
        if !is_reader_present(self.output.end(story))? {
            return Ok(true);
        }
        let how = match status {
            Status::Failed => FollowEnd::Failed,
            Status::Stopped => FollowEnd::Stopped,
            Status::Canceled => FollowEnd::Canceled,
            Status::Completed | Status::Created | Status::Running | Status::Stopping => {
                return Ok(true);
            }
        };
        Err(self.end_failure(how, story))
    }

    fn end_failure(&self, how: FollowEnd, story: &Story) -> Failure {
        let id = story.debate.id.as_str();
        let command = |words: &[&str]| self.context.command(words);
        let again = match how {
            FollowEnd::Failed => {
                let retry = command(&["run", "retry", id, "--follow"]);
                format!("fix the problem, then run `{retry}`")
            }
            FollowEnd::Stopped | FollowEnd::Interrupted => {
                format!("resume the run with `{}`", command(&["run", "resume", id, "--follow"]))
            }
            FollowEnd::Canceled => {
                let show = command(&["run", "show", id]);
                format!("a cancelled run cannot be resumed; show it with `{show}`")
            }
        };
        Failure::FollowEnded { how, message: status_message(&story.debate), again }
    }
}

/// Whether the run continues only after a command.
const fn is_idle(status: Status) -> bool {
    match status {
        Status::Created | Status::Running | Status::Stopping => false,
        Status::Stopped | Status::Failed | Status::Completed | Status::Canceled => true,
    }
}

/// False if the reader has closed standard output.
fn is_reader_present(printed: io::Result<()>) -> Result<bool, Failure> {
    match printed {
        Ok(()) => Ok(true),
        Err(err) if is_closed_pipe(&err) => Ok(false),
        Err(err) => Err(local(err)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn local(err: io::Error) -> Failure {
    Failure::Local(err.to_string())
}
