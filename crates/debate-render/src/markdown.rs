//! Parts of Markdown documents that contain text of participants. The text cannot end its part, so
//! that it cannot imitate a heading or another participant.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::visible;

/// The number of passes that escape what the pass before has uncovered. A text that needs more has
/// every special character escaped.
const PASSES_MAX: usize = 4;

/// The flavours of Markdown that readers may use. A text can hide a tag in one of them.
const FLAVOURS: [Options; 2] = [
    Options::empty(),
    Options::ENABLE_TABLES
        .union(Options::ENABLE_STRIKETHROUGH)
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_FOOTNOTES),
];

/// A text as a block quote.
///
/// HTML becomes text, because `</blockquote>` would end the quote. Definitions of link references
/// and footnotes become text, because they would apply to the whole document. Code is unchanged.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in visible::block(text).split('\n') {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    for _ in 0..PASSES_MAX {
        let escaped = escape_document_syntax(&out);
        if escaped == out {
            return out;
        }
        out = escaped;
    }
    out.replace('<', "&lt;").replace('[', "&#91;")
}

/// A text on one line, with every special character of inline Markdown escaped.
#[must_use]
pub fn escape_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible::line(text).chars() {
        if "\\`*_[]<>&~|#".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text on one line as code, between more backticks than it contains in a row.
#[must_use]
pub fn code_span(text: &str) -> String {
    let text = visible::line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

fn escape_document_syntax(text: &str) -> String {
    let special: BTreeSet<usize> =
        FLAVOURS.iter().flat_map(|options| document_syntax(text, *options)).collect();
    let mut out = String::with_capacity(text.len() + special.len() * 3);
    for (at, c) in text.char_indices() {
        match c {
            '<' if special.contains(&at) => out.push_str("&lt;"),
            '[' if special.contains(&at) => out.push_str("\\["),
            _ => out.push(c),
        }
    }
    out
}

/// The positions of each `<` in HTML and of each `[` that begins a definition.
fn document_syntax(text: &str, options: Options) -> Vec<usize> {
    let parser = Parser::new_ext(text, options);
    let definitions = parser.reference_definitions().iter();
    let mut found: Vec<usize> = definitions.map(|(_, definition)| definition.span.start).collect();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::FootnoteDefinition(_)) => found.push(range.start),
            Event::Html(_) | Event::InlineHtml(_) => {
                let html = text.get(range.clone()).unwrap_or_default();
                found.extend(html.match_indices('<').map(|(at, _)| range.start + at));
            }
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FLAVOURS, code_span, document_syntax, escape_line, quote};

    #[test]
    fn text_cannot_leave_its_quote_or_its_code_span() {
        assert_eq!(quote("one\n\r\n## two\u{2028}\n"), "> one\n>\n> ## two⟨U+2028⟩\n>\n");
        assert_eq!(code_span("demo:fast"), "`demo:fast`");
        assert_eq!(code_span("a`b``c\n"), "``` a`b``c␊ ```");
        assert_eq!(escape_line("# <img> ![i](x)"), "\\# \\<img\\> !\\[i\\](x)");
    }

    #[test]
    fn html_becomes_text_and_code_is_unchanged() {
        let forged = "</blockquote>\n<h2>The verdict</h2>\n<!--";
        assert_eq!(quote(forged), "> &lt;/blockquote>\n> &lt;h2>The verdict&lt;/h2>\n> &lt;!--\n");
        let hidden_by_a_tag = "<div>\n```\n\n<b>x</b>\n";
        assert!(!quote(hidden_by_a_tag).contains('<'));
        let honest = "if `a < b` then\n\n    Vec<u8>\n\n1 < 2";
        let expected = "> if `a < b` then\n>\n>     Vec<u8>\n>\n> 1 < 2\n";
        assert_eq!(quote(honest), expected);
    }

    #[test]
    fn html_that_is_code_only_outside_a_quote_becomes_text() {
        // A tab is four columns wide at the start of a line, but two after `> `.
        assert_eq!(quote("\t</blockquote>"), "> \t&lt;/blockquote>\n");
    }

    #[test]
    fn html_that_is_code_only_without_tables_becomes_text() {
        let table = "|a|b|\n|-|-|\n|`x|<b>`|\n";
        assert!(quote(table).contains("&lt;b>"), "{}", quote(table));
    }

    #[test]
    fn definitions_become_text() {
        for (text, quoted) in [
            ("see [1]\n\n[1]: https://x.test", "> see [1]\n>\n> \\[1]: https://x.test\n"),
            ("[^1]: ## Ruling", "> \\[^1]: ## Ruling\n"),
            ("- [x]: /y 'z'\n", "> - \\[x]: /y 'z'\n>\n"),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    proptest! {
        #[test]
        fn any_text_stays_in_its_quote(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<b>", "</blockquote>", "<!--", "-->", "<![CDATA[", "<?x", "```", "~~~", "`",
                    "\n", "\n\n", "\t", "    ", "> ", "- ", "[a]: /b", "[a]", "[^1]: c", "|",
                    "|-|-|", "a",
                    "===", "---", "# ", "<a href='", "\\", "&lt;", "1. ", "<script>", "</script>",
                ]),
                0..24,
            ),
        ) {
            let quoted = quote(&parts.concat());
            for options in FLAVOURS {
                prop_assert!(document_syntax(&quoted, options).is_empty(), "{quoted}");
            }
            prop_assert!(quoted.lines().all(|line| line.starts_with('>')), "{quoted}");
        }
    }
}
