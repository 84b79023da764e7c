//! Local commands: the prompt on standard input, the answer on standard output.
//!
//! A command runs without a shell in a process group of its own. The group is killed however the
//! call ends, because an abandoned program must not continue to work and to cause costs.

use std::io;
use std::process::{ExitStatus, Stdio};

use debate_app::llm::{Answer, DeltaSender, FinishReason, LlmError, LlmRequest};
use debate_core::{Prompt, Usage};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use crate::config::LocalCommand;
use crate::error;
use crate::limits::text_bytes_max;

/// The last bytes of standard error that are kept; the reason of a failure is at the end.
const STDERR_BYTES_MAX: usize = 500;

/// A line of standard error with this many consecutive words of the prompt repeats the prompt.
const REPEATED_RUN_LENGTH: usize = 3;

/// Runs the command once. Its usage is unknown and counts as all tokens that were allowed.
pub(crate) async fn call(
    command: &LocalCommand,
    request: &LlmRequest,
    deltas: DeltaSender,
) -> Result<Answer, LlmError> {
    let running = RunningCommand::start(command).map_err(|err| {
        let message = format!("cannot start {}: {}", request.model, err.kind());
        error::permanent(message, Usage::ZERO)
    })?;
    match timeout(command.timeout, running.exchange(request, deltas)).await {
        Ok(Ok(finished)) => finished.into_answer(request),
        Ok(Err(ReadFailure::TooLong(bytes))) => {
            Ok(answer(&String::from_utf8_lossy(&bytes), FinishReason::Truncated))
        }
        Ok(Err(ReadFailure::Io(err))) => {
            let message = format!("reading the output of {} failed: {}", request.model, err.kind());
            Err(error::transient(message, Usage::UNREPORTED))
        }
        Err(_) => {
            let seconds = command.timeout.as_secs();
            let message = format!("{} did not answer within {seconds} s", request.model);
            Err(error::transient(message, Usage::UNREPORTED))
        }
    }
}

fn answer(text: &str, finish_reason: FinishReason) -> Answer {
    let text = text.trim().replace('\0', "\u{fffd}");
    Answer { text, finish_reason, usage: Usage::UNREPORTED, model: None }
}

/// A program that ended.
struct FinishedCommand {
    bytes: Vec<u8>,
    stderr: String,
    status: ExitStatus,
}

/// The reason why the output was not read to its end.
enum ReadFailure {
    /// The output is longer than an answer may be.
    TooLong(Vec<u8>),
    /// Reading the output failed.
    Io(io::Error),
}

impl From<io::Error> for ReadFailure {
    fn from(err: io::Error) -> Self {
        Self::Io(err)
    }
}

/// A running program. The group is dropped first, while its leader still has its process id.
struct RunningCommand {
    group: ProcessGroup,
    child: Child,
}

/// Kills a process group on drop, unless its leader has ended and its process id may be reused.
struct ProcessGroup(Option<Pid>);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // The only possible error is that the group has ended.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl RunningCommand {
    fn start(command: &LocalCommand) -> io::Result<Self> {
        let (program, arguments) =
            command.argv.split_first().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let mut run = Command::new(program);
        run.args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        for variable in &command.withheld {
            run.env_remove(variable);
        }
        let child = run.spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Ok(Self { group: ProcessGroup(leader), child })
    }

    async fn exchange(
        mut self,
        request: &LlmRequest,
        deltas: DeltaSender,
    ) -> Result<FinishedCommand, ReadFailure> {
        let piped = "all three were asked for";
        let stdin = self.child.stdin.take().expect(piped);
        let stdout = self.child.stdout.take().expect(piped);
        let errors = self.child.stderr.take().expect(piped);
        // Concurrently: a program may write before it has read its whole input.
        let ((), bytes, stderr) = tokio::try_join!(
            write_prompt(stdin, &request.prompt),
            read_answer(stdout, text_bytes_max(request), deltas),
            read_tail(errors)
        )?;
        let status = self.child.wait().await?;
        self.group.0 = None;
        Ok(FinishedCommand { bytes, stderr, status })
    }
}

async fn write_prompt(mut stdin: ChildStdin, prompt: &Prompt) -> Result<(), ReadFailure> {
    let texts: Vec<&str> = prompt.iter().map(|message| message.text.as_str()).collect();
    // A program that does not read all of it may still answer.
    let _ = stdin.write_all(texts.join("\n\n").as_bytes()).await;
    let _ = stdin.shutdown().await;
    Ok(())
}

async fn read_answer(
    mut stdout: impl AsyncRead + Unpin,
    most: usize,
    mut deltas: DeltaSender,
) -> Result<Vec<u8>, ReadFailure> {
    let mut bytes = Vec::new();
    let mut shown = 0;
    while stdout.read_buf(&mut bytes).await? > 0 {
        let too_much = bytes.len() > most;
        bytes.truncate(most);
        // Only complete characters are shown; invalid bytes are an error at the end.
        let rest = bytes.get(shown..).unwrap_or_default();
        let whole = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        deltas.push(&whole.replace('\0', "\u{fffd}"));
        shown += whole.len();
        if too_much {
            bytes.truncate(shown);
            return Err(ReadFailure::TooLong(bytes));
        }
    }
    Ok(bytes)
}

/// The end of standard error. All of it is read, because a full pipe would block the program.
async fn read_tail(mut stderr: impl AsyncRead + Unpin) -> Result<String, ReadFailure> {
    let mut kept = Vec::new();
    while stderr.read_buf(&mut kept).await? > 0 {
        let surplus = kept.len().saturating_sub(STDERR_BYTES_MAX);
        kept.drain(..surplus);
    }
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

impl FinishedCommand {
    fn into_answer(self, request: &LlmRequest) -> Result<Answer, LlmError> {
        let Self { bytes, stderr, status } = self;
        let failed = |what: &str| {
            let message = format!("{} {what}{}", request.model, describe(&stderr, &request.prompt));
            error::transient(message, Usage::UNREPORTED)
        };
        if !status.success() {
            return Err(failed(&format!("failed with {status}")));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| failed("wrote output that is not UTF-8"))?;
        if text.trim().is_empty() {
            return Err(failed("wrote no output"));
        }
        Ok(answer(&text, FinishReason::Complete))
    }
}

/// Standard error as the end of a message: one line, without control characters, and without lines
/// that repeat the prompt.
fn describe(stderr: &str, prompt: &Prompt) -> String {
    let repeats_prompt = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut runs = words.windows(REPEATED_RUN_LENGTH.min(words.len())).map(|run| run.join(" "));
        runs.any(|run| prompt.iter().any(|message| message.text.contains(&run)))
    };
    let lines = stderr.lines().filter(|line| !line.trim().is_empty());
    let mut lines: Vec<String> = lines
        .map(|line| if repeats_prompt(line) { "[prompt omitted]" } else { line })
        .map(|line| line.replace(char::is_control, " ").trim().to_owned())
        .collect();
    lines.dedup();
    if lines.is_empty() { String::new() } else { format!(": {}", lines.join(" / ")) }
}
