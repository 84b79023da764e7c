//! The documentation of `docs/`, embedded in the binary and rendered as pages under `/guide`.
//!
//! The text is the project's own, so it needs no sanitizing. Links between documents become links
//! between pages, and pictures are served from the binary.

use askama::Template;
use debate_core::markdown;
use pulldown_cmark::{CowStr, Event, Tag, TagEnd, html};

use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::PageOutcome;

/// The documents in the order of the page's index: name and Markdown text.
const DOCUMENTS: [(&str, &str); 11] = [
    ("guide", include_str!("../../../docs/guide.md")),
    ("agents", include_str!("../../../docs/agents.md")),
    ("runner", include_str!("../../../docs/runner.md")),
    ("http", include_str!("../../../docs/http.md")),
    ("configuration", include_str!("../../../docs/configuration.md")),
    ("operations", include_str!("../../../docs/operations.md")),
    ("scale", include_str!("../../../docs/scale.md")),
    ("data", include_str!("../../../docs/data.md")),
    ("guarantees", include_str!("../../../docs/guarantees.md")),
    ("performance", include_str!("../../../docs/performance.md")),
    ("glossary", include_str!("../../../docs/glossary.md")),
];

/// The PNG images that the documents show, by file name.
pub const IMAGES: [(&str, &[u8]); 4] = [
    ("arena-dark.png", include_bytes!("../../../docs/images/arena-dark.png")),
    ("debate-light.png", include_bytes!("../../../docs/images/debate-light.png")),
    ("run-light.png", include_bytes!("../../../docs/images/run-light.png")),
    ("solution-light.png", include_bytes!("../../../docs/images/solution-light.png")),
];

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage {
    frame: Frame,
    /// Name and title of each document.
    index: Vec<(&'static str, &'static str)>,
    current: &'static str,
    body: String,
}

/// The page of a document; none for an unknown name.
#[must_use]
pub fn document(request: &PageRequest, name: &str) -> Option<PageOutcome> {
    let &(current, text) = DOCUMENTS.iter().find(|(document, _)| *document == name)?;
    let page = GuidePage {
        frame: request.frame(Section::Guide, title(text)),
        index: DOCUMENTS.iter().map(|(name, text)| (*name, title(text))).collect(),
        current,
        body: render(text, &request.base_path),
    };
    Some(PageOutcome::Shown(request.render(&page)))
}

/// The document's first heading.
fn title(text: &'static str) -> &'static str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

fn render(text: &str, base_path: &str) -> String {
    let mut events: Vec<Event<'_>> = markdown::parse(text).collect();
    add_anchors(&mut events);
    let mut is_link = true;
    let events = events.into_iter().filter_map(|event| {
        if let Event::Start(Tag::Link { link_type, dest_url, title, id }) = event {
            let address = page_address(&dest_url, base_path);
            is_link = address.is_some();
            let link = |dest_url| Event::Start(Tag::Link { link_type, dest_url, title, id });
            return address.map(link);
        }
        if let Event::Start(Tag::Image { link_type, dest_url, title, id }) = event {
            let dest_url = format!("{base_path}/guide/{dest_url}").into();
            return Some(Event::Start(Tag::Image { link_type, dest_url, title, id }));
        }
        (is_link || !matches!(event, Event::End(TagEnd::Link))).then_some(event)
    });
    let mut body = String::with_capacity(text.len() * 2);
    html::push_html(&mut body, events);
    body
}

/// The address of a link on this server: `agents.md#x` leads to the page of that document. A file
/// of the repository that is not served has none.
fn page_address(link: &str, base_path: &str) -> Option<CowStr<'static>> {
    if link.contains("://") || link.starts_with('#') {
        return Some(link.to_owned().into());
    }
    if let Some(path) = link.strip_prefix('/') {
        return Some(format!("{base_path}/{path}").into());
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let name = file.strip_suffix(".md")?;
    let (name, _) = DOCUMENTS.iter().find(|(document, _)| *document == name)?;
    let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    Some(format!("{base_path}/guide/{name}{anchor}").into())
}

/// Gives each heading the id that GitHub gives it, so that anchors work in both places.
fn add_anchors(events: &mut [Event<'_>]) {
    let mut index = 0;
    while let Some(event) = events.get(index) {
        if matches!(event, Event::Start(Tag::Heading { .. })) {
            let inside = events.iter().skip(index + 1);
            let inside =
                inside.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
            let heading: String = inside.filter_map(heading_text).collect();
            if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(index) {
                *id = Some(anchor(&heading).into());
            }
        }
        index += 1;
    }
}

fn heading_text<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    if let Event::Text(text) | Event::Code(text) = event { Some(text) } else { None }
}

fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{DOCUMENTS, anchor, page_address, render, title};

    #[test]
    fn links_between_documents_lead_to_pages() {
        for (link, address) in [
            ("agents.md", "/base/guide/agents"),
            ("runner.md#prices", "/base/guide/runner#prices"),
            ("#prices", "#prices"),
            ("https://example.org/x", "https://example.org/x"),
            ("/docs", "/base/docs"),
        ] {
            assert_eq!(page_address(link, "/base").as_deref(), Some(address), "{link}");
        }
        assert_eq!(render("[The map](../ARCHITECTURE.md)", ""), "<p>The map</p>\n");
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        assert_eq!(anchor("Rule, and `close` it!"), "rule-and-close-it");
        assert!(render("## A `b` c", "").contains("<h2 id=\"a-b-c\">"));
    }

    #[test]
    fn every_anchor_that_a_document_links_to_exists() {
        let pages: Vec<_> = DOCUMENTS.map(|(name, text)| (name, render(text, ""))).into();
        for (name, html) in &pages {
            for link in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let Some((page, anchor)) = link.split_once('#') else { continue };
                let page = page.rsplit('/').next().filter(|page| !page.is_empty()).unwrap_or(name);
                let Some((_, target)) = pages.iter().find(|(other, _)| *other == page) else {
                    continue;
                };
                assert!(target.contains(&format!("id=\"{anchor}\"")), "{name} links to {link}");
            }
        }
    }

    #[test]
    fn every_document_has_a_title() {
        for (name, text) in DOCUMENTS {
            assert!(text.starts_with("# ") && !title(text).is_empty(), "{name}");
        }
    }
}
