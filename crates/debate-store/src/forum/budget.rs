//! What models said before, and what they may still cost today.

use debate_app::forum::Spend;
use debate_core::forum::guardrail::{Assessment, VerdictKey, affords};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::rows;
use crate::sql::{Columns, Query, Read, Rows, Step, Value, Words, Writes};

const VERDICT: &str =
    "select alignment, risk, decision, reasoning from forum_verdicts where key = $1";

const KEEP_VERDICT: &str = "insert into forum_verdicts
         (key, alignment, risk, decision, reasoning, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (key) do update
     set alignment = excluded.alignment, risk = excluded.risk, decision = excluded.decision,
         reasoning = excluded.reasoning, created_at = excluded.created_at";

/// Each verdict that is kept forgets two that are too old to be asked for again.
const FORGET_VERDICTS: Words = Words::Each {
    sqlite: "delete from forum_verdicts where key in
         (select key from forum_verdicts where created_at < $1 order by created_at limit 2)",
    postgres: "delete from forum_verdicts where key in
         (select key from forum_verdicts where created_at < $1 order by created_at limit 2
          for update skip locked)",
};

/// How long a verdict is worth keeping.
const VERDICT_LIFE: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Whoever comes next waits until this is counted.
const USED: Words = Words::Each {
    sqlite: "select used from forum_tokens where day = $1",
    postgres: "insert into forum_tokens (day, used) values ($1, 0)
         on conflict (day) do update set used = forum_tokens.used returning used",
};

const KEEP_USED: &str = "insert into forum_tokens (day, used) values ($1, $2)
     on conflict (day) do update set used = excluded.used";

pub(crate) fn known_verdict<'s, R: Columns + 's>(
    key: VerdictKey,
) -> Read<'s, R, Option<Assessment>> {
    let asked = Query::new(VERDICT, vec![key.as_bytes().to_vec().into()]);
    Read::new(vec![asked], |found: &Rows<R>| found.one(0, |row| rows::assessment(row, "decision")))
}

pub(crate) fn keep_verdict<'s, R: Columns + 's>(
    key: VerdictKey,
    assessment: &Assessment,
    at: Timestamp,
) -> Step<'s, R, ()> {
    let mut writes = Writes::default();
    let kept = vec![
        key.as_bytes().to_vec().into(),
        assessment.alignment.score().to_string().into(),
        assessment.risk.name().into(),
        assessment.decision.name().into(),
        assessment.reasoning.clone().into(),
        at.into(),
    ];
    writes.push(KEEP_VERDICT, kept);
    let too_old = at.saturating_sub(VERDICT_LIFE).unwrap_or(at);
    writes.queries.push(Query::each(FORGET_VERDICTS, vec![too_old.into()]));
    Step::Done((), writes)
}

pub(crate) fn spend<'s, R: Columns + 's>(spend: Spend) -> Step<'s, R, bool> {
    let day = match spend {
        Spend::Reserve { day, .. } | Spend::Correct { day, .. } => number_of(day),
    };
    Step::ask(vec![Query::each(USED, vec![Value::Number(day)])], move |found: &Rows<R>| {
        let spent: u64 = found.one(0, |row| row.count("used"))?.unwrap_or_default();
        let after = match spend {
            Spend::Reserve { worst_case, daily_most, .. } => {
                if !affords(spent, worst_case, daily_most) {
                    return Ok(Step::Done(false, Writes::default()));
                }
                spent.saturating_add(worst_case)
            }
            Spend::Correct { reserved, used, .. } => {
                spent.saturating_add(used).saturating_sub(reserved)
            }
        };
        let mut writes = Writes::default();
        // Nobody spends more tokens than an i64 counts.
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        writes.push(KEEP_USED, vec![Value::Number(day), Value::Number(after)]);
        Ok(Step::Done(true, writes))
    })
}

/// Days since 1970.
fn number_of(day: Date) -> i64 {
    const SECONDS_A_DAY: i64 = 86_400;
    let midnight = day.to_zoned(TimeZone::UTC).map_or(0, |zoned| zoned.timestamp().as_second());
    midnight.div_euclid(SECONDS_A_DAY)
}
