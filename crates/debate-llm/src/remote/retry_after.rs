//! `Retry-After`: seconds or a date.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// The wait from `now`; none if the header is invalid, zero for a date in the past.
pub(super) fn wait(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if header.bytes().all(|byte| byte.is_ascii_digit()) {
        return header.parse().ok().map(Duration::from_secs);
    }
    let until = rfc2822::parse(header).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Duration, Timestamp, wait};

    #[test]
    fn seconds_and_instants_are_understood_and_nothing_else() {
        let now = Timestamp::from_second(784_111_777).expect("6 November 1994, 08:49:37");
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (header, expected) in [
            ("0", seconds(0)),
            (" 120 ", seconds(120)),
            ("Sun, 06 Nov 1994 08:49:57 GMT", seconds(20)),
            ("Sun, 06 Nov 1994 08:49:17 GMT", seconds(0)),
            ("Mon, 06 Nov 1994 08:49:57 GMT", None),
            ("soon", None),
            ("-5", None),
            ("1.5", None),
            ("", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(wait(header, now), expected, "{header:?}");
        }
    }
}
