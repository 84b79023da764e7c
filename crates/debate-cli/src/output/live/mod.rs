//! The live output of a run: complete turns everywhere, and on a terminal also partial answers.

mod screen;
mod stage;
#[cfg(test)]
mod tests;
mod wrap;

pub(crate) use stage::Stage;

use std::io;
use std::time::Instant;

use debate_wire::agent::Response;
use debate_wire::runner::agent::{Ended, Moment};
use debate_wire::runner::{Actor, Debate, Delta, Settings, Status, StatusEvent, Story, Turn};

use self::screen::{Screen, Size};
use self::stage::{Heard, Place, Step};
use self::wrap::{columns, wrapped};
use super::text::Paint;
use super::{Notes, Printer, json_line, put, runs, safe};
use crate::args::Format;

/// Prints a run that is followed.
pub(crate) struct Show {
    printer: Printer,
    notes: Notes,
    /// Whether programs get the pieces of answers too.
    deltas: bool,
    debate: Debate,
    /// The tokens of the turns so far. What the debate has spent counts the call that is under way
    /// as all that it may cost, which would go down again with every turn.
    tokens: u64,
    /// On a terminal: its lower end, and since when the figures of `debate` are true.
    screen: Option<Screen>,
    as_of: Instant,
}

/// How a debate is to be shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) printer: Printer,
    pub(crate) notes: Notes,
    pub(crate) deltas: bool,
}

impl Show {
    /// Begins with the debate itself.
    pub(crate) fn begin(debate: Debate, manner: Manner) -> io::Result<Self> {
        let Manner { printer, notes, deltas } = manner;
        let screen = printer.can_move().then(|| Screen::new(size()));
        let mut show =
            Self { printer, notes, deltas, debate, tokens: 0, screen, as_of: Instant::now() };
        let opening = match printer.format {
            Format::Json => moment(&Moment::Debate(Box::new(show.debate.clone()))),
            Format::Markdown => runs::markdown_heading(&show.debate),
            Format::Text => runs::heading(&show.debate, show.paint()),
        };
        put(&opening)?;
        show.tick()?;
        Ok(show)
    }

    fn paint(&self) -> Paint {
        Paint { on: self.printer.colour }
    }

    /// Whether time alone changes what is shown.
    pub(crate) const fn is_live(&self) -> bool {
        self.screen.is_some()
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self) -> io::Result<()> {
        let progress = self.progress();
        let Some(screen) = &mut self.screen else { return Ok(()) };
        screen.size = size();
        put(&screen.progress(progress))
    }

    /// Leaves the terminal as it is found by whatever else writes to it.
    pub(crate) fn make_way(&mut self) -> io::Result<()> {
        self.screen.as_mut().map_or(Ok(()), |screen| put(&screen.make_way()))
    }

    /// Leaves the terminal for good.
    fn leave(&mut self) -> io::Result<()> {
        self.screen.take().map_or(Ok(()), |mut screen| put(&screen.leave()))
    }

    pub(crate) fn step(&mut self, step: Step) -> io::Result<()> {
        match step {
            Step::Begins(place) => self.begins(place),
            Step::Says(delta) => self.says(delta),
            Step::Voided => self.voided(),
            Step::Turn(turn, heard) => self.turn(*turn, heard),
            Step::Stands(status) => self.stands(status),
        }
    }

    fn begins(&mut self, place: Place) -> io::Result<()> {
        (self.debate.next_round, self.debate.next_actor) = (place.round, place.actor());
        // A judge answers in JSON, which nobody wants to read as it comes.
        if place.actor() == Actor::Judge {
            return self.tick();
        }
        let settings = &self.debate.settings;
        let headline = |paint| runs::headline(settings, place.round, place.actor(), paint);
        let (shown, plain) = (headline(self.paint()), headline(Paint { on: false }));
        let Some(screen) = &mut self.screen else { return Ok(()) };
        put(&screen.begin(&shown, columns(plain.trim_end())))?;
        self.tick()
    }

    fn says(&mut self, delta: Delta) -> io::Result<()> {
        match (&mut self.screen, self.printer.format) {
            (Some(screen), _) => put(&screen.say(&safe::block(&delta.text))),
            (None, Format::Json) if self.deltas => put(&moment(&Moment::Delta(delta))),
            (None, Format::Json | Format::Markdown | Format::Text) => Ok(()),
        }
    }

