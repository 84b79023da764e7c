//! What a page of the list is made of, whatever the engine.

use debate_app::runner::RunPage;
use debate_core::runner::{ListPlace, Record, Run, RunQuery};
use uuid::Uuid;

use super::statements::{PAGE, PAGE_OF_STATUS};
use crate::sql::Value;

/// Which page is asked for: a statement, and what it takes.
pub(crate) struct Bounds {
    pub(crate) statement: &'static str,
    pub(crate) values: Vec<Value<'static>>,
}

impl Bounds {
    pub(crate) fn of(query: &RunQuery) -> Self {
        let (updated_at, id) = match query.after {
            Some(ListPlace { updated_at, run }) => (updated_at.as_microsecond(), run.uuid()),
            // Before the end of time: everything.
            None => (i64::MAX, Uuid::nil()),
        };
        // One more than asked for tells whether there is a next page.
        let limit = i64::from(query.limit.count()) + 1;
        let place = [Value::Number(updated_at), Value::Id(id), Value::Number(limit)];
        match query.status {
            None => Self { statement: PAGE, values: place.into() },
            Some(status) => {
                let mut values = vec![Value::from(status.name())];
                values.extend(place);
                Self { statement: PAGE_OF_STATUS, values }
            }
        }
    }
}

/// A page out of what was found.
pub(crate) fn page_of(query: &RunQuery, found: Vec<Record>) -> RunPage {
    let asked = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
    let more = found.len() > asked;
    let runs: Vec<Run> = found.into_iter().take(asked).map(|record| record.run).collect();
    let next = runs
        .last()
        .filter(|_| more)
        .map(|last| ListPlace { updated_at: last.updated_at, run: last.id });
    RunPage { runs, next }
}
