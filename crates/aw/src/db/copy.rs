//! `aw db copy`: copies a whole database into an empty one, or nothing.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use anyhow::Context;
use debate_app::arena;
use debate_app::forum::ForumProgress;
use debate_app::moving::{Account, Copied, Progress, copy};
use debate_app::runner::RunProgress;

use crate::database::Place;

/// Interval between two progress lines.
const TELL_EVERY: Duration = Duration::from_secs(1);

pub(super) async fn make(from: &Place, to: &Place) -> anyhow::Result<()> {
    let (shown_from, shown_to) = (from.shown()?, to.shown()?);
    let copied = all_of(from, to)
        .await
        .with_context(|| format!("cannot copy {shown_from} to {shown_to}"))?;
    tell_of_stale(&copied.read, "the copy is correct");
    let mut out = stdout().lock();
    writeln!(out, "copied {shown_from} to {shown_to}")?;
    writeln!(out, "  read     {}", copied.read)?;
    writeln!(out, "  written  {}", copied.written)?;
    writeln!(out, "  verified: identical content, and the replay of every debate and run")?;
    Ok(())
}

async fn all_of(from: &Place, to: &Place) -> anyhow::Result<Copied> {
    // The source first, so that a source that cannot be read leaves no new destination behind.
    let mut source = from.read().await?;
    let mut destination = to.fill().await?;
    let mut told = Instant::now();
    let mut tell = |progress| {
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            match progress {
                Progress::Arena(arena::Progress::Copied(count)) => {
                    eprintln!("{count} arguments copied");
                }
                Progress::Arena(arena::Progress::Verified(count)) => {
                    eprintln!("{count} arguments verified");
                }
                Progress::Runner(RunProgress::Copied(count)) => eprintln!("{count} runs copied"),
                Progress::Runner(RunProgress::Verified(count)) => {
                    eprintln!("{count} runs verified");
                }
                Progress::Forum(ForumProgress::Copied(count)) => {
                    eprintln!("{count} forum rows copied");
                }
                Progress::Forum(ForumProgress::Verified(count)) => {
                    eprintln!("{count} forum rows verified");
                }
            }
        }
    };
    Ok(copy(&mut *source, &mut *destination, &mut tell).await?)
}

/// Warns about derived data of the source that is out of date; only lists and searches use it.
pub(super) fn tell_of_stale(account: &Account, remedy: &str) {
    if let Some(stale) = account.arena.stale {
        eprintln!("aw: warning: in the source, {stale}; {remedy}");
    }
}
