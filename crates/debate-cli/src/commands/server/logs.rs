//! Prints the log of the background server.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use debate_render::visible;

use crate::args::LogsArgs;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::output::{CommandOutput, is_closed_pipe, put};
use crate::service;

/// The pause between two reads of a log that is followed.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The most bytes that are read at once. A server empties its log at 4 MB.
const READ_BYTES_MAX: u64 = 8 * 1024 * 1024;

pub(super) async fn logs(
    args: &LogsArgs,
    context: &CommandContext<'_>,
) -> Result<CommandOutput, Failure> {
    let path = service::log_path(context)?;
    let failed = |cause: io::Error| {
        if cause.kind() != io::ErrorKind::NotFound {
            return Failure::from_file(&path, cause);
        }
        let port = context.settings.url.port;
        let message = format!("no log: `aw` has started no background server on port {port}");
        Failure::input(message, "start one with `aw open`")
    };
    let (text, mut position) = read_from(&path, 0).map_err(failed)?;
    let lines: Vec<_> = text.lines().collect();
    let first = lines.len().saturating_sub(args.lines);
    let last_lines = lines.get(first..).unwrap_or_default().join("\n");
    if !print(&last_lines)? || !args.follow {
        return Ok(CommandOutput::Printed);
    }
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let (text, read_to) = read_from(&path, position).map_err(failed)?;
        position = read_to;
        if !print(text.trim_end_matches('\n'))? {
            return Ok(CommandOutput::Printed);
        }
    }
}

/// The complete lines after `position`, and the position after them. A log that is shorter was
/// emptied by the server and is read from its start.
fn read_from(path: &Path, position: u64) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = if length < position { 0 } else { position };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(READ_BYTES_MAX).read_to_end(&mut bytes)?;
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(complete);
    let end = start.saturating_add(u64::try_from(complete).unwrap_or(u64::MAX));
    Ok((String::from_utf8_lossy(&bytes).into_owned(), end))
}

/// Prints lines. False if the reader has closed standard output.
fn print(lines: &str) -> Result<bool, Failure> {
    if lines.is_empty() {
        return Ok(true);
    }
    match put(&format!("{}\n", visible::block(lines))) {
        Ok(()) => Ok(true),
        Err(err) if is_closed_pipe(&err) => Ok(false),
        Err(err) => Err(Failure::Local(err.to_string())),
    }
}
