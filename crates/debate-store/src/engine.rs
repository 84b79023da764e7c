//! The store over an engine: executes operations, and implements the ports once for both engines.

use debate_app::arena::ArenaError;
use debate_app::{Cause, StoreError};

use crate::sql::{Commit, Operation};

/// A database of one engine. The ports of the runner, the forum and the sessions are implemented
/// once for all engines; the arena's is implemented for each, because its writes are batched.
pub struct Store<E>(pub(crate) E);

/// The connections that a read uses. Reads of one class wait only for reads of the same class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadClass {
    /// Reads a few rows. SQLite executes it on the calling thread.
    Short,
    /// Reads up to a page of rows that may be large.
    Long,
    /// Reads a page of a list.
    List,
}

/// Executes operations. `input` is what an operation borrows from while it is executed.
pub(crate) trait Engine: Send + Sync + 'static {
    /// Executes an operation in one transaction, and answers after its commit. Starts it again from
    /// the beginning if another transaction interfered.
    fn write<I: Send + Sync + 'static, T: Send + 'static>(
        &self,
        input: I,
        operation: for<'i> fn(&'i I) -> Operation<'i, Commit<T>>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Executes an operation that only reads.
    fn read<I: Send + Sync + 'static, T: Send + 'static>(
        &self,
        class: ReadClass,
        input: I,
        operation: for<'i> fn(&'i I) -> Operation<'i, T>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;
}

/// A storage failure inside an engine. The drivers' errors convert into this type, because
/// `StoreError` belongs to another crate.
#[derive(Debug, Clone)]
pub(crate) struct EngineError(pub(crate) StoreError);

impl EngineError {
    /// A stored value that this release cannot decode.
    pub(crate) fn undecodable(problem: impl Into<String>) -> Self {
        Self(StoreError::Undecodable(Cause::new(problem.into())))
    }

    /// An engine that does not answer.
    pub(crate) fn unavailable(reason: impl Into<String>) -> Self {
        Self(StoreError::Unavailable(Cause::new(reason.into())))
    }
}

impl From<EngineError> for StoreError {
    fn from(EngineError(err): EngineError) -> Self {
        err
    }
}

impl From<EngineError> for ArenaError {
    fn from(EngineError(err): EngineError) -> Self {
        Self::Store(err)
    }
}
