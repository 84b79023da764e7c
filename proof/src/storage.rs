//! Checks that all storage faults share: the visible behaviour of a server whose storage fails.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use crate::client::{Answer, Reply};
use crate::history::{Micros, Outcome};
use crate::run::Report;
use crate::server::{HANG_TIMEOUT, Server};
use crate::shared_state::SharedState;
use crate::writers::new_motion;

/// A status and an error code.
pub(crate) type Refusal = (u16, &'static str);

/// Storage that is unavailable, locked or latched.
pub(crate) const UNAVAILABLE: Refusal = (503, "STORAGE_UNAVAILABLE");

/// A full disk. Health reports the same code with 503.
pub(crate) const FULL: Refusal = (507, "STORAGE_FULL");

/// The maximum `Retry-After` in seconds.
const RETRY_AFTER_MAX: u64 = 5;

/// Waits until writers have received this response `more` further times.
pub(crate) async fn wait_for_responses(
    shared: &SharedState,
    what: &str,
    more: u64,
) -> anyhow::Result<()> {
    let target = shared.count_with_prefix(what) + more;
    let look = async {
        while shared.count_with_prefix(what) < target {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let told = tokio::time::timeout(HANG_TIMEOUT, look).await;
    told.with_context(|| format!("writers are not told {what:?} {more} times more"))
}

/// Checks a server whose file fails: every write is refused, a read is answered.
pub(crate) async fn check_unavailable(
    server: &Server,
    scratch: &Arc<SharedState>,
    expected: Refusal,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (_, code) = expected;
    check_writes_refused(server, scratch, expected, rng, report).await?;
    let read = server.api.get_answered("/debates?limit=5").await?;
    let is_read = read.status.as_u16() == 200;
    report.expect(is_read, format!("with {code}, a read is answered {}", read.summary()));
    Ok(())
}

/// Checks that health is 503 with the reason, and that a write is refused with the same
/// code and a `Retry-After`.
pub(crate) async fn check_writes_refused(
    server: &Server,
    scratch: &Arc<SharedState>,
    expected: Refusal,
    rng: &mut fastrand::Rng,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (_, code) = expected;
    let health = server.api.get_answered("/health").await?;
    let is_red = (health.status.as_u16(), health.code()) == (503, code);
    report.expect(is_red, format!("with {code}, /health says {}", health.summary()));
    let refused = write(server, scratch, rng).await?;
    is_refused(&refused, "a write", expected, report);
    Ok(())
}

/// Checks that a response is the expected refusal with a `Retry-After`.
pub(crate) fn is_refused(reply: &Reply, what: &str, expected: Refusal, report: &mut Report) {
    let (_, code) = expected;
    let is_refused = (reply.status.as_u16(), reply.code()) == expected;
    report.expect(is_refused, format!("with {code}, {what} is answered {}", reply.summary()));
    let says_when = reply.retry_after.is_some_and(|seconds| seconds <= RETRY_AFTER_MAX);
    let when = reply.retry_after;
    report.expect(says_when, format!("with {code}, Retry-After of {what} is {when:?}"));
}

/// Waits until the server reports the failure. Small writes may still find space, so a single
/// check may miss it.
pub(crate) async fn wait_until_unavailable(
    server: &Server,
    scratch: &Arc<SharedState>,
    expected: Refusal,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<()> {
    let look = async {
        loop {
            let mut seen = Report::default();
            check_unavailable(server, scratch, expected, rng, &mut seen).await?;
            if seen.violations.is_empty() {
                return anyhow::Ok(());
            }
        }
    };
    let seen = tokio::time::timeout(HANG_TIMEOUT, look).await;
    seen.with_context(|| format!("the server is never seen with {expected:?}"))?
}

/// A write that is not recorded in the history.
pub(crate) async fn write(
    server: &Server,
    scratch: &Arc<SharedState>,
    rng: &mut fastrand::Rng,
) -> anyhow::Result<Reply> {
    let draft = new_motion(scratch, rng);
    match server.api.post(&draft.path(), &draft.body()).await {
        Answer::Answered(reply) => Ok(reply),
        Answer::NotSent => anyhow::bail!("no server listens"),
        Answer::Lost(why) => anyhow::bail!("a write was not answered: {why}"),
    }
}

/// While no write can reach the disk, none may be acknowledged as new.
pub(crate) fn check_nothing_acknowledged(
    shared: &SharedState,
    (from, to): (Micros, Micros),
    report: &mut Report,
) {
    let within = shared.history.steps().into_iter().filter(|step| {
        step.t_start >= from
            && step.t_end <= to
            && matches!(step.outcome, Outcome::Ok { fresh: true, .. })
    });
    let count = within.count();
    report
        .expect(count == 0, format!("{count} writes were acknowledged that can't be on the disk"));
}
