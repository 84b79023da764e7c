//! The Markdown parser that pages and guardrails share: pages render its events, and the guardrails
//! evaluate its plain text.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

/// The enabled extensions of `CommonMark`.
const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// Parses `text` into events.
pub fn parse(text: &str) -> impl Iterator<Item = Event<'_>> {
    Parser::new_ext(text, OPTIONS)
}

/// The text that a reader of the rendered `text` sees, without formatting: character references are
/// decoded, and a link or an image is replaced by its label. Blocks end with a line break.
///
/// Inline HTML is left out. Pages show it as text, but `b<i></i>omb` is still read as one word.
#[must_use]
pub fn plain_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for event in parse(text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::Rule => out.push('\n'),
            Event::Start(tag) if !is_inline(tag.to_end()) => out.push('\n'),
            Event::End(tag) if !is_inline(tag) => out.push('\n'),
            Event::Start(_) | Event::End(_) | Event::InlineHtml(_) | Event::TaskListMarker(_) => {}
            // The options do not enable these.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                out.push_str(&text);
            }
        }
    }
    out
}

const fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn plain_text_has_no_formatting() {
        for (text, plain) in [
            ("&#98;&#x6f;mb &amp; co", "bomb & co"),
            ("b**o**mb b`o`mb b~~o~~mb", "bomb bomb bomb"),
            ("b[o](https://x.test)mb b[](x)omb b![o](x)mb", "bomb bomb bomb"),
            ("b<i>o</i>mb", "bomb"),
        ] {
            assert_eq!(plain_text(text).trim(), plain, "{text}");
        }
    }

    #[test]
    fn plain_text_keeps_blocks_apart() {
        for (text, words) in [
            ("# One\n\ntwo\nthree\n\n- four\n- [x] five", "One two three four five"),
            ("| six | seven |\n|---|---|\n", "six seven"),
            ("- one\n  - two", "one two"),
            ("- # One\n  two", "One two"),
        ] {
            let plain = plain_text(text);
            assert!(plain.split_whitespace().eq(words.split(' ')), "{text}: {plain}");
        }
    }
}
