//! What was said, as HTML that can do nothing but be read.
//!
//! Three fences, one behind the other: raw HTML is turned into text before it is rendered, what is
//! rendered passes an allow-list, and the pages' content policy runs and loads nothing of it.
//! Pictures become links, so that opening a page asks nobody for anything.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use askama::filters::HtmlSafe;
use debate_core::markdown;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Tag, TagEnd, html};

use super::signs;

/// How deep quotes, lists and emphasis may nest; what is deeper stands at this depth. Browsers and
/// the allow-list take time for every level.
const DEPTH_MAX: usize = 24;

/// The longest address that a link leads to; the words of a longer one stay without it.
const ADDRESS_BYTES_MAX: usize = 2000;

/// What stands for a character of HTML's own on its way past the allow-list, whose parser takes
/// quadratic time for many `&amp;` in a row. Nobody writes these: `signs` shows them by number.
const STAND_INS: [(char, char, &str); 3] =
    [('&', '\u{10fff0}', "&amp;"), ('<', '\u{10fff1}', "&lt;"), ('>', '\u{10fff2}', "&gt;")];

/// HTML that may stand in a page as it is. Only this module can make it.
#[derive(Debug, Clone)]
pub(crate) struct Html(String);

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

/// Renders Markdown for a place in a page beneath a heading of this level.
pub(crate) fn render(text: &str, under: usize) -> Html {
    let (out, open, elements_left) = (Vec::new(), Vec::new(), text.len());
    let mut tamer = Tamer { out, open, elements_left, inked: false, heading: under, under };
    for event in markdown::parse(text) {
        tamer.take(event);
    }
    let mut rendered = String::with_capacity(text.len() * 2);
    html::push_html(&mut rendered, tamer.out.into_iter());
    Html(restored(&ALLOWED.clean(&rendered).to_string()))
}

/// Words of a text, made plain to the eye and with nothing in them that HTML would read.
fn disarmed(text: &str) -> CowStr<'static> {
    let stand_in =
        |c| STAND_INS.iter().find(|(own, ..)| *own == c).map_or(c, |(_, other, _)| *other);
    signs::block(text).chars().map(stand_in).collect::<String>().into()
}

/// Puts back what the stand-ins stood for, as text.
fn restored(html: &str) -> String {
    let mut out = String::with_capacity(html.len() * 2);
    for c in html.chars() {
        match STAND_INS.iter().find(|(_, other, _)| *other == c) {
            Some((_, _, entity)) => out.push_str(entity),
            None => out.push(c),
        }
    }
    out
}

static ALLOWED: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let tags = [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    let mut allowed = Builder::default();
    allowed
        .tags(HashSet::from(tags))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow ugc"));
    allowed
});

/// What became of an element that was opened.
enum Opened<'t> {
    /// It is closed like this.
    As(TagEnd),
    /// A link; what it leads to is shown if it turns out to have no words.
    Link(CowStr<'t>),
    /// Left out, its content stays.
    Skipped,
}

/// Turns events into harmless ones.
struct Tamer<'t> {
    out: Vec<Event<'t>>,
    open: Vec<Opened<'t>>,
    /// How many elements may still be opened: one for each byte of the text. Only a table can have
    /// more, by cells that its short rows do not have.
    elements_left: usize,
    /// Whether anything can be seen since the last link began.
    inked: bool,
    /// The level of the heading before, and of the one above all.
    heading: usize,
    under: usize,
}

impl<'t> Tamer<'t> {
    fn take(&mut self, event: Event<'t>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.say(&text),
            Event::Code(text) => {
                self.inked = true;
                self.out.push(Event::Code(disarmed(&text)));
            }
            Event::TaskListMarker(done) => self.say(if done { "☑ " } else { "☐ " }),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.out.push(event),
            // Not asked for in the options.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.say(&text);
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.inked |= !text.trim().is_empty();
        self.out.push(Event::Text(disarmed(text)));
    }

    fn start(&mut self, tag: Tag<'t>) {
        let is_within = self.open.len() < DEPTH_MAX && self.elements_left > 0;
        self.elements_left = self.elements_left.saturating_sub(1);
        let opened = if is_within { self.opened(tag) } else { Opened::Skipped };
        self.open.push(opened);
    }

