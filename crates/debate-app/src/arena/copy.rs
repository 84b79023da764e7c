//! Reading the arena's part of a database, and filling another with it, verified.

use std::collections::VecDeque;

use debate_core::arena::{Entry, Filter, Retelling};
use debate_core::{DebateId, Seal, Seq};

use super::archive::{Account, ArchiveError, Destination, Dossier, Source, Stale};

/// How far a copy is, in arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many were written.
    Copied(u64),
    /// So many of them were read back.
    Verified(u64),
}

/// Reads all of `source` and folds every debate.
pub async fn account(source: &mut dyn Source) -> Result<Account, ArchiveError> {
    Walk::default().over(source, None, &mut |_| {}).await
}

/// Fills `destination`, which must be empty, with all of `source`. What it reads back gives the
/// same account; whether it lasts is for the one who called to say.
pub async fn copy(
    source: &mut dyn Source,
    destination: &mut dyn Destination,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Copied, ArchiveError> {
    if !destination.is_empty().await? {
        return Err(ArchiveError::NotEmpty);
    }
    let mut copied = |count| progress(Progress::Copied(count));
    let read = Walk::default().over(source, Some(destination), &mut copied).await?;
    let mut verified = |count| progress(Progress::Verified(count));
    let written = Walk::default().over(destination, None, &mut verified).await?;
    if !written.agrees_with(&read) {
        return Err(ArchiveError::Different { read: Box::new(read), written: Box::new(written) });
    }
    if let Some(stale) = written.stale {
        return Err(ArchiveError::Stale(stale));
    }
    Ok(Copied { read, written })
}

/// Both sides of a copy that succeeded; they agree.
#[derive(Debug, Clone, Copy)]
pub struct Copied {
    /// What was read.
    pub read: Account,
    /// What was written, as it was read back.
    pub written: Account,
}

/// One reading of everything, from the first debate to the last argument.
#[derive(Default)]
struct Walk {
    /// Debates that were read and whose turn has not come.
    ahead: VecDeque<Dossier>,
    listed: Option<DebateId>,
    /// The debate whose arguments are being read.
    now: Option<Retelling>,
    debates: u64,
    arguments: u64,
    totals: [u64; Filter::ALL.len()],
    seal: Seal,
    stale: Option<Stale>,
}

impl Walk {
    async fn over(
        mut self,
        source: &mut dyn Source,
        mut into: Option<&mut dyn Destination>,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Account, ArchiveError> {
        let mut after: Option<(DebateId, Seq)> = None;
        loop {
            let page = source.arguments(after).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.argument.debate, last.argument.seq));
            for entry in &page {
                let debate = entry.argument.debate;
                // Both come in the order of the ids: what has been passed over is not there.
                while self.now_told() < Some(debate) {
                    if !self.turn_to_next(source, &mut into).await? {
                        return Err(ArchiveError::NoSuchDebate(debate));
                    }
                }
                if self.now_told() != Some(debate) {
                    return Err(ArchiveError::NoSuchDebate(debate));
                }
                self.hear(entry)?;
            }
            if let Some(into) = &mut into {
                into.add_arguments(&page).await?;
            }
            progress(self.arguments);
        }
        // What is left has no arguments, which its own end finds out.
        while self.turn_to_next(source, &mut into).await? {}
        self.compare_totals(source).await?;
        let Self { debates, arguments, seal, stale, .. } = self;
        Ok(Account { debates, arguments, digest: seal.digest(), stale })
    }

    fn now_told(&self) -> Option<DebateId> {
        self.now.as_ref().map(|telling| telling.head().debate.id)
    }

    /// Ends the debate at hand and begins the next, if there is one. A page of debates is handed
    /// on as soon as it is read: their arguments must find them there.
    async fn turn_to_next(
        &mut self,
        source: &mut dyn Source,
        into: &mut Option<&mut dyn Destination>,
    ) -> Result<bool, ArchiveError> {
        if let Some(told) = self.now.take() {
            let debate = told.head().debate.id;
            told.end().map_err(|unfit| ArchiveError::Unfit { debate, unfit })?;
        }
        if self.ahead.is_empty() {
            let page = source.debates(self.listed).await?;
            self.listed = page.last().map(Dossier::id).or(self.listed);
            if let Some(into) = into {
                into.add_debates(&page).await?;
            }
            self.ahead.extend(page);
        }
        let Some(dossier) = self.ahead.pop_front() else { return Ok(false) };
        self.begin(dossier);
        Ok(true)
    }

    fn begin(&mut self, dossier: Dossier) {
        if dossier.folded.as_ref() != Some(&dossier.haystack()) {
            self.stale.get_or_insert(Stale::Search(dossier.id()));
        }
        let Dossier { head, original_type, .. } = dossier;
        for (filter, total) in Filter::ALL.iter().zip(&mut self.totals) {
            *total += u64::from(filter.shows(head.debate.state, head.last_seq));
        }
        self.debates += 1;
        self.seal.debate(&head);
        self.seal.original_type(original_type.as_deref());
        self.now = Some(Retelling::of(head));
    }

    fn hear(&mut self, entry: &Entry) -> Result<(), ArchiveError> {
        let debate = entry.argument.debate;
        if let Some(telling) = &mut self.now {
            telling.hear(entry).map_err(|unfit| ArchiveError::Unfit { debate, unfit })?;
        }
        self.arguments += 1;
        self.seal.argument(entry);
        Ok(())
    }

    async fn compare_totals(&mut self, source: &mut dyn Source) -> Result<(), ArchiveError> {
        for (filter, there) in Filter::ALL.into_iter().zip(self.totals) {
            let counted = source.total(filter).await?;
            if counted != there {
                self.stale.get_or_insert(Stale::Count { counted, there });
            }
        }
        Ok(())
    }
}
