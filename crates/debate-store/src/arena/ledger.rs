//! How a write goes, whatever the engine: load, let the rules decide, and only then persist.

use debate_app::arena::{AppendArgument, ArenaError, OpenDebate, WriteOutcome, WrittenArgument};
use debate_app::sabotage::{self, Sabotage};
use debate_core::arena::{self, Debate, Head, StoredArgument};
use debate_core::{ArgumentId, DebateId, Fingerprint, RequestKey, Seq};
use jiff::Timestamp;

use super::Effects;
use crate::notifications::Notifications;

/// One open transaction, as far as a write needs it.
pub(crate) trait Ledger {
    /// How it fails.
    type Fault: Into<ArenaError>;

    /// The debate where it stands.
    fn head(&mut self, debate: DebateId) -> Result<Option<Head>, Self::Fault>;

    /// What was written under a request key before.
    fn by_key(
        &mut self,
        debate: DebateId,
        key: &RequestKey,
    ) -> Result<Option<StoredArgument>, Self::Fault>;

    /// The debate an argument belongs to: nearly always the one in which it is answered.
    fn home_of(
        &mut self,
        argument: ArgumentId,
        likely: DebateId,
    ) -> Result<Option<DebateId>, Self::Fault>;

    /// Keeps a new debate, whose motion comes next.
    fn add_debate(
        &mut self,
        debate: &Debate,
        auto_ruling: Option<bool>,
        motion: &str,
    ) -> Result<(), Self::Fault>;

    /// Keeps a new argument.
    fn add_argument(&mut self, entry: &StoredArgument) -> Result<(), Self::Fault>;

    /// Moves a debate on to where its newest argument left it.
    fn move_on(&mut self, from: &Head, to: &Debate, last_seq: Seq) -> Result<(), Self::Fault>;

    /// Whether a debate with this id was deleted.
    fn is_deleted(&mut self, debate: DebateId) -> Result<bool, Self::Fault>;

    /// Deletes a debate with its arguments, and leaves a tombstone with its id.
    fn forget(&mut self, head: &Head, at: Timestamp) -> Result<(), Self::Fault>;

    /// What is owed at the end.
    fn effects(&mut self) -> &mut Effects;

    /// Who is told after it.
    fn notifications(&mut self) -> &mut Notifications;
}

/// Opens a debate, unless its id is taken or belonged to a deleted debate.
pub(crate) fn open<L: Ledger>(
    ledger: &mut L,
    open: &OpenDebate,
    asked: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    let OpenDebate { opening, at } = open;
    if let Some(head) = ledger.head(opening.debate).map_err(Into::into)? {
        let earlier = ledger
            .by_key(opening.debate, &opening.key)
            .map_err(Into::into)?
            .ok_or(ArenaError::DebateExists(opening.debate))?;
        return replay(head, earlier, asked);
    }
    if ledger.is_deleted(opening.debate).map_err(Into::into)? {
        return Err(ArenaError::DebateDeleted(opening.debate));
    }
    let opened = arena::open(opening, *at);
    let motion = StoredArgument { argument: opened.motion, fingerprint: Some(asked) };
    ledger
        .add_debate(&opened.debate, opening.auto_ruling, opening.motion.as_str())
        .and_then(|()| ledger.add_argument(&motion))
        .map_err(Into::into)?;
    ledger.effects().opened(opened.debate.state, Seq::FIRST);
    ledger.notifications().add(opening.debate);
    Ok(WrittenArgument {
        debate: opened.debate,
        argument: motion.argument,
        outcome: WriteOutcome::Fresh,
    })
}

/// Adds an argument, if the rules allow it where the debate stands.
pub(crate) fn append<L: Ledger>(
    ledger: &mut L,
    append: &AppendArgument,
    asked: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    let AppendArgument { debate, draft, at, auto_ruling } = append;
    let head = ledger.head(*debate).map_err(Into::into)?;
    let head = head.ok_or(ArenaError::NoSuchDebate(*debate))?;
    if let Some(earlier) = ledger.by_key(*debate, &draft.key).map_err(Into::into)? {
        return replay(head, earlier, asked);
    }
    if let Some(target) = draft.target {
        belongs(ledger, target, *debate)?;
    }
    let mut step = arena::decide(&head, draft, *at, *auto_ruling)?;
    if sabotage::is(Sabotage::GapInSeq) && step.last_seq.number() % 8 == 0 {
        step.last_seq = step.last_seq.next();
        step.argument.seq = step.last_seq;
    }
    let entry = StoredArgument { argument: step.argument, fingerprint: Some(asked) };
    ledger.add_argument(&entry).map_err(Into::into)?;
    if let Some(argument) = step.ruling {
        ledger.add_argument(&StoredArgument { argument, fingerprint: None }).map_err(Into::into)?;
    }
    ledger.move_on(&head, &step.debate, step.last_seq).map_err(Into::into)?;
    let from = (head.debate.state, head.last_seq);
    ledger.effects().changed(from, (step.debate.state, step.last_seq));
    ledger.notifications().add(*debate);
    Ok(WrittenArgument {
        debate: step.debate,
        argument: entry.argument,
        outcome: WriteOutcome::Fresh,
    })
}

/// Deletes a debate with its arguments, and leaves a tombstone with its id.
pub(crate) fn delete<L: Ledger>(
    ledger: &mut L,
    debate: DebateId,
    at: Timestamp,
) -> Result<(), ArenaError> {
    let head = ledger.head(debate).map_err(Into::into)?;
    let head = head.ok_or(ArenaError::NoSuchDebate(debate))?;
    ledger.forget(&head, at).map_err(Into::into)?;
    ledger.effects().deleted(head.debate.state, head.last_seq);
    ledger.notifications().add(debate);
    Ok(())
}

/// The same key came before: the same request gets the first answer, another one a refusal.
fn replay(
    head: Head,
    earlier: StoredArgument,
    asked: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    let same = earlier.fingerprint == Some(asked);
    if !same && !sabotage::is(Sabotage::SkipFingerprint) {
        return Err(ArenaError::KeyReused);
    }
    Ok(WrittenArgument {
        debate: head.debate,
        argument: earlier.argument,
        outcome: WriteOutcome::Replayed,
    })
}

fn belongs<L: Ledger>(
    ledger: &mut L,
    argument: ArgumentId,
    debate: DebateId,
) -> Result<(), ArenaError> {
    match ledger.home_of(argument, debate).map_err(Into::into)? {
        None => Err(ArenaError::NoSuchArgument(argument)),
        Some(home) if home != debate => Err(ArenaError::ForeignArgument { argument, debate }),
        Some(_) => Ok(()),
    }
}
