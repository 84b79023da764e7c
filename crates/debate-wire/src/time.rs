//! Formats of timestamps.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::TimeZone;

/// Every response has timestamps: a printer is several times as fast as a format string.
const ARENA: DateTimePrinter = DateTimePrinter::new().separator(b' ').precision(Some(0));
const RUNNER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));

/// The format of the arena: `YYYY-MM-DD HH:MM:SS`, UTC.
#[must_use]
pub fn render(time: Timestamp) -> String {
    ARENA.datetime_to_string(&TimeZone::UTC.to_datetime(time))
}

/// The format of the runner: `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
#[must_use]
pub fn render_precise(time: Timestamp) -> String {
    RUNNER.timestamp_to_string(&time)
}

/// The format of the forum: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
#[must_use]
pub fn render_millis(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_truncated_to_the_precision_of_the_contract() {
        let cases = [
            (
                "2026-11-16T13:05:09.999999999Z",
                "2026-11-16 13:05:09",
                "2026-11-16T13:05:09.999999Z",
            ),
            ("2026-01-01T00:00:00Z", "2026-01-01 00:00:00", "2026-01-01T00:00:00.000000Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31 23:59:59", "1969-12-31T23:59:59.500000Z"),
            ("0099-03-04T05:06:07Z", "0099-03-04 05:06:07", "0099-03-04T05:06:07.000000Z"),
        ];
        for (time, short, precise) in cases {
            let time: Timestamp = time.parse().expect("it is a time");
            assert_eq!((render(time).as_str(), render_precise(time).as_str()), (short, precise));
        }
    }
}