    fn opened(&mut self, tag: Tag<'t>) -> Opened<'t> {
        let tag = match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => return self.link(dest_url),
            Tag::Heading { level, .. } => {
                self.heading = self.level(level);
                Tag::Heading {
                    level: HeadingLevel::try_from(self.heading).unwrap_or(HeadingLevel::H6),
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }
            }
            Tag::HtmlBlock => Tag::Paragraph,
            tag @ (Tag::Paragraph
            | Tag::BlockQuote(_)
            | Tag::CodeBlock(_)
            | Tag::List(_)
            | Tag::Item
            | Tag::Table(_)
            | Tag::TableHead
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            // Not asked for in the options.
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_)) => tag,
        };
        let end = tag.to_end();
        self.out.push(Event::Start(tag));
        Opened::As(end)
    }

    /// A link inside a link is none, and neither is one to an endless address.
    fn link(&mut self, dest_url: CowStr<'t>) -> Opened<'t> {
        let is_inside = self.open.iter().any(|opened| matches!(opened, Opened::Link(_)));
        if is_inside || dest_url.len() > ADDRESS_BYTES_MAX {
            return Opened::Skipped;
        }
        self.inked = false;
        let link_type = pulldown_cmark::LinkType::Inline;
        let (title, id) = (CowStr::from(""), CowStr::from(""));
        let tag = Tag::Link { link_type, dest_url: dest_url.clone(), title, id };
        self.out.push(Event::Start(tag));
        Opened::Link(dest_url)
    }

    /// No level is passed over, whatever was written: screen readers go by them.
    fn level(&self, asked: HeadingLevel) -> usize {
        let asked = match asked {
            HeadingLevel::H1 => 1,
            HeadingLevel::H2 => 2,
            HeadingLevel::H3 => 3,
            HeadingLevel::H4 => 4,
            HeadingLevel::H5 => 5,
            HeadingLevel::H6 => 6,
        };
        (asked + self.under).min(self.heading + 1).min(6)
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Opened::As(TagEnd::Heading(_)))
                if matches!(self.out.last(), Some(Event::Start(Tag::Heading { .. }))) =>
            {
                self.out.pop();
            }
            Some(Opened::As(end)) => self.out.push(Event::End(end)),
            Some(Opened::Link(dest_url)) => {
                if !self.inked {
                    self.say(&dest_url);
                }
                self.out.push(Event::End(TagEnd::Link));
            }
            Some(Opened::Skipped) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    fn html(text: &str) -> String {
        render(text, 3).to_string()
    }

    #[test]
    fn markdown_reads_as_it_was_meant() {
        let text = "# One\n\nA *b* **c** ~~d~~ `e`\n\n- [x] done\n\n| a |\n|---|\n| 1 |\n";
        let expected = "<h4>One</h4>\n<p>A <em>b</em> <strong>c</strong> <del>d</del> \
                        <code>e</code></p>\n<ul>\n<li>☑ done</li>\n</ul>\n<table><thead><tr>\
                        <th>a</th></tr></thead><tbody>\n<tr><td>1</td></tr>\n</tbody></table>\n";
        assert_eq!(html(text), expected);
    }

    #[test]
    fn raw_html_is_text() {
        assert_eq!(html("a <b onclick=x()>b</b>"), "<p>a &lt;b onclick=x()&gt;b&lt;/b&gt;</p>\n");
        let block = html("<script>alert(1)</script>");
        assert_eq!(block, "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
    }

    #[test]
    fn pictures_become_links_and_links_keep_their_distance() {
        let rel = r#"rel="noopener noreferrer nofollow ugc""#;
        let picture = html("![a cat](https://x.test/cat.png)");
        assert_eq!(picture, format!("<p><a href=\"https://x.test/cat.png\" {rel}>a cat</a></p>\n"));
        let nameless = html("[![](https://x.test/a.png)](https://y.test/)");
        assert_eq!(
            nameless,
            format!("<p><a href=\"https://y.test/\" {rel}>https://y.test/</a></p>\n")
        );
        for evil in
            ["javascript:alert(1)", "data:text/html,x", "/logout", "//evil.test", "vbscript:x"]
        {
            let link = html(&format!("[x](<{evil}>)"));
            assert!(!link.contains("href"), "{link}");
        }
    }

    #[test]
    fn what_html_would_read_is_text_wherever_it_stands_and_however_it_is_written() {
        let text = "a & b < c > d &amp;lt; `x < &amp;`\n\n    <i>&</i>\n";
        let expected = "<p>a &amp; b &lt; c &gt; d &amp;lt; <code>x &lt; &amp;amp;</code></p>\n\
                        <pre><code>&lt;i&gt;&amp;&lt;/i&gt;\n</code></pre>\n";
        assert_eq!(html(text), expected);
        for hidden in ["\u{202e}", "&#x202e;", "&#8238;"] {
            assert_eq!(html(&format!("a{hidden}b")), "<p>a⟨U+202E⟩b</p>\n", "{hidden}");
        }
        for stand_in in ["\u{10fff1}script>", "&#x10fff1;script>", "`&#x10fff1;`\u{10fff1}"] {
            let shown = html(stand_in);
            assert!(shown.contains("⟨U+10FFF1⟩") && !shown.contains("&lt;"), "{shown}");
        }
    }

    #[test]
    fn headings_pass_over_no_level() {
        assert_eq!(html("### deep\n\n# top\n\n#\n"), "<h4>deep</h4>\n<h4>top</h4>\n");
        assert_eq!(html("# a\n\n###### b"), "<h4>a</h4>\n<h5>b</h5>\n");
    }

    #[test]
    fn short_rows_of_a_wide_table_do_not_multiply_the_text() {
        let text =
            format!("|{}\n|{}\n{}", "a|".repeat(1600), "-|".repeat(1600), "|\n".repeat(1700));
        let rendered = html(&text);
        assert!(rendered.len() < 12 * text.len(), "{} of {}", rendered.len(), text.len());
        assert_eq!(rendered.matches("<th>").count(), 1600);
    }

    #[test]
    fn nesting_ends_somewhere() {
        let deep = html(&">".repeat(5000));
        assert!(deep.matches("<blockquote>").count() <= 24, "{}", deep.len());
        assert!(html(&"[".repeat(5000)).len() < 10_000);
        assert!(html(&"*a ".repeat(3000)).len() < 100_000);
        // Quadratic, this would take minutes.
        assert_eq!(html(&"&".repeat(60_000)).matches("&amp;").count(), 60_000);
        let endless = format!("[words](https://x.test/?{})", "&".repeat(60_000));
        assert_eq!(html(&endless), "<p>words</p>\n");
    }
}
