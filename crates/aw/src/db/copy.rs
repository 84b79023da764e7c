//! `aw db copy`: all of one database into another, or nothing.

use std::io::{Write, stdout};
use std::time::{Duration, Instant};

use anyhow::Context;
use debate_app::arena;
use debate_app::forum::ForumProgress;
use debate_app::moving::{Account, Copied, Progress, copy};
use debate_app::runner::RunProgress;

use crate::database::Place;

/// How often it is said how far things are.
const TELL_EVERY: Duration = Duration::from_secs(1);

pub(super) async fn make(from: &Place, to: &Place) -> anyhow::Result<()> {
    let (shown_from, shown_to) = (from.shown()?, to.shown()?);
    let copied = all_of(from, to)
        .await
        .with_context(|| format!("cannot copy {shown_from} to {shown_to}"))?;
    tell_of_stale(&copied.read, "the copy has it right");
    let mut out = stdout().lock();
    writeln!(out, "copied {shown_from} to {shown_to}")?;
    writeln!(out, "  read     {}", copied.read)?;
    writeln!(out, "  written  {}", copied.written)?;
    writeln!(out, "  verified: the same debates word for word, each folded again by the rules")?;
    Ok(())
}

async fn all_of(from: &Place, to: &Place) -> anyhow::Result<Copied> {
    // The source first: what can't be copied must not have made anything.
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
                    eprintln!("{count} rows of the forum copied");
                }
                Progress::Forum(ForumProgress::Verified(count)) => {
                    eprintln!("{count} rows of the forum verified");
                }
            }
        }
    };
    Ok(copy(&mut *source, &mut *destination, &mut tell).await?)
}

/// Lists and searches alone would notice.
pub(super) fn tell_of_stale(account: &Account, remedy: &str) {
    if let Some(stale) = account.arena.stale {
        eprintln!("aw: in the source {stale}; {remedy}");
    }
}
