//! The live output of a run: complete turns everywhere, and on a terminal also partial answers.

mod screen;
#[cfg(test)]
mod tests;
mod turn_assembler;

pub(crate) use turn_assembler::TurnAssembler;

use std::io;
use std::time::Instant;

use debate_render::runner::{
    actor_with_side, markdown_ending, markdown_heading, markdown_turn, status_label,
};
use debate_render::{duration, grouped, visible};
use debate_wire::agent::Response;
use debate_wire::runner::agent::{Moment, RunEnd};
use debate_wire::runner::{Actor, Cost, Debate, Delta, Settings, Status, StatusEvent, Story, Turn};

use self::screen::{Screen, Size};
use self::turn_assembler::{DisplayUpdate, ShownText, TurnPosition};
use super::text::{heading, summary, turn, turn_footer, turn_heading};
use crate::args::Format;
use crate::output::text::TextStyle;
use crate::output::wrap::columns;
use crate::output::{Printer, ProgressLog, json_line, put};

/// Prints a run that is followed.
pub(crate) struct LiveOutput {
    printer: Printer,
    notes: ProgressLog,
    /// Whether JSON output includes the parts of unsaved answers.
    deltas: bool,
    debate: Debate,
    /// The output tokens of the saved turns. `spent_tokens` of the run is not shown, because it
    /// counts a call in progress as its maximum and would decrease after each turn.
    tokens: u64,
    /// The changing rows of a terminal; none if standard output cannot move the cursor.
    screen: Option<Screen>,
    /// The time at which `debate` was received.
    as_of: Instant,
}

/// The options of live output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveOptions {
    pub(crate) printer: Printer,
    pub(crate) notes: ProgressLog,
    pub(crate) deltas: bool,
}

impl LiveOutput {
    /// Prints the head of the run.
    pub(crate) fn begin(debate: Debate, cost: &Cost, options: LiveOptions) -> io::Result<Self> {
        let LiveOptions { printer, notes, deltas } = options;
        let screen = printer.is_live().then(|| Screen::new(terminal_size()));
        let mut show =
            Self { printer, notes, deltas, debate, tokens: 0, screen, as_of: Instant::now() };
        let opening = match printer.format {
            Format::Json => event_line(&Moment::Debate(Box::new(show.debate.clone()))),
            Format::Markdown => markdown_heading(&show.debate, cost),
            Format::Text => heading(&show.debate, show.style()),
        };
        put(&opening)?;
        show.tick()?;
        Ok(show)
    }

    fn style(&self) -> TextStyle {
        self.printer.style()
    }

    /// Whether the output changes while no event arrives.
    pub(crate) const fn is_live(&self) -> bool {
        self.screen.is_some()
    }

    /// Prints the elapsed time again.
    pub(crate) fn tick(&mut self) -> io::Result<()> {
        let progress = self.progress();
        let Some(screen) = &mut self.screen else { return Ok(()) };
        screen.size = terminal_size();
        put(&screen.progress(progress))
    }

    /// Removes the changing rows before something else is written to the terminal.
    pub(crate) fn clear_status(&mut self) -> io::Result<()> {
        self.screen.as_mut().map_or(Ok(()), |screen| put(&screen.interrupt()))
    }

    /// Removes the changing rows at the end.
    fn close(&mut self) -> io::Result<()> {
        self.screen.take().map_or(Ok(()), |mut screen| put(&screen.close()))
    }

    pub(crate) fn update(&mut self, update: DisplayUpdate) -> io::Result<()> {
        match update {
            DisplayUpdate::TurnStarted(position) => self.start_turn(position),
            DisplayUpdate::Text(delta) => self.add_text(delta),
            DisplayUpdate::Discarded => self.discard(),
            DisplayUpdate::Turn(turn, shown) => self.save_turn(*turn, shown),
            DisplayUpdate::Status(status) => self.change_status(status),
        }
    }

    fn start_turn(&mut self, position: TurnPosition) -> io::Result<()> {
        (self.debate.next_round, self.debate.next_actor) = (position.round, position.actor());
        // The raw answer of a judge is JSON; only the saved verdict is printed.
        if position.actor() == Actor::Judge {
            return self.tick();
        }
        let settings = &self.debate.settings;
        let heading = |style| turn_heading(settings, position.round, position.actor(), style);
        let (shown, plain) = (heading(self.style()), heading(TextStyle::PLAIN));
        let Some(screen) = &mut self.screen else { return Ok(()) };
        put(&screen.begin(&shown, columns(plain.trim_end())))?;
        self.tick()
    }

    fn add_text(&mut self, delta: Delta) -> io::Result<()> {
        match (&mut self.screen, self.printer.format) {
            (Some(screen), _) => put(&screen.add_text(&visible::block(&delta.text))),
            (None, Format::Json) if self.deltas => put(&event_line(&Moment::Delta(delta))),
            (None, Format::Json | Format::Markdown | Format::Text) => Ok(()),
        }
    }

