//! Debates and arguments by the ids they had in an earlier server.

use debate_app::arena::ArenaError;
use debate_core::{ArgumentId, DebateId, OriginalId};
use uuid::Uuid;

use super::super::fault::Fault;
use super::super::readers::Readers;

const FIND: &str = "select id from original_ids where kind = $1 and original = $2";

pub(super) async fn debate(
    readers: &Readers,
    original: &OriginalId,
) -> Result<Option<DebateId>, ArenaError> {
    Ok(find(readers, "debate", original).await?.map(DebateId::new))
}

pub(super) async fn argument(
    readers: &Readers,
    original: &OriginalId,
) -> Result<Option<ArgumentId>, ArenaError> {
    Ok(find(readers, "argument", original).await?.map(ArgumentId::new))
}

async fn find(readers: &Readers, kind: &str, original: &OriginalId) -> Result<Option<Uuid>, Fault> {
    let found = readers.once(&[(FIND, &[&kind, &original.as_str()])]).await?;
    let id = found.iter().flatten().next().map(|row| row.try_get(0));
    Ok(id.transpose()?)
}
