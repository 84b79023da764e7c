//! The arena's writes, once for both engines: load, let the rules decide, and only then save.

use debate_app::arena::{
    AppendArgument, ArenaError, DeleteDebate, OpenDebate, WriteOutcome, WrittenArgument,
};
use debate_core::arena::{
    self, Credentials, Debate, Draft, Head, SeatRefusal, Side, StoredArgument, slug_candidates,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, RequestKey, Seq};
use jiff::Timestamp;

use super::CounterChanges;
use crate::notifications::Notifications;

/// An open transaction of an engine: the reads and writes that the arena's operations need.
pub(crate) trait Ledger {
    /// A failure of the engine.
    type Error: Into<ArenaError>;

    /// The debate in its current state, with its seats.
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

    /// Whether a present or deleted debate has this slug.
    fn is_slug_used(&mut self, slug: &str) -> Result<bool, Self::Error>;

    /// Adds a new debate with its seats. Its motion is added next.
    fn add_debate(&mut self, head: &Head, motion: &str) -> Result<(), Self::Error>;

    /// Adds an argument at the end of its debate.
    fn add_argument(&mut self, entry: &StoredArgument) -> Result<(), Self::Error>;

    /// Saves the state that the newest argument led to.
    fn save_state(&mut self, from: &Head, to: &Debate, last_seq: Seq) -> Result<(), Self::Error>;

    /// Saves a seat that has changed. `head` is the debate after the change.
    fn save_seat(&mut self, head: &Head, side: Side) -> Result<(), Self::Error>;

    /// Whether a debate with this id was deleted.
    fn is_deleted(&mut self, debate: DebateId) -> Result<bool, Self::Error>;

    /// Deletes a debate with its arguments and seats, and leaves a tombstone with its id and slug.
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
    let slug = find_free_slug(ledger, opening.title.as_str(), opening.debate)?;
    let opened = arena::open(opening, slug, *at);
    let motion = StoredArgument { argument: opened.motion, fingerprint: Some(fingerprint) };
    ledger
        .add_debate(&opened.head, opening.motion.as_str())
        .and_then(|()| ledger.add_argument(&motion))
        .map_err(Into::into)?;
    let debate = opened.head.debate;
    ledger.counters().add(debate.state, Seq::FIRST);
    ledger.notifications().add(opening.debate);
    Ok(WrittenArgument { debate, argument: motion.argument, outcome: WriteOutcome::Fresh })
}

/// Adds an argument if the rules allow it in the current state of the debate.
pub(crate) fn append<L: Ledger>(
    ledger: &mut L,
    append: &AppendArgument,
    fingerprint: Fingerprint,
) -> Result<WrittenArgument, ArenaError> {
    let AppendArgument { debate, draft, at, auto_ruling, credentials } = append;
    let head = load_head(ledger, *debate)?;
    let earlier = ledger.find_by_key(*debate, &draft.key).map_err(Into::into)?;
    // This very request was committed and only its answer was lost. A seat that was released since
    // does not change what the client must be told.
    let is_own = earlier.as_ref().is_some_and(|earlier| earlier.argument.id == draft.id);
    let by = if is_own { None } else { author(&head, draft, credentials)? };
    if let Some(earlier) = earlier {
        return replay(head, earlier, fingerprint);
    }
    if let Some(target) = draft.target {
        check_target(ledger, target, *debate)?;
    }
    let step = arena::decide(&head, draft, by, *at, *auto_ruling)?;
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

/// Deletes a debate with its arguments, and leaves a tombstone with its id and slug. A debate with
/// seats needs arbitrator rights.
pub(crate) fn delete<L: Ledger>(ledger: &mut L, delete: &DeleteDebate) -> Result<(), ArenaError> {
    let DeleteDebate { debate, credentials, at } = delete;
    let head = load_head(ledger, *debate)?;
    if head.seats.is_some() {
        arena::check_arbitrator(credentials).map_err(refuse(*debate))?;
    }
    ledger.delete_debate(&head, *at).map_err(Into::into)?;
    ledger.counters().remove(head.debate.state, head.last_seq);
    ledger.notifications().add(*debate);
    Ok(())
}

/// The debate in its current state.
pub(super) fn load_head<L: Ledger>(ledger: &mut L, debate: DebateId) -> Result<Head, ArenaError> {
    ledger.head(debate).map_err(Into::into)?.ok_or(ArenaError::UnknownDebate(debate))
}

/// The error of a request that the seats of a debate do not allow.
pub(super) fn refuse(debate: DebateId) -> impl FnOnce(SeatRefusal) -> ArenaError {
    move |refusal| ArenaError::Seat { debate, refusal }
}

fn author(
    head: &Head,
    draft: &Draft,
    credentials: &Credentials,
) -> Result<Option<String>, ArenaError> {
    arena::author(head, draft.mv, credentials).map_err(refuse(head.debate.id))
}

/// The first slug of a new debate that no other debate has or had.
fn find_free_slug<L: Ledger>(
    ledger: &mut L,
    title: &str,
    debate: DebateId,
) -> Result<String, ArenaError> {
    for slug in slug_candidates(title, debate) {
        if !ledger.is_slug_used(&slug).map_err(Into::into)? {
            return Ok(slug);
        }
    }
    // Only ids that were searched for share all 12 characters: another id has another slug.
    Err(ArenaError::DebateExists(debate))
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
