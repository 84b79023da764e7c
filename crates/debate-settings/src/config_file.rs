//! A configuration file with every setting as a comment.

use std::fmt::Write;

use crate::table::{CONFIG_FILE, GROUPS};
use crate::{Setting, ValueKind};

/// The width of the comments.
const COLUMNS: usize = 96;

const HEAD: &str = "\
# Configuration of the aweave server. Remove the # in front of a setting to change it. A flag of
# `aw serve` and an environment variable override this file. It may contain secrets, so keep it
# readable only by you. Providers and commands are tables at the end: see docs/runner.md.
";

/// The text of a configuration file with every setting, its description and its default, all as
/// comments.
#[must_use]
pub fn render_config_file() -> String {
    let mut out = HEAD.to_owned();
    let mut title = "";
    for group in GROUPS.iter().filter(|group| group.in_file) {
        // The file cannot name itself.
        let rows = group.settings.iter().filter(|row| row.variable != CONFIG_FILE.variable);
        for (number, setting) in rows.enumerate() {
            if number == 0 && group.title != title {
                title = group.title;
                let _ = write!(out, "\n# ---- {title} ----\n");
            }
            let _ = write!(out, "\n{}# {}\n", comment(setting.description), assignment(setting));
        }
    }
    out
}

/// `server_port = 3456`, with the default as the value.
fn assignment(setting: &Setting) -> String {
    let text = setting.default.unwrap_or_default();
    let is_bare = match setting.kind {
        ValueKind::Integer(..) | ValueKind::Bool | ValueKind::Switch | ValueKind::Seconds => true,
        ValueKind::Text | ValueKind::Secret | ValueKind::OneOf(_) => false,
    };
    let value = if is_bare && !text.is_empty() { text.to_owned() } else { format!("{text:?}") };
    format!("{} = {value}", setting.file_key())
}

/// Text as lines of a comment, broken between words.
fn comment(text: &str) -> String {
    let mut out = String::new();
    let mut line = "#".to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > COLUMNS {
            let _ = writeln!(out, "{line}");
            "#".clone_into(&mut line);
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::file_settings;

    #[test]
    fn every_setting_of_the_file_is_a_comment_with_its_default() {
        let text = render_config_file();
        assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')), "{text}");
        for setting in file_settings().filter(|row| row.variable != CONFIG_FILE.variable) {
            let line = format!("# {} = ", setting.file_key());
            let found = text.lines().filter(|text| text.starts_with(&line)).count();
            assert_eq!(found, 1, "{}", setting.variable);
        }
        assert!(text.contains("\n# server_port = 3456\n"), "{text}");
        assert!(text.contains("\n# server_host = \"127.0.0.1\"\n"), "{text}");
    }
}
