//! The slugs of debates that were stored before slugs existed.

use std::collections::HashSet;

use debate_core::DebateId;
use debate_core::arena::slug_candidates;
use tokio_postgres::{Error, Transaction};
use uuid::Uuid;

/// Number of debates that get their slugs in one statement.
const BATCH_ROWS: i64 = 1000;

const NEXT: &str = "select id, title from debates
     where slug is null and ($1::uuid is null or id > $1) order by id limit $2";

const USED: &str = "select slug from debates where slug = any($1)
     union all select slug from deleted_debates where slug = any($1)";

const UPDATE: &str = "update debates set slug = named.slug
     from unnest($1::uuid[], $2::text[]) as named (id, slug) where debates.id = named.id";

/// Gives each debate the first slug that is free, in the order of the ids. Fails if a debate has no
/// free slug, which takes ids that were searched for.
pub(super) async fn assign(tx: &Transaction<'_>) -> Result<(), Error> {
    let mut last: Option<Uuid> = None;
    loop {
        let mut debates = Vec::new();
        for row in tx.query(NEXT, &[&last, &BATCH_ROWS]).await? {
            let (id, title): (Uuid, &str) = (row.try_get(0)?, row.try_get(1)?);
            debates.push((id, slug_candidates(title, DebateId::new(id))));
        }
        let Some((newest, _)) = debates.last() else { break };
        last = Some(*newest);
        let candidates: Vec<&str> =
            debates.iter().flat_map(|(_, slugs)| slugs).map(String::as_str).collect();
        let mut used = HashSet::new();
        for row in tx.query(USED, &[&candidates]).await? {
            used.insert(row.try_get::<_, String>(0)?);
        }
        let (ids, slugs) = choose(debates, &mut used);
        tx.execute(UPDATE, &[&ids, &slugs]).await?;
    }
    tx.batch_execute("alter table debates alter column slug set not null").await
}

/// The first free slug of each debate. Adds the chosen ones to `used`.
fn choose(
    debates: Vec<(Uuid, Vec<String>)>,
    used: &mut HashSet<String>,
) -> (Vec<Uuid>, Vec<String>) {
    let free = debates.into_iter().filter_map(|(id, slugs)| {
        let slug = slugs.into_iter().find(|slug| !used.contains(slug))?;
        used.insert(slug.clone());
        Some((id, slug))
    });
    free.unzip()
}
