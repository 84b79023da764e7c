//! Text of participants on a terminal: wrapped, with light styling of Markdown.
//!
//! The text stays the Markdown that was written. Only markers of bold text and code become styles,
//! and only where both markers are in the same row.

use debate_render::visible;

use super::text::TextStyle;
use super::wrap::{columns, wrap_text};

/// The maximum width of a row, for legibility.
const WIDTH_MAX: usize = 100;

/// The text with `prefix` in front of each row. Without a terminal its lines stay as they are.
pub(super) fn render(text: &str, prefix: &str, style: TextStyle) -> String {
    let mut out = String::new();
    let mut add = |row: &str| {
        out.push_str(format!("{prefix}{row}").trim_end());
        out.push('\n');
    };
    let text = visible::block(text);
    let Some(available) = style.width else {
        text.lines().for_each(&mut add);
        return out;
    };
    // The last column is unused, because terminals differ in when they wrap.
    let width = available.min(WIDTH_MAX).saturating_sub(columns(prefix) + 1);
    let mut in_code = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            add(&style.dim(line));
        } else if in_code || trimmed.starts_with('|') {
            // Code and tables lose their meaning when their lines are broken.
            add(line);
        } else {
            let indent = " ".repeat(hanging_indent(line));
            let is_heading = trimmed.starts_with('#');
            let rows = wrap_text(line, width.saturating_sub(indent.len()));
            for (number, row) in rows.iter().enumerate() {
                let row = if is_heading { style.bold(row) } else { inline(row, style) };
                add(&if number == 0 { row } else { format!("{indent}{row}") });
            }
        }
    }
    out
}

/// The columns before the text of a list item or a quote, in which its further rows begin.
fn hanging_indent(line: &str) -> usize {
    let text = line.trim_start();
    let leading = line.len() - text.len();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after_number = text.get(digits..).unwrap_or_default();
    let is_numbered =
        digits > 0 && (after_number.starts_with(". ") || after_number.starts_with(") "));
    if is_numbered {
        return leading + digits + 2;
    }
    let is_item = ["- ", "* ", "+ ", "> "].iter().any(|marker| text.starts_with(marker));
    leading + if is_item { 2 } else { 0 }
}

/// Bold text and code of one row in their styles.
fn inline(row: &str, style: TextStyle) -> String {
    if !style.colour {
        return row.to_owned();
    }
    let mut out = String::new();
    // Every second part is between two backquotes, if their number is even.
    let parts: Vec<_> = row.split('`').collect();
    if parts.len() % 2 == 0 {
        return bold(row, style);
    }
    for (number, part) in parts.iter().enumerate() {
        out.push_str(&if number % 2 == 1 { style.paint("36", part) } else { bold(part, style) });
    }
    out
}

fn bold(text: &str, style: TextStyle) -> String {
    let parts: Vec<_> = text.split("**").collect();
    if parts.len() % 2 == 0 {
        return text.to_owned();
    }
    let paint = |(number, part): (usize, &&str)| {
        if number % 2 == 1 { style.bold(part) } else { (*part).to_owned() }
    };
    parts.iter().enumerate().map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "\
        # Plan\n\nKeep **hot keys** in `memory` and the rest on disk.\n\n\
        1. Measure the size of every index first.\n\n\
        ```rust\nlet index = load(\"a long line\");\n```";

    #[test]
    fn rows_are_wrapped_between_words_and_keep_their_indent() {
        let style = TextStyle { colour: false, width: Some(32) };
        let shown = render(PLAN, "     ", style);
        let expected = "     # Plan

     Keep **hot keys** in
     `memory` and the rest on
     disk.

     1. Measure the size of
        every index first.

     ```rust
     let index = load(\"a long line\");
     ```
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn markers_of_bold_text_and_code_become_styles() {
        let style = TextStyle { colour: true, width: Some(100) };
        let shown = render("Keep **hot keys** in `memory`, a * b and 2 ** 3.", "", style);
        assert_eq!(
            shown,
            "Keep **hot keys** in \u{1b}[36mmemory\u{1b}[0m, a * b and 2 ** 3.\n"
                .replace("**hot keys**", "\u{1b}[1mhot keys\u{1b}[0m")
        );
    }

    #[test]
    fn text_is_unchanged_where_there_is_no_terminal() {
        let shown = render(PLAN, "  ", TextStyle::PLAIN);
        assert_eq!(shown.replace("\n  ", "\n").trim_start(), format!("{PLAN}\n"));
    }
}
