//! Markdown of participants as HTML without scripts, images or foreign styles.
//!
//! Two defences: raw HTML becomes text before the rendering, and the result passes an allow-list.
//! The Content-Security-Policy of pages is the third. Images become links, so that opening a page
//! sends no request to another server.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use askama::filters::HtmlSafe;
use debate_core::markdown;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Tag, TagEnd, html};

use crate::visible;

/// The maximum nesting of quotes, lists and emphasis; deeper levels are flattened. Browsers and the
/// allow-list need time for every level.
const DEPTH_MAX: usize = 24;

/// The maximum length of a link's URL; a longer link becomes plain text.
const URL_BYTES_MAX: usize = 2000;

/// Private-use characters that replace `&`, `<` and `>` in text while it passes the allow-list,
/// whose parser needs quadratic time for many `&amp;` in a row. Texts cannot contain them, because
/// `visible` shows them by number.
const PLACEHOLDERS: [(char, char, &str); 3] =
    [('&', '\u{10fff0}', "&amp;"), ('<', '\u{10fff1}', "&lt;"), ('>', '\u{10fff2}', "&gt;")];

/// Sanitised HTML, which templates insert without escaping. Only this crate creates it.
#[derive(Debug, Clone)]
pub struct Html(pub(crate) String);

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

/// Renders Markdown for insertion below a heading of level `parent_level`.
#[must_use]
pub fn render_markdown(text: &str, parent_level: usize) -> Html {
    let mut sanitizer = Sanitizer {
        out: Vec::new(),
        open: Vec::new(),
        elements_left: text.len(),
        has_visible_text: false,
        heading: parent_level,
        parent_level,
    };
    for event in markdown::parse(text) {
        sanitizer.add(event);
    }
    let mut rendered = String::with_capacity(text.len() * 2);
    html::push_html(&mut rendered, sanitizer.out.into_iter());
    Html(restore_placeholders(&ALLOWED.clean(&rendered).to_string()))
}

/// Text with its invisible characters shown and the special characters of HTML replaced by
/// placeholders.
fn insert_placeholders(text: &str) -> CowStr<'static> {
    let replace = |c| {
        PLACEHOLDERS.iter().find(|(special, ..)| *special == c).map_or(c, |(_, other, _)| *other)
    };
    visible::block(text).chars().map(replace).collect::<String>().into()
}

