//! The content of an argument or a forum item, from a flag, a file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The maximum number of bytes that are read; no server can be configured to accept more.
const BYTES_MAX: u64 = 1024 * 1024;

const CHOICE: &str = "pass exactly one of --file PATH, --content TEXT and --stdin";

/// The source of the content, exactly one.
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
    /// The content, which must not be empty.
    pub(crate) fn read(&self) -> Result<String, Failure> {
        let none = || Failure::input("the content is missing", CHOICE);
        self.read_optional()?.ok_or_else(none)
    }

    /// The content, if there is a source.
    pub(crate) fn read_optional(&self) -> Result<Option<String>, Failure> {
        let content = match (&self.file, &self.content, self.stdin) {
            (None, None, false) => return Ok(None),
            (Some(path), None, false) => read_file(path)?,
            (None, Some(text), false) => text.clone(),
            (None, None, true) => read_stdin()?,
            (Some(_), Some(_), _) | (Some(_), None, true) | (None, Some(_), true) => {
                return Err(Failure::input("the content is given more than once", CHOICE));
            }
        };
        if content.trim().is_empty() {
            return Err(Failure::input("the content is empty", "pass some text"));
        }
        Ok(Some(content))
    }
}

/// The text of an argument: given on the command line, or in a file. Exactly one of them.
pub(crate) fn read_text_or_file(
    text: Option<&str>,
    file: Option<&Path>,
) -> Result<String, Failure> {
    const TEXT_OR_FILE: &str = "pass the text, or a file with -f FILE; -f - reads standard input";
    let content = match (text, file) {
        (Some(text), None) => text.to_owned(),
        (None, Some(path)) => return read_source(path),
        (None, None) => return Err(Failure::input("the text is missing", TEXT_OR_FILE)),
        (Some(_), Some(_)) => {
            return Err(Failure::input("the text is given more than once", TEXT_OR_FILE));
        }
    };
    if content.trim().is_empty() {
        return Err(Failure::input("the text is empty", TEXT_OR_FILE));
    }
    Ok(content)
}

/// The text in a file, or on standard input for `-`. It must not be empty.
pub(crate) fn read_source(path: &Path) -> Result<String, Failure> {
    let content = if path == Path::new("-") { read_stdin()? } else { read_file(path)? };
    if content.trim().is_empty() {
        return Err(Failure::input("the content is empty", "pass some text"));
    }
    Ok(content)
}

/// The text in a file.
pub(crate) fn read_file(path: &Path) -> Result<String, Failure> {
    let failed = |cause| Failure::from_file(path, cause);
    let file = File::open(path).map_err(failed)?;
    let bytes = read_bounded(file).map_err(failed)?;
    decode(bytes, &path.display().to_string())
}

fn read_stdin() -> Result<String, Failure> {
    let failed = |cause| Failure::from_file(Path::new("standard input"), cause);
    let bytes = read_bounded(io::stdin().lock()).map_err(failed)?;
    decode(bytes, "standard input")
}

fn read_bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decode(bytes: Vec<u8>, source: &str) -> Result<String, Failure> {
    if u64::try_from(bytes.len()).is_ok_and(|length| length > BYTES_MAX) {
        return Err(Failure::TooLarge { bytes_max: BYTES_MAX });
    }
    String::from_utf8(bytes).map_err(|err| {
        let at = err.utf8_error().valid_up_to();
        let message = format!("{source} is not valid UTF-8 text: invalid byte at offset {at}");
        Failure::input(message, "pass text only; describe a binary file instead of sending it")
    })
}
