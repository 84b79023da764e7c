//! The arena's writes, once for both engines: load, let the rules decide, and only then save.

use debate_app::arena::{AppendArgument, ArenaError, OpenDebate, WriteOutcome, WrittenArgument};
use debate_core::arena::{self, Debate, Head, StoredArgument};
use debate_core::{ArgumentId, DebateId, Fingerprint, RequestKey, Seq};
use jiff::Timestamp;

use super::CounterChanges;
use crate::notifications::Notifications;

/// An open transaction of an engine: the reads and writes that the arena's operations need.
pub(crate) trait Ledger {
    /// A failure of the engine.
    type Error: Into<ArenaError>;

    /// The debate in its current state.
    fn head(&mut self, debate: DebateId) -> Result<Option<Head>, Self::Error>;

    /// The argument that an earlier request with this idempotency key added.
    fn find_by_key(
        &mut self,
        debate: DebateId,
        key: &RequestKey,
    ) -> Result<Option<StoredArgument>, Self::Error>;

    /// The debate that an argument belongs to. `likely` is the debate of the reply, which is
    /// nearly always the result.
    fn find_debate(
        &mut self,
        argument: ArgumentId,
        likely: DebateId,
    ) -> Result<Option<DebateId>, Self::Error>;

    /// Adds a new debate. Its motion is added next.
    fn add_debate(
        &mut self,
        debate: &Debate,
        auto_ruling: Option<bool>,
        motion: &str,
    ) -> Result<(), Self::Error>;

    /// Adds an argument at the end of its debate.
    fn add_argument(&mut self, entry: &StoredArgument) -> Result<(), Self::Error>;

    /// Saves the state that the newest argument led to.
    fn save_state(&mut self, from: &Head, to: &Debate, last_seq: Seq) -> Result<(), Self::Error>;

    /// Whether a debate with this id was deleted.
    fn is_deleted(&mut self, debate: DebateId) -> Result<bool, Self::Error>;

    /// Deletes a debate with its arguments, and leaves a tombstone with its id.
    fn delete_debate(&mut self, head: &Head, at: Timestamp) -> Result<(), Self::Error>;

    /// The counter changes that are written at the end of the transaction.
    fn counters(&mut self) -> &mut CounterChanges;

    /// The subjects whose subscribers are notified after the commit.
    fn notifications(&mut self) -> &mut Notifications;
}

/// Opens a debate, unless its id is in use or belonged to a deleted debate.
pub(crate) fn open<L: Ledger>(
    ledger: &mut L,
    open: &OpenDebate,
    fingerprint: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    let OpenDebate { opening, at } = open;
    if let Some(head) = ledger.head(opening.debate).map_err(Into::into)? {
        let earlier = ledger
            .find_by_key(opening.debate, &opening.key)
            .map_err(Into::into)?
            .ok_or(ArenaError::DebateExists(opening.debate))?;
        return replay(head, earlier, fingerprint);
    }
    if ledger.is_deleted(opening.debate).map_err(Into::into)? {
        return Err(ArenaError::DebateDeleted(opening.debate));
    }
    let opened = arena::open(opening, *at);
    let motion = StoredArgument { argument: opened.motion, fingerprint: Some(fingerprint) };
    ledger
        .add_debate(&opened.debate, opening.auto_ruling, opening.motion.as_str())
        .and_then(|()| ledger.add_argument(&motion))
        .map_err(Into::into)?;
    ledger.counters().add(opened.debate.state, Seq::FIRST);
    ledger.notifications().add(opening.debate);
    Ok(WrittenArgument {
        debate: opened.debate,
        argument: motion.argument,
        outcome: WriteOutcome::Fresh,
    })
}

/// Adds an argument if the rules allow it in the current state of the debate.
pub(crate) fn append<L: Ledger>(
    ledger: &mut L,
    append: &AppendArgument,
    fingerprint: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    let AppendArgument { debate, draft, at, auto_ruling } = append;
    let head = ledger.head(*debate).map_err(Into::into)?;
    let head = head.ok_or(ArenaError::UnknownDebate(*debate))?;
    if let Some(earlier) = ledger.find_by_key(*debate, &draft.key).map_err(Into::into)? {
        return replay(head, earlier, fingerprint);
    }
    if let Some(target) = draft.target {
        check_target(ledger, target, *debate)?;
    }
    let step = arena::decide(&head, draft, *at, *auto_ruling)?;
    let entry = StoredArgument { argument: step.argument, fingerprint: Some(fingerprint) };
    ledger.add_argument(&entry).map_err(Into::into)?;
    if let Some(argument) = step.ruling {
        ledger.add_argument(&StoredArgument { argument, fingerprint: None }).map_err(Into::into)?;
    }
    ledger.save_state(&head, &step.debate, step.last_seq).map_err(Into::into)?;
    let from = (head.debate.state, head.last_seq);
    ledger.counters().change(from, (step.debate.state, step.last_seq));
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
    let head = head.ok_or(ArenaError::UnknownDebate(debate))?;
    ledger.delete_debate(&head, at).map_err(Into::into)?;
    ledger.counters().remove(head.debate.state, head.last_seq);
    ledger.notifications().add(debate);
    Ok(())
}

/// Answers a request whose idempotency key was used before: the same request gets the first answer,
/// another one is refused.
fn replay(
    head: Head,
    earlier: StoredArgument,
    fingerprint: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    if earlier.fingerprint != Some(fingerprint) {
        return Err(ArenaError::KeyReused);
    }
    Ok(WrittenArgument {
        debate: head.debate,
        argument: earlier.argument,
        outcome: WriteOutcome::Replayed,
    })
}

fn check_target<L: Ledger>(
    ledger: &mut L,
    argument: ArgumentId,
    debate: DebateId,
) -> Result<(), ArenaError> {
    match ledger.find_debate(argument, debate).map_err(Into::into)? {
        None => Err(ArenaError::UnknownArgument(argument)),
        Some(home) if home != debate => Err(ArenaError::ForeignArgument { argument, debate }),
        Some(_) => Ok(()),
    }
}
