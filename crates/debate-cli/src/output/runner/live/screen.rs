//! The changing rows at the bottom of a terminal: the last row of the unsaved answer, and the
//! progress of the run.
//!
//! The functions return the text to write. Rows are broken here and never by the terminal, so that
//! the number of rows to remove is known.

use std::fmt::Write;

use crate::output::wrap::{Wrap, clip, columns};

/// The indentation of answers.
const INDENT: &str = "  ";

/// The maximum width of a row, for legibility.
const WIDTH_MAX: usize = 100;

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Size {
    /// The width of a row. The last column is unused, because terminals differ in when they wrap.
    pub(super) fn width(self) -> usize {
        self.columns.clamp(20, WIDTH_MAX) - 1
    }
}

/// An unsaved answer on the screen.
#[derive(Debug)]
struct UnsavedAnswer {
    wrap: Wrap,
    /// The number of complete rows, including the heading.
    rows: usize,
    size: Size,
    /// Whether other output interrupts its rows, so that they cannot be removed.
    is_interrupted: bool,
}

/// The changing rows of a terminal.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) size: Size,
    answer: Option<UnsavedAnswer>,
    progress: String,
    /// The number of changing rows on the screen.
    drawn: usize,
}

impl Screen {
    pub(super) const fn new(size: Size) -> Self {
        Self { size, answer: None, progress: String::new(), drawn: 0 }
    }

    /// Removes the changing rows.
    pub(super) fn wipe(&mut self) -> String {
        let drawn = std::mem::take(&mut self.drawn);
        match drawn {
            0 => String::new(),
            1 => "\r\x1b[J".to_owned(),
            _ => format!("\r\x1b[{}A\x1b[J", drawn - 1),
        }
    }

    /// Removes the changing rows for other output. The next update prints them below it.
    pub(super) fn interrupt(&mut self) -> String {
        if let Some(answer) = &mut self.answer {
            answer.is_interrupted = true;
        }
        self.wipe()
    }

    /// Ends the live output; an incomplete answer stays visible.
    pub(super) fn close(&mut self) -> String {
        self.progress.clear();
        let below = if self.answer.is_some() { "\n" } else { "" };
        self.confirm(below)
    }

    /// Prints the changing rows.
    fn draw(&mut self) -> String {
        let mut rows = Vec::new();
        if let Some(answer) = self.answer.as_ref().filter(|answer| !answer.wrap.tail().is_empty()) {
            rows.push(format!("{INDENT}{}", answer.wrap.tail()));
        }
        if !self.progress.is_empty() {
            let progress = clip(&self.progress, self.size.width());
            rows.push(format!("\x1b[2m{progress}\x1b[0m"));
        }
        self.drawn = rows.len();
        rows.join("\n")
    }

    /// Replaces the progress row.
    pub(super) fn progress(&mut self, line: String) -> String {
        let wiped = self.wipe();
        self.progress = line;
        format!("{wiped}{}", self.draw())
    }

    /// Prints lines above the changing rows.
    pub(super) fn print(&mut self, lines: &str) -> String {
        let mut out = self.wipe();
        out.push_str(lines);
        out.push_str(&self.draw());
        out
    }

    /// Begins an answer below its heading, a line of `heading_columns` columns.
    pub(super) fn begin(&mut self, heading: &str, heading_columns: usize) -> String {
        let mut out = self.wipe();
        out.push_str(heading);
        let wrap = Wrap::new(self.size.width() - columns(INDENT));
        let rows = heading_columns.div_ceil(self.size.columns.max(1)).max(1);
        self.answer = Some(UnsavedAnswer { wrap, rows, size: self.size, is_interrupted: false });
        out.push_str(&self.draw());
        out
    }

    /// Adds text to the answer.
    pub(super) fn add_text(&mut self, piece: &str) -> String {
        let mut out = self.wipe();
        if let Some(answer) = &mut self.answer {
            for row in answer.wrap.push(piece) {
                out.push_str(format!("{INDENT}{row}").trim_end());
                out.push('\n');
                answer.rows += 1;
            }
        }
        out.push_str(&self.draw());
        out
    }

    /// Completes the answer and prints `footer` below it.
    pub(super) fn confirm(&mut self, footer: &str) -> String {
        let mut out = self.wipe();
        if let Some(answer) = self.answer.take().filter(|answer| !answer.wrap.tail().is_empty()) {
            out.push_str(format!("{INDENT}{}", answer.wrap.tail()).trim_end());
            out.push('\n');
        }
        out.push_str(footer);
        out.push_str(&self.draw());
        out
    }

    /// Removes the answer if all its rows are visible; prints `notice` below it otherwise.
    pub(super) fn discard(&mut self, notice: &str) -> String {
        let Some(answer) = &self.answer else { return String::new() };
        // Rows above the screen, or of another width, cannot be removed.
        let is_visible = answer.rows + self.drawn < self.size.rows && answer.size == self.size;
        if !is_visible || answer.is_interrupted {
            return self.confirm(notice);
        }
        let rows = answer.rows;
        let mut out = self.wipe();
        self.answer = None;
        let _ = write!(out, "\r\x1b[{rows}A\x1b[J");
        out.push_str(&self.draw());
        out
    }
}
