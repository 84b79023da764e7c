//! The lower end of a terminal: rows that stay, and below them one or two that change, the last row
//! of the answer that is being given and how far the debate has come.
//!
//! Nothing here writes: each function gives back what is to be written. Every row is broken here
//! and never by the terminal, so it is known how many there are to take back.

use std::fmt::Write;

use super::wrap::{Wrap, clipped, columns};

/// How far what is said stands from the edge.
const INDENT: &str = "  ";

/// The longest row that is good to read.
const WIDTH_MAX: usize = 100;

/// What a terminal measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Size {
    /// How long a row may be; the last column stays free, where terminals differ.
    pub(super) fn width(self) -> usize {
        self.columns.clamp(20, WIDTH_MAX) - 1
    }
}

/// An answer on the screen.
#[derive(Debug)]
struct Answer {
    wrap: Wrap,
    /// How many rows it has, its headline included, without the one that is not full.
    rows: usize,
    size: Size,
    /// Whether something else was written in between, so that its rows are not all there is.
    apart: bool,
}

/// The lower end of a terminal.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) size: Size,
    answer: Option<Answer>,
    progress: String,
    /// How many rows are there that change.
    drawn: usize,
}

impl Screen {
    pub(super) const fn new(size: Size) -> Self {
        Self { size, answer: None, progress: String::new(), drawn: 0 }
    }

    /// Takes back what changes.
    pub(super) fn wipe(&mut self) -> String {
        let drawn = std::mem::take(&mut self.drawn);
        match drawn {
            0 => String::new(),
            1 => "\r\x1b[J".to_owned(),
            _ => format!("\r\x1b[{}A\x1b[J", drawn - 1),
        }
    }

    /// Makes way for what is written by others. What changes is shown again below it.
    pub(super) fn make_way(&mut self) -> String {
        if let Some(answer) = &mut self.answer {
            answer.apart = true;
        }
        self.wipe()
    }

    /// Ends for good; half an answer stays as far as it was heard.
    pub(super) fn leave(&mut self) -> String {
        self.progress.clear();
        let below = if self.answer.is_some() { "\n" } else { "" };
        self.confirm(below)
    }

    /// Shows what changes.
    fn draw(&mut self) -> String {
        let mut rows = Vec::new();
        if let Some(answer) = self.answer.as_ref().filter(|answer| !answer.wrap.tail().is_empty()) {
            rows.push(format!("{INDENT}{}", answer.wrap.tail()));
        }
        if !self.progress.is_empty() {
            let progress = clipped(&self.progress, self.size.width());
            rows.push(format!("\x1b[2m{progress}\x1b[0m"));
        }
        self.drawn = rows.len();
        rows.join("\n")
    }

    /// Another word on how far it has come.
    pub(super) fn progress(&mut self, line: String) -> String {
        let wiped = self.wipe();
        self.progress = line;
        format!("{wiped}{}", self.draw())
    }

    /// Lines that stay.
    pub(super) fn print(&mut self, lines: &str) -> String {
        let mut out = self.wipe();
        out.push_str(lines);
        out.push_str(&self.draw());
        out
    }

    /// Begins an answer below its headline, a line that is `wide` so many columns.
    pub(super) fn begin(&mut self, headline: &str, wide: usize) -> String {
        let mut out = self.wipe();
        out.push_str(headline);
        let wrap = Wrap::new(self.size.width() - columns(INDENT));
        let rows = wide.div_ceil(self.size.columns.max(1)).max(1);
        self.answer = Some(Answer { wrap, rows, size: self.size, apart: false });
        out.push_str(&self.draw());
        out
    }

    /// More of it.
    pub(super) fn say(&mut self, piece: &str) -> String {
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

    /// The answer is whole; what comes below it stays.
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

    /// Takes back the answer if it is still in sight; says below it that it does not count if not.
    pub(super) fn void(&mut self, remark: &str) -> String {
        let Some(answer) = &self.answer else { return String::new() };
        // What has left the screen, or was broken anew by another width, can't be taken back.
        let in_sight = answer.rows + self.drawn < self.size.rows && answer.size == self.size;
        if !in_sight || answer.apart {
            return self.confirm(remark);
        }
        let rows = answer.rows;
        let mut out = self.wipe();
        self.answer = None;
        let _ = write!(out, "\r\x1b[{rows}A\x1b[J");
        out.push_str(&self.draw());
        out
    }
}
