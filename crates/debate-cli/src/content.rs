//! The content of an argument or a forum item, from a flag, a file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::fault::Fault;

/// More than any server can be told to take: the rest need not be read to know that it is too much.
const BYTES_MAX: u64 = 1024 * 1024;

const CHOICE: &str = "pass exactly one of --file PATH, --content TEXT and --stdin";

/// Where content comes from; exactly one of them.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ContentArgs {
    /// Read the content from this file
    #[arg(long, value_name = "PATH", help_heading = "Content (exactly one)")]
    file: Option<PathBuf>,
    /// Use this text as the content
    #[arg(long, value_name = "TEXT", help_heading = "Content (exactly one)")]
    content: Option<String>,
    /// Read the content from standard input
    #[arg(long, help_heading = "Content (exactly one)")]
    stdin: bool,
}

impl ContentArgs {
    /// The content, which must say something.
    pub(crate) fn read(&self) -> Result<String, Fault> {
        let none = || Fault::input("the content is missing", CHOICE);
        self.read_if_given()?.ok_or_else(none)
    }

    /// The content, if any was given.
    pub(crate) fn read_if_given(&self) -> Result<Option<String>, Fault> {
        let content = match (&self.file, &self.content, self.stdin) {
            (None, None, false) => return Ok(None),
            (Some(path), None, false) => from_file(path)?,
            (None, Some(text), false) => text.clone(),
            (None, None, true) => from_stdin()?,
            (Some(_), Some(_), _) | (Some(_), None, true) | (None, Some(_), true) => {
                return Err(Fault::input("the content is given more than once", CHOICE));
            }
        };
        if content.trim().is_empty() {
            return Err(Fault::input("the content is empty", "pass some text"));
        }
        Ok(Some(content))
    }
}

/// What is in a file that holds text.
pub(crate) fn from_file(path: &Path) -> Result<String, Fault> {
    let failed = |cause| Fault::of_file(path, cause);
    let file = File::open(path).map_err(failed)?;
    let bytes = bounded(file).map_err(failed)?;
    as_text(bytes, &path.display().to_string())
}

fn from_stdin() -> Result<String, Fault> {
    let failed = |cause| Fault::of_file(Path::new("standard input"), cause);
    let bytes = bounded(io::stdin().lock()).map_err(failed)?;
    as_text(bytes, "standard input")
}

fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn as_text(bytes: Vec<u8>, source: &str) -> Result<String, Fault> {
    if u64::try_from(bytes.len()).is_ok_and(|length| length > BYTES_MAX) {
        return Err(Fault::TooLarge { most: BYTES_MAX });
    }
    String::from_utf8(bytes).map_err(|err| {
        let at = err.utf8_error().valid_up_to();
        let message = format!("{source} is not valid UTF-8 text: invalid byte at offset {at}");
        Fault::input(message, "pass text only; describe a binary file instead of sending it")
    })
}
