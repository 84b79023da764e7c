//! Cached assessments of models, and the tokens that they used per day.

use debate_app::forum::ClassifierTokenReservation;
use debate_core::forum::guardrail::{Assessment, AssessmentKey, fits_daily_limit};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::rows;
use crate::sql::{Commit, Group, Operation, Sql, Statement, Writes};

const ASSESSMENT: &str =
    "select alignment, risk, decision, reasoning from forum_verdicts where key = $1";

const SAVE_ASSESSMENT: &str = "insert into forum_verdicts
         (key, alignment, risk, decision, reasoning, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (key) do update
     set alignment = excluded.alignment, risk = excluded.risk, decision = excluded.decision,
         reasoning = excluded.reasoning, created_at = excluded.created_at";

/// Each saved assessment removes up to two that are too old.
const REMOVE_OLD: Sql = Sql::PerEngine {
    sqlite: "delete from forum_verdicts where key in
         (select key from forum_verdicts where created_at < $1 order by created_at limit 2)",
    postgres: "delete from forum_verdicts where key in
         (select key from forum_verdicts where created_at < $1 order by created_at limit 2
          for update skip locked)",
};

/// Duration for which an assessment is cached: 90 days.
const CACHE_DURATION: SignedDuration = SignedDuration::from_hours(90 * 24);

/// On PostgreSQL this locks the row of the day, so that the next transaction waits.
const USED: Sql = Sql::PerEngine {
    sqlite: "select used from forum_tokens where day = $1",
    postgres: "insert into forum_tokens (day, used) values ($1, 0)
         on conflict (day) do update set used = forum_tokens.used returning used",
};

const SAVE_USED: &str = "insert into forum_tokens (day, used) values ($1, $2)
     on conflict (day) do update set used = excluded.used";

const SECONDS_PER_DAY: i64 = 86_400;

pub(super) fn find(key: &AssessmentKey) -> Operation<'_, Option<Assessment>> {
    let mut group = Group::default();
    let found = Statement::new(ASSESSMENT, vec![key.as_bytes().as_slice().into()]);
    let found = group.push(found, |row| rows::assessment(row, "decision"));
    group.finish(move |rows| rows.first(&found))
}

pub(super) fn save(
    (key, assessment, at): &(AssessmentKey, Assessment, Timestamp),
) -> Operation<'_, Commit<()>> {
    let mut writes = Writes::default();
    let values = vec![
        key.as_bytes().to_vec().into(),
        assessment.alignment.score().to_string().into(),
        assessment.risk.name().into(),
        assessment.decision.name().into(),
        assessment.reasoning.clone().into(),
        (*at).into(),
    ];
    writes.push(SAVE_ASSESSMENT, values);
    let too_old = at.saturating_sub(CACHE_DURATION).unwrap_or(*at);
    writes.push(REMOVE_OLD, vec![too_old.into()]);
    Operation::Done(Commit::new((), writes))
}

/// Reserves tokens for a call or corrects a reservation; false if the day's limit is exceeded.
pub(super) fn reserve_tokens(
    reservation: &ClassifierTokenReservation,
) -> Operation<'_, Commit<bool>> {
    let reservation = *reservation;
    let day = match reservation {
        ClassifierTokenReservation::Reserve { day, .. }
        | ClassifierTokenReservation::Correct { day, .. } => days_since_1970(day),
    };
    let mut group = Group::default();
    let used = group.push(Statement::new(USED, vec![day.into()]), |row| row.count("used"));
    group.finish(move |rows| {
        let before: u64 = rows.first(&used)?.unwrap_or_default();
        let after = match reservation {
            ClassifierTokenReservation::Reserve { worst_case, daily_most, .. } => {
                if !fits_daily_limit(before, worst_case, daily_most) {
                    return Ok(Commit::unchanged(false));
                }
                before.saturating_add(worst_case)
            }
            ClassifierTokenReservation::Correct { reserved, used, .. } => {
                before.saturating_add(used).saturating_sub(reserved)
            }
        };
        let mut writes = Writes::default();
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        writes.push(SAVE_USED, vec![day.into(), after.into()]);
        Ok(Commit::new(true, writes))
    })
}

fn days_since_1970(day: Date) -> i64 {
    let midnight = day.to_zoned(TimeZone::UTC).map_or(0, |zoned| zoned.timestamp().as_second());
    midnight.div_euclid(SECONDS_PER_DAY)
}
