//! A program of this machine, asked: the prompt on its input, the answer on its output.
//!
//! It is run as its configuration says, without a shell, in a process group of its own. However the
//! question ends, so does the group: a program that was given up must not go on working, or paying.

use std::io;
use std::process::{ExitStatus, Stdio};

use debate_app::llm::{Answer, Ask, Deltas, Finish, LlmError};
use debate_core::{Prompt, Usage};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use crate::bound::text_bytes_most;
use crate::config::LocalCommand;
use crate::fault;

/// How much of what a program complains about is kept: the end, where the reason is.
const COMPLAINT_BYTES_MOST: usize = 500;

/// A line of a complaint with so many words in a row that stand in the prompt repeats it.
const REPEATED_WORDS: usize = 3;

/// Asks once. What it cost is never told, so it counts as all that was allowed.
pub(crate) async fn ask(
    command: &LocalCommand,
    ask: &Ask,
    deltas: Deltas,
) -> Result<Answer, LlmError> {
    let running = Running::start(command).map_err(|err| {
        let sentence = format!("cannot start {}: {}", ask.model, err.kind());
        fault::permanent(sentence, Usage::NOTHING)
    })?;
    match timeout(command.timeout, running.heard_out(ask, deltas)).await {
        Ok(Ok(ended)) => ended.answer(ask),
        Ok(Err(Stop::TooMuch(bytes))) => {
            Ok(said(&String::from_utf8_lossy(&bytes), Finish::Truncated))
        }
        Ok(Err(Stop::Broke(err))) => {
            let sentence = format!("reading the output of {} failed: {}", ask.model, err.kind());
            Err(fault::transient(sentence, Usage::NOT_TOLD))
        }
        Err(_) => {
            let seconds = command.timeout.as_secs();
            let sentence = format!("{} did not answer within {seconds} s", ask.model);
            Err(fault::transient(sentence, Usage::NOT_TOLD))
        }
    }
}

fn said(text: &str, finish: Finish) -> Answer {
    let text = text.trim().replace('\0', "\u{fffd}");
    Answer { text, finish, usage: Usage::NOT_TOLD, model: None }
}

/// A program that ended by itself.
struct Ended {
    bytes: Vec<u8>,
    complaint: String,
    status: ExitStatus,
}

/// Why a program was not heard to its end.
enum Stop {
    /// It said more than an answer has.
    TooMuch(Vec<u8>),
    /// It could not be heard.
    Broke(io::Error),
}

impl From<io::Error> for Stop {
    fn from(err: io::Error) -> Self {
        Self::Broke(err)
    }
}

/// A program at work, and its group, which is ended first: while its leader still has its number.
struct Running {
    group: Group,
    child: Child,
}

/// Ends a process group, unless its leader has ended by itself and its number may be another's.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // All that can be wrong is that nobody is left.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Running {
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
        Ok(Self { group: Group(leader), child })
    }

    async fn heard_out(mut self, ask: &Ask, deltas: Deltas) -> Result<Ended, Stop> {
        let piped = "all three were asked for";
        let stdin = self.child.stdin.take().expect(piped);
        let stdout = self.child.stdout.take().expect(piped);
        let stderr = self.child.stderr.take().expect(piped);
        // All at once: a program may answer, or complain, before it has read everything.
        let ((), bytes, complaint) = tokio::try_join!(
            tell(stdin, &ask.prompt),
            listen(stdout, text_bytes_most(ask), deltas),
            tail(stderr)
        )?;
        let status = self.child.wait().await?;
        self.group.0 = None;
        Ok(Ended { bytes, complaint, status })
    }
}

async fn tell(mut stdin: ChildStdin, prompt: &Prompt) -> Result<(), Stop> {
    let texts: Vec<&str> = prompt.iter().map(|message| message.text.as_str()).collect();
    // A program that does not want to read it all may still have an answer.
    let _ = stdin.write_all(texts.join("\n\n").as_bytes()).await;
    let _ = stdin.shutdown().await;
    Ok(())
}

async fn listen(
    mut stdout: impl AsyncRead + Unpin,
    most: usize,
    mut deltas: Deltas,
) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let mut shown = 0;
    while stdout.read_buf(&mut bytes).await? > 0 {
        let too_much = bytes.len() > most;
        bytes.truncate(most);
        // Only whole letters are shown; what is no letter at all is found at the end.
        let rest = bytes.get(shown..).unwrap_or_default();
        let whole = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        deltas.push(&whole.replace('\0', "\u{fffd}"));
        shown += whole.len();
        if too_much {
            bytes.truncate(shown);
            return Err(Stop::TooMuch(bytes));
        }
    }
    Ok(bytes)
}

/// The end of what a program complains about, all of which is read: else it would have to wait.
async fn tail(mut stderr: impl AsyncRead + Unpin) -> Result<String, Stop> {
    let mut kept = Vec::new();
    while stderr.read_buf(&mut kept).await? > 0 {
        let surplus = kept.len().saturating_sub(COMPLAINT_BYTES_MOST);
        kept.drain(..surplus);
    }
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

impl Ended {
    fn answer(self, ask: &Ask) -> Result<Answer, LlmError> {
        let Self { bytes, complaint, status } = self;
        let failed = |what: &str| {
            let sentence = format!("{} {what}{}", ask.model, shown(&complaint, &ask.prompt));
            fault::transient(sentence, Usage::NOT_TOLD)
        };
        if !status.success() {
            return Err(failed(&format!("failed with {status}")));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| failed("wrote output that is not UTF-8"))?;
        if text.trim().is_empty() {
            return Err(failed("wrote no output"));
        }
        Ok(said(&text, Finish::Complete))
    }
}

/// A complaint as the end of a sentence: on one line, without what could move a terminal's cursor,
/// and without lines that repeat the prompt.
fn shown(complaint: &str, prompt: &Prompt) -> String {
    let is_the_prompts = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut runs = words.windows(REPEATED_WORDS.min(words.len())).map(|run| run.join(" "));
        runs.any(|run| prompt.iter().any(|message| message.text.contains(&run)))
    };
    let lines = complaint.lines().filter(|line| !line.trim().is_empty());
    let mut lines: Vec<String> = lines
        .map(|line| if is_the_prompts(line) { "[prompt omitted]" } else { line })
        .map(|line| line.replace(char::is_control, " ").trim().to_owned())
        .collect();
    lines.dedup();
    if lines.is_empty() { String::new() } else { format!(": {}", lines.join(" / ")) }
}