    fn voided(&mut self) -> io::Result<()> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        put(&screen.void("  Discarded: this attempt was interrupted.\n\n"))
    }

    fn turn(&mut self, turn: Turn, heard: Heard) -> io::Result<()> {
        let paint = self.paint();
        let settings = &self.debate.settings;
        self.tokens += u64::from(tokens_of(settings, &turn));
        if let Some(screen) = &mut self.screen {
            // A judge's answer is never shown as it comes, so it has to be shown now.
            let out = match heard {
                Heard::Whole if turn.actor != Actor::Judge => {
                    screen.confirm(&runs::footer(settings, &turn, paint))
                }
                Heard::Whole | Heard::Otherwise | Heard::Nothing => {
                    let voided = screen.void("  The saved answer is:\n\n");
                    voided + &screen.print(&broken(settings, &turn, screen.size, paint))
                }
            };
            return put(&out);
        }
        put(&match self.printer.format {
            Format::Json => moment(&Moment::Turn(Box::new(turn))),
            Format::Markdown => runs::markdown_turn(settings, &turn),
            Format::Text => runs::turn(settings, &turn, paint),
        })
    }

    fn stands(&mut self, status: StatusEvent) -> io::Result<()> {
        self.now(&status);
        if self.printer.format == Format::Json {
            return put(&moment(&Moment::Status(status)));
        }
        if let Some(remark) = remark(&status) {
            self.make_way()?;
            self.notes.say(format_args!("{remark}"));
        }
        self.tick()
    }

    /// The newest figures, also where the debate stands as it stood.
    pub(crate) fn now(&mut self, status: &StatusEvent) {
        let debate = &mut self.debate;
        (debate.status, debate.stop_reason) = (status.status, status.stop_reason);
        (debate.next_round, debate.next_actor) = (status.next_round, status.next_actor);
        debate.ran_seconds = status.ran_seconds;
        self.as_of = Instant::now();
    }

    /// How the debate stands now that nothing more will come.
    pub(crate) fn end(&mut self, story: &Story) -> io::Result<()> {
        self.voided()?;
        // There is no more progress to show.
        self.leave()?;
        put(&match self.printer.format {
            Format::Json => {
                let (debate, cost) = (story.debate.clone(), story.cost.clone());
                moment(&Moment::End(Box::new(Ended { debate, cost })))
            }
            Format::Markdown => runs::markdown_ending(story),
            Format::Text => runs::summary(story, self.paint()),
        })
    }

    /// `round 2 of 5 · debater B (con) · 1,234 of 8,000 tokens · 0:42 of 10:00`
    fn progress(&self) -> String {
        let debate = &self.debate;
        let settings = &debate.settings;
        let who = runs::who(settings, debate.next_actor);
        let (doing, since) = match debate.status {
            Status::Running => (who, self.as_of.elapsed().as_secs()),
            Status::Stopping => {
                (format!("{who}, stopping after this turn"), self.as_of.elapsed().as_secs())
            }
            Status::Created => ("not started".to_owned(), 0),
            Status::Stopped => ("stopped".to_owned(), 0),
            Status::Failed => ("failed".to_owned(), 0),
            Status::Completed => ("completed".to_owned(), 0),
            Status::Canceled => ("canceled".to_owned(), 0),
        };
        format!(
            "round {} of {} · {doing} · {} of {} tokens · {} of {}",
            debate.next_round.min(settings.max_rounds),
            settings.max_rounds,
            runs::figure(self.tokens),
            runs::figure(settings.max_total_output_tokens.into()),
            runs::elapsed(debate.ran_seconds + since),
            runs::elapsed(settings.max_runtime_seconds.into()),
        )
    }
}

impl Drop for Show {
    /// Whoever leaves in the middle leaves no half line.
    fn drop(&mut self) {
        let _ = self.leave();
    }
}

/// What a turn counts; all that it was allowed where nobody told.
fn tokens_of(settings: &Settings, turn: &Turn) -> u32 {
    let allowed = match turn.actor {
        Actor::DebaterA | Actor::DebaterB => settings.max_tokens_debater,
        Actor::Judge => settings.max_tokens_judge,
    };
    turn.usage.completion_tokens.unwrap_or(allowed)
}

fn moment(moment: &Moment) -> String {
    json_line(&Response::of(moment))
}

/// A turn in rows that fit.
fn broken(settings: &Settings, turn: &Turn, size: Size, paint: Paint) -> String {
    let mut out = runs::headline(settings, turn.round, turn.actor, paint);
    // Without colours: they would be counted.
    for row in wrapped(&runs::said(turn, Paint { on: false }), size.width() - 2) {
        out.push_str(format!("  {row}").trim_end());
        out.push('\n');
    }
    out.push_str(&runs::footer(settings, turn, paint));
    out
}

/// What is worth saying of a change, beside what is shown anyway.
fn remark(status: &StatusEvent) -> Option<String> {
    match (status.status, &status.last_error) {
        (Status::Created, _) => Some("the run has not been started yet".to_owned()),
        (Status::Running, Some(error)) => Some(format!("retrying after an error: {error}")),
        (Status::Stopping, _) => Some("the run stops after the current turn".to_owned()),
        // How it ended is told with all that belongs to it.
        (Status::Running, None)
        | (Status::Stopped | Status::Failed | Status::Completed | Status::Canceled, _) => None,
    }
}

/// What the terminal measures; a usual one if it does not tell.
fn size() -> Size {
    let told = rustix::termios::tcgetwinsize(io::stdout()).ok();
    let told = told.filter(|told| told.ws_col > 0 && told.ws_row > 0);
    told.map_or(Size { columns: 80, rows: 24 }, |told| Size {
        columns: told.ws_col.into(),
        rows: told.ws_row.into(),
    })
}
