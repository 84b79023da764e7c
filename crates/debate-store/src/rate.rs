//! Rate windows that several processes share. On SQLite there is one process, which holds them in
//! memory.

use debate_app::StoreError;
use debate_core::{Bucket, Charge, RateDecision, Window};
use jiff::Timestamp;

use crate::sql::{Commit, Group, Operation, Sql, Statement, Writes, undecodable};

/// The size of a bucket in the column `runs`: its time in microseconds, then its count.
const BUCKET_BYTES: usize = 12;

/// A crash may lose the counts of the last moment. Waiting for the disk would cost more.
const NO_SYNC: Sql = Sql::PostgresOnly("select set_config('synchronous_commit', 'off', true)");

/// Later requests with the same key wait until this one is counted. An advisory lock instead of a
/// row lock, so that a request that is refused writes nothing.
const LOCK: Sql = Sql::PostgresOnly("select pg_advisory_xact_lock(hashtextextended($1, 0))");

const FIND: Sql = Sql::PostgresOnly("select runs from rate_windows where key = $1");

/// The clock that all processes share, read after the locks are held.
const CLOCK: Sql = Sql::PostgresOnly(
    "select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now",
);

const SAVE: Sql = Sql::PostgresOnly(
    "insert into rate_windows (key, runs, expires_at) values ($1, $2, $3)
     on conflict (key) do update set runs = excluded.runs, expires_at = excluded.expires_at",
);

/// Each accepted request removes up to two windows that no longer count.
const SWEEP: Sql = Sql::PostgresOnly(
    "delete from rate_windows where key in
         (select key from rate_windows where expires_at < $1 order by expires_at limit 2
          for update skip locked)",
);

/// Counts a request in all of its windows or in none. `at` is the time without a shared clock.
pub(crate) fn admit(
    (charges, at): &(Vec<Charge>, Timestamp),
) -> Operation<'_, Commit<Option<RateDecision>>> {
    let keys: Vec<String> = charges.iter().map(|charge| charge.key.to_string()).collect();
    // Locked in the order of the keys, so that no two requests wait for each other.
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    let mut group = Group::default();
    group.push_exists(Statement::new(NO_SYNC, vec![]));
    for key in sorted {
        group.push_exists(Statement::new(LOCK, vec![key.into()]));
    }
    let find = |key: &String| {
        let statement = Statement::new(FIND, vec![key.clone().into()]);
        group.push(statement, |row| decode(&row.maybe_bytes("runs")?.unwrap_or_default()))
    };
    let windows: Vec<_> = keys.iter().map(find).collect();
    let clock = group.push(Statement::new(CLOCK, vec![]), |row| row.time("now"));
    group.finish(move |rows| {
        let now = rows.first(&clock)?.unwrap_or(*at);
        let windows = charges
            .iter()
            .zip(&windows)
            .map(|(charge, window)| Ok((charge.quota, rows.first(window)?.unwrap_or_default())));
        let mut windows = windows.collect::<Result<Vec<_>, StoreError>>()?;
        let decision = debate_core::admit(&mut windows, now);
        let is_counted = decision.is_some_and(|decision| !decision.admission.is_refused());
        let writes =
            if is_counted { save(charges, keys, &windows, now) } else { Writes::default() };
        Ok(Commit::new(decision, writes))
    })
}

fn save(
    charges: &[Charge],
    keys: Vec<String>,
    windows: &[(debate_core::Quota, Window)],
    now: Timestamp,
) -> Writes {
    let mut writes = Writes::default();
    for ((charge, key), (_, window)) in charges.iter().zip(keys).zip(windows) {
        let values = vec![key.into(), encode(window).into(), expiry(charge, now).into()];
        writes.push(SAVE, values);
    }
    writes.push(SWEEP, vec![now.into()]);
    writes
}

/// The time at which the window is empty without further requests, rounded up to whole windows: an
/// indexed column that rarely changes makes updates cheaper.
fn expiry(charge: &Charge, now: Timestamp) -> Timestamp {
    let window = i64::try_from(charge.quota.window.as_micros()).unwrap_or(i64::MAX).max(1);
    let end = now.as_microsecond().div_euclid(window).saturating_add(2).saturating_mul(window);
    Timestamp::from_microsecond(end).unwrap_or(Timestamp::MAX)
}

fn encode(window: &Window) -> Vec<u8> {
    let bytes = window.buckets().iter().flat_map(|bucket| {
        bucket.at.as_microsecond().to_be_bytes().into_iter().chain(bucket.count.to_be_bytes())
    });
    bytes.collect()
}

fn decode(bytes: &[u8]) -> Result<Window, StoreError> {
    let (buckets, rest) = bytes.as_chunks::<BUCKET_BYTES>();
    let read = |bucket: &[u8; BUCKET_BYTES]| {
        let (at, count) = bucket.split_first_chunk::<8>()?;
        let at = Timestamp::from_microsecond(i64::from_be_bytes(*at)).ok()?;
        Some(Bucket { at, count: u32::from_be_bytes(count.try_into().ok()?) })
    };
    let buckets: Option<Vec<Bucket>> = buckets.iter().map(read).collect();
    buckets
        .filter(|_| rest.is_empty())
        .map(Window::new)
        .ok_or_else(|| undecodable("invalid rate window"))
}

#[cfg(test)]
mod tests {
    use debate_core::{Bucket, Window};
    use jiff::Timestamp;

    use super::{decode, encode};

    #[test]
    fn window_is_read_back_as_it_was_written() {
        let run = |second: i64, count| {
            let at = Timestamp::from_microsecond(1_770_000_000_123_456 + second * 1_000_000);
            Bucket { at: at.expect("it is a time"), count }
        };
        for runs in [vec![], vec![run(0, 1)], vec![run(-5, 1), run(0, u32::MAX), run(7, 2)]] {
            let window = Window::new(runs);
            assert_eq!(decode(&encode(&window)).expect("it was just written"), window);
        }
        assert!(decode(&[0; 11]).is_err() && decode(&[0x7f; 12]).is_err());
    }
}
