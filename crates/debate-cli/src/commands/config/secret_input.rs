//! Reads a secret: from a terminal without showing it, or from standard input.

use std::io::{self, IsTerminal, Read, Stdin, Write};

use debate_settings::ValueKind;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::failure::Failure;

/// The most bytes of a secret.
const SECRET_BYTES_MAX: u64 = 4096;

pub(super) fn read(question: &str) -> Result<String, Failure> {
    let stdin = io::stdin();
    let failed = |err: io::Error| Failure::Local(err.to_string());
    let text = if stdin.is_terminal() {
        ask(question, &stdin).map_err(failed)?
    } else {
        let mut text = String::new();
        stdin.lock().take(SECRET_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
        Some(text)
    };
    let text = text.ok_or_else(|| Failure::input("cancelled", "run the command again"))?;
    let secret = text.trim();
    if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        // The value is not shown, because it may be a real key with a mistake.
        let message = format!("the key must consist of {}", ValueKind::Secret);
        return Err(Failure::input(message, "copy the key from the provider's page again"));
    }
    Ok(secret.to_owned())
}

/// A terminal that shows no input. Dropping it restores the terminal.
struct SilentTerminal<'t> {
    terminal: &'t Stdin,
    before: Termios,
}

impl<'t> SilentTerminal<'t> {
    fn new(terminal: &'t Stdin) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut silent = before.clone();
        // Ctrl-C arrives as a character, so that the terminal is restored after it too.
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        tcsetattr(terminal, OptionalActions::Flush, &silent)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for SilentTerminal<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
    }
}

/// One line of the terminal; none if the person pressed Ctrl-C.
fn ask(question: &str, terminal: &Stdin) -> io::Result<Option<String>> {
    // Silent before the question: a program that answers it must not be shown.
    let silent = SilentTerminal::new(terminal)?;
    write!(io::stderr(), "{question}")?;
    io::stderr().flush()?;
    let mut line = Vec::new();
    let mut is_cancelled = false;
    for byte in terminal.lock().take(SECRET_BYTES_MAX).bytes() {
        match byte? {
            b'\n' | b'\r' | 0x04 => break,
            0x03 => {
                is_cancelled = true;
                break;
            }
            0x08 | 0x7f => {
                line.pop();
            }
            other => line.push(other),
        }
    }
    drop(silent);
    writeln!(io::stderr())?;
    Ok((!is_cancelled).then(|| String::from_utf8_lossy(&line).into_owned()))
}