/// Replaces each placeholder by the entity of its character.
fn restore_placeholders(html: &str) -> String {
    let mut out = String::with_capacity(html.len() * 2);
    for c in html.chars() {
        match PLACEHOLDERS.iter().find(|(_, other, _)| *other == c) {
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

/// An element whose end has not been reached.
enum OpenElement<'t> {
    /// An element of the output, with its end tag.
    Kept(TagEnd),
    /// A link with its URL, which becomes the text of a link without text.
    Link(CowStr<'t>),
    /// An element that is omitted; its content is kept.
    Omitted,
}

/// Turns the events of a Markdown parse into events that are safe to render.
struct Sanitizer<'t> {
    out: Vec<Event<'t>>,
    open: Vec<OpenElement<'t>>,
    /// The number of elements that may still be opened, initially one per byte of the text. Only a
    /// table reaches the limit, by the cells that are missing in its short rows.
    elements_left: usize,
    /// Whether the current link has visible text.
    has_visible_text: bool,
    /// The level of the latest heading.
    heading: usize,
    /// The level of the heading above the text.
    parent_level: usize,
}

impl<'t> Sanitizer<'t> {
    fn add(&mut self, event: Event<'t>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.add_text(&text),
            Event::Code(text) => {
                self.has_visible_text = true;
                self.out.push(Event::Code(insert_placeholders(&text)));
            }
            Event::TaskListMarker(done) => self.add_text(if done { "☑ " } else { "☐ " }),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.out.push(event),
            // The parse does not enable these.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.add_text(&text);
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        self.has_visible_text |= !text.trim().is_empty();
        self.out.push(Event::Text(insert_placeholders(text)));
    }

    fn start(&mut self, tag: Tag<'t>) {
        let is_within = self.open.len() < DEPTH_MAX && self.elements_left > 0;
        self.elements_left = self.elements_left.saturating_sub(1);
        let element = if is_within { self.open_element(tag) } else { OpenElement::Omitted };
        self.open.push(element);
    }

    fn open_element(&mut self, tag: Tag<'t>) -> OpenElement<'t> {
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
            // The parse does not enable these.
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
        OpenElement::Kept(end)
    }

    /// Opens a link, unless it is inside a link or its URL is too long.
    fn link(&mut self, dest_url: CowStr<'t>) -> OpenElement<'t> {
        let is_inside = self.open.iter().any(|element| matches!(element, OpenElement::Link(_)));
        if is_inside || dest_url.len() > URL_BYTES_MAX {
            return OpenElement::Omitted;
        }
        self.has_visible_text = false;
        let link_type = pulldown_cmark::LinkType::Inline;
        let (title, id) = (CowStr::from(""), CowStr::from(""));
        let tag = Tag::Link { link_type, dest_url: dest_url.clone(), title, id };
        self.out.push(Event::Start(tag));
        OpenElement::Link(dest_url)
    }

    /// The level of a heading in the page. No level is skipped, because screen readers navigate by
    /// levels.
    fn level(&self, written: HeadingLevel) -> usize {
        let written = match written {
            HeadingLevel::H1 => 1,
            HeadingLevel::H2 => 2,
            HeadingLevel::H3 => 3,
            HeadingLevel::H4 => 4,
            HeadingLevel::H5 => 5,
            HeadingLevel::H6 => 6,
        };
        (written + self.parent_level).min(self.heading + 1).min(6)
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(OpenElement::Kept(TagEnd::Heading(_)))
                if matches!(self.out.last(), Some(Event::Start(Tag::Heading { .. }))) =>
            {
                self.out.pop();
            }
            Some(OpenElement::Kept(end)) => self.out.push(Event::End(end)),
            Some(OpenElement::Link(dest_url)) => {
                if !self.has_visible_text {
                    self.add_text(&dest_url);
                }
                self.out.push(Event::End(TagEnd::Link));
            }
            Some(OpenElement::Omitted) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::render_markdown;

    fn html(text: &str) -> String {
        render_markdown(text, 3).to_string()
    }

    #[test]
    fn common_markdown_is_rendered() {
        let text = "# One\n\nA *b* **c** ~~d~~ `e`\n\n- [x] done\n\n| a |\n|---|\n| 1 |\n";
        let expected = "<h4>One</h4>\n<p>A <em>b</em> <strong>c</strong> <del>d</del> \
                        <code>e</code></p>\n<ul>\n<li>☑ done</li>\n</ul>\n<table><thead><tr>\
                        <th>a</th></tr></thead><tbody>\n<tr><td>1</td></tr>\n</tbody></table>\n";
        assert_eq!(html(text), expected);
    }

    #[test]
    fn raw_html_becomes_text() {
        assert_eq!(html("a <b onclick=x()>b</b>"), "<p>a &lt;b onclick=x()&gt;b&lt;/b&gt;</p>\n");
        let block = html("<script>alert(1)</script>");
        assert_eq!(block, "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
    }

    #[test]
    fn images_become_links_and_unsafe_urls_are_removed() {
        let rel = r#"rel="noopener noreferrer nofollow ugc""#;
        let picture = html("![a cat](https://x.test/cat.png)");
        assert_eq!(picture, format!("<p><a href=\"https://x.test/cat.png\" {rel}>a cat</a></p>\n"));
        let without_text = html("[![](https://x.test/a.png)](https://y.test/)");
        assert_eq!(
            without_text,
            format!("<p><a href=\"https://y.test/\" {rel}>https://y.test/</a></p>\n")
        );
        for unsafe_url in
            ["javascript:alert(1)", "data:text/html,x", "/logout", "//evil.test", "vbscript:x"]
        {
            let link = html(&format!("[x](<{unsafe_url}>)"));
            assert!(!link.contains("href"), "{link}");
        }
    }

    #[test]
    fn special_characters_of_html_become_text_in_every_notation() {
        let text = "a & b < c > d &amp;lt; `x < &amp;`\n\n    <i>&</i>\n";
        let expected = "<p>a &amp; b &lt; c &gt; d &amp;lt; <code>x &lt; &amp;amp;</code></p>\n\
                        <pre><code>&lt;i&gt;&amp;&lt;/i&gt;\n</code></pre>\n";
        assert_eq!(html(text), expected);
        for hidden in ["\u{202e}", "&#x202e;", "&#8238;"] {
            assert_eq!(html(&format!("a{hidden}b")), "<p>a⟨U+202E⟩b</p>\n", "{hidden}");
        }
        for placeholder in ["\u{10fff1}script>", "&#x10fff1;script>", "`&#x10fff1;`\u{10fff1}"] {
            let shown = html(placeholder);
            assert!(shown.contains("⟨U+10FFF1⟩") && !shown.contains("&lt;"), "{shown}");
        }
    }

    #[test]
    fn heading_levels_are_not_skipped() {
        assert_eq!(html("### deep\n\n# top\n\n#\n"), "<h4>deep</h4>\n<h4>top</h4>\n");
        assert_eq!(html("# a\n\n###### b"), "<h4>a</h4>\n<h5>b</h5>\n");
    }

    #[test]
    fn short_rows_of_a_wide_table_do_not_multiply_the_output() {
        let text =
            format!("|{}\n|{}\n{}", "a|".repeat(1600), "-|".repeat(1600), "|\n".repeat(1700));
        let rendered = html(&text);
        assert!(rendered.len() < 12 * text.len(), "{} of {}", rendered.len(), text.len());
        assert_eq!(rendered.matches("<th>").count(), 1600);
    }

    #[test]
    fn nesting_depth_is_limited() {
        let deep = html(&">".repeat(5000));
        assert!(deep.matches("<blockquote>").count() <= 24, "{}", deep.len());
        assert!(html(&"[".repeat(5000)).len() < 10_000);
        assert!(html(&"*a ".repeat(3000)).len() < 100_000);
        // This takes minutes if the time is quadratic.
        assert_eq!(html(&"&".repeat(60_000)).matches("&amp;").count(), 60_000);
        let long_url = format!("[words](https://x.test/?{})", "&".repeat(60_000));
        assert_eq!(html(&long_url), "<p>words</p>\n");
    }
}
