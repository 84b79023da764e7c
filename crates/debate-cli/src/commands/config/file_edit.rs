//! Changes one key of a TOML file and keeps everything else, comments included.

use toml::{Table, Value};

/// The text with `key` set to `value` at the top level. None if the text is not TOML, or if its
/// lines do not show where the key belongs.
pub(super) fn set(text: &str, key: &str, value: &str) -> Option<String> {
    // Printable ASCII characters have the same escapes in TOML; the result is checked below.
    let line = format!("{key} = {value:?}\n");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first_table = lines.iter().position(|line| line.trim_start().starts_with('['));
    let top = lines.get(..first_table.unwrap_or(lines.len()))?;
    let at = |is_commented| top.iter().position(|line| is_assignment(line, key, is_commented));
    let (replaced, rest) = match at(false).or_else(|| at(true)) {
        Some(at) => (at, at + 1),
        None => (top.len(), top.len()),
    };
    let mut before = lines.get(..replaced)?.concat();
    if !before.is_empty() && !before.ends_with('\n') {
        before.push('\n');
    }
    let after = lines.get(rest..)?.concat();
    let changed = format!("{before}{line}{after}");
    is_only_change(text, &changed, key, value).then_some(changed)
}

/// Whether a line assigns the key, as TOML or as a comment.
fn is_assignment(line: &str, key: &str, is_commented: bool) -> bool {
    let line = line.trim_start();
    let line = match (line.strip_prefix('#'), is_commented) {
        (Some(rest), true) => rest.trim_start(),
        (None, false) => line,
        (Some(_), false) | (None, true) => return false,
    };
    line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// Whether two TOML texts differ in the value of the key only.
fn is_only_change(before: &str, after: &str, key: &str, value: &str) -> bool {
    let (Ok(mut before), Ok(after)) = (before.parse::<Table>(), after.parse::<Table>()) else {
        return false;
    };
    before.insert(key.to_owned(), Value::String(value.to_owned()));
    before == after
}

#[cfg(test)]
mod tests {
    use super::set;

    #[test]
    fn key_is_added_replaced_or_uncommented_and_the_rest_is_kept() {
        let cases = [
            ("", "k = \"v\"\n"),
            ("a = 1 # one", "a = 1 # one\nk = \"v\"\n"),
            ("# k = \"\"\na = 1\n", "k = \"v\"\na = 1\n"),
            ("k = \"old\" # mine\na = 1\n", "k = \"v\"\na = 1\n"),
            ("a = 1\n\n[provider.x]\nk = 2\n", "a = 1\n\nk = \"v\"\n[provider.x]\nk = 2\n"),
        ];
        for (before, after) in cases {
            assert_eq!(set(before, "k", "v").as_deref(), Some(after), "{before:?}");
        }
    }

    #[test]
    fn value_is_escaped_and_text_that_cannot_be_edited_is_refused() {
        let escaped = set("", "k", "a\"b\\c").expect("it can be added");
        let table: toml::Table = escaped.parse().expect("it is TOML");
        assert_eq!(table["k"].as_str(), Some("a\"b\\c"));
        assert_eq!(set("not toml", "k", "v"), None);
        assert_eq!(set("a = [\n[1],\n]\n", "k", "v"), None, "the array looks like a table");
    }
}
