//! Times of the API for people.

use debate_render::visible;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::text::TextStyle;

/// A time of any of the three APIs: relative on a terminal (`2 min ago`), in UTC elsewhere. A text
/// that is not a time is returned unchanged.
pub(super) fn show(time: &str, style: TextStyle) -> String {
    match (parse(time), style.width) {
        (Some(parsed), Some(_)) => relative(parsed, Timestamp::now()),
        (Some(parsed), None) => parsed.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        (None, _) => visible::line(time),
    }
}

/// `2026-11-15 20:29:30` without a zone is in UTC.
fn parse(time: &str) -> Option<Timestamp> {
    if let Ok(parsed) = time.parse() {
        return Some(parsed);
    }
    let civil: DateTime = time.parse().ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// The time before `now` in one unit. A time after `now`, by another clock, is `just now`.
fn relative(time: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(time.as_second());
    match seconds {
        ..10 => "just now".to_owned(),
        10..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        86_400..172_800 => "1 day ago".to_owned(),
        172_800..2_592_000 => format!("{} days ago", seconds / 86_400),
        _ => time.strftime("%Y-%m-%d").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_apis_are_shown_in_one_format() {
        for time in
            ["2026-11-15 20:29:30", "2026-11-15T20:29:30.123456Z", "2026-11-15T20:29:30.123Z"]
        {
            assert_eq!(show(time, TextStyle::PLAIN), "2026-11-15 20:29:30 UTC");
        }
        assert_eq!(show("soon", TextStyle::PLAIN), "soon");
    }

    #[test]
    fn relative_time_has_one_unit() {
        let now = parse("2026-11-15 12:00:00").expect("it is a time");
        for (time, expected) in [
            ("2026-11-15 12:00:05", "just now"),
            ("2026-11-15 11:59:55", "just now"),
            ("2026-11-15 11:59:20", "40 s ago"),
            ("2026-11-15 11:58:01", "1 min ago"),
            ("2026-11-15 09:00:01", "2 h ago"),
            ("2026-11-14 09:00:00", "1 day ago"),
            ("2026-11-10 09:00:00", "5 days ago"),
            ("2026-08-10 09:00:00", "2026-08-10"),
        ] {
            assert_eq!(relative(parse(time).expect("it is a time"), now), expected, "{time}");
        }
    }
}
