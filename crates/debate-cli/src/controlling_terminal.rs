//! The controlling terminal of this process, whatever standard input and output are. A program
//! without a terminal cannot answer a question that is asked here.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

use debate_render::visible;

use crate::failure::Failure;

/// The most bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 64;

/// The terminal, open for a question.
pub(crate) struct ControllingTerminal(File);

impl ControllingTerminal {
    /// Opens the terminal; fails if the process has none.
    pub(crate) fn open() -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).open("/dev/tty").map(Self)
    }

    /// Asks a question and returns whether the answer is yes.
    pub(crate) fn confirm(&mut self, question: &str) -> Result<bool, Failure> {
        let failed = |err: io::Error| Failure::Local(err.to_string());
        write!(self.0, "{} [y/N] ", visible::line(question)).map_err(failed)?;
        let answer = self.read_line().map_err(failed)?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// One line. Reading byte by byte leaves the rest for the next reader.
    fn read_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < ANSWER_BYTES_MAX && self.0.read(&mut byte)? > 0 && byte != *b"\n" {
            line.extend(byte);
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }
}
