//! Questions to a person at a terminal.

use std::io::{self, IsTerminal, Write};

use crate::failure::Failure;

/// The answer of a person who only presses Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultAnswer {
    Yes,
    No,
}

/// Whether a person can be asked: standard input and standard error are terminals.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question and returns whether the answer is yes.
pub(crate) fn ask(question: &str, default: DefaultAnswer) -> Result<bool, Failure> {
    let failed = |err: io::Error| Failure::Local(err.to_string());
    let choices = match default {
        DefaultAnswer::Yes => "[Y/n]",
        DefaultAnswer::No => "[y/N]",
    };
    write!(io::stderr(), "{question} {choices} ").map_err(failed)?;
    let mut answer = String::new();
    let length = io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => true,
        // The end of the input is not a consent.
        "" => length > 0 && default == DefaultAnswer::Yes,
        _ => false,
    })
}