    fn discard(&mut self) -> io::Result<()> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        put(&screen.discard("  Discarded: this attempt was interrupted.\n\n"))
    }

    fn save_turn(&mut self, turn: Turn, shown: ShownText) -> io::Result<()> {
        let style = self.style();
        let settings = &self.debate.settings;
        self.tokens += u64::from(turn_tokens(settings, &turn));
        if let Some(screen) = &mut self.screen {
            // A judge's answer has not been printed yet.
            let out = match shown {
                ShownText::All if turn.actor != Actor::Judge => {
                    screen.confirm(&turn_footer(settings, &turn, style))
                }
                ShownText::All | ShownText::Different | ShownText::None => {
                    let discarded = screen.discard("  The saved answer is:\n\n");
                    discarded + &screen.print(&self::turn(settings, &turn, style))
                }
            };
            return put(&out);
        }
        put(&match self.printer.format {
            Format::Json => event_line(&Moment::Turn(Box::new(turn))),
            Format::Markdown => markdown_turn(settings, &turn),
            Format::Text => self::turn(settings, &turn, style),
        })
    }

    fn change_status(&mut self, status: StatusEvent) -> io::Result<()> {
        self.set_status(&status);
        if self.printer.format == Format::Json {
            return put(&event_line(&Moment::Status(status)));
        }
        if let Some(message) = progress_message(&status) {
            self.clear_status()?;
            self.notes.print(format_args!("{message}"));
        }
        self.tick()
    }

    /// Takes over the status and the elapsed time of an event.
    pub(crate) fn set_status(&mut self, status: &StatusEvent) {
        let debate = &mut self.debate;
        (debate.status, debate.stop_reason) = (status.status, status.stop_reason);
        (debate.next_round, debate.next_actor) = (status.next_round, status.next_actor);
        debate.ran_seconds = status.ran_seconds;
        self.as_of = Instant::now();
    }

    /// Prints the final status.
    pub(crate) fn end(&mut self, story: &Story) -> io::Result<()> {
        self.discard()?;
        self.close()?;
        put(&match self.printer.format {
            Format::Json => {
                let (debate, cost) = (story.debate.clone(), story.cost.clone());
                event_line(&Moment::End(Box::new(RunEnd { debate, cost })))
            }
            Format::Markdown => markdown_ending(story),
            Format::Text => summary(story, self.style()),
        })
    }

    /// `round 2 of 5 · Debater B (con) · 1,234 of 8,000 tokens · 0:42 of 10:00`
    fn progress(&self) -> String {
        let debate = &self.debate;
        let settings = &debate.settings;
        let actor = actor_with_side(settings.debater_a_side, debate.next_actor);
        let (doing, since) = match debate.status {
            Status::Running => (actor, self.as_of.elapsed().as_secs()),
            Status::Stopping => {
                (format!("{actor}, stopping after this turn"), self.as_of.elapsed().as_secs())
            }
            status @ (Status::Created
            | Status::Stopped
            | Status::Failed
            | Status::Completed
            | Status::Canceled) => (status_label(status).to_owned(), 0),
        };
        format!(
            "round {} of {} · {doing} · {} of {} tokens · {} of {}",
            debate.next_round.min(settings.max_rounds),
            settings.max_rounds,
            grouped(self.tokens),
            grouped(settings.max_total_output_tokens.into()),
            duration(debate.ran_seconds + since),
            duration(settings.max_runtime_seconds.into()),
        )
    }
}

impl Drop for LiveOutput {
    /// An interrupted command leaves no incomplete line.
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// The output tokens of a turn, or its maximum if the provider reported none.
fn turn_tokens(settings: &Settings, turn: &Turn) -> u32 {
    let allowed = match turn.actor {
        Actor::DebaterA | Actor::DebaterB => settings.max_tokens_debater,
        Actor::Judge => settings.max_tokens_judge,
    };
    turn.usage.completion_tokens.unwrap_or(allowed)
}

fn event_line(event: &Moment) -> String {
    json_line(&Response::new(event))
}

/// The progress message of a status change, if there is one.
fn progress_message(status: &StatusEvent) -> Option<String> {
    match (status.status, &status.last_error) {
        (Status::Created, _) => Some("the run has not been started yet".to_owned()),
        (Status::Running, Some(error)) => Some(format!("retrying after an error: {error}")),
        (Status::Stopping, _) => Some("the run stops after the current turn".to_owned()),
        // The summary reports the end.
        (Status::Running, None)
        | (Status::Stopped | Status::Failed | Status::Completed | Status::Canceled, _) => None,
    }
}

/// The size of the terminal; 80 by 24 if it is unknown.
fn terminal_size() -> Size {
    let told = rustix::termios::tcgetwinsize(io::stdout()).ok();
    let told = told.filter(|told| told.ws_col > 0 && told.ws_row > 0);
    told.map_or(Size { columns: 80, rows: 24 }, |told| Size {
        columns: told.ws_col.into(),
        rows: told.ws_row.into(),
    })
}
