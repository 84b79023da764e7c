//! HTML exports: a single file with the pages' stylesheet, without scripts.

use askama::Template;

use crate::facts::Fact;
use crate::{Html, visible};

/// The part of the file before its entries.
#[derive(Template)]
#[template(path = "head.html")]
pub(crate) struct DocumentHead {
    /// `Debate` or `Run`.
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    /// The class and the label of the status.
    pub(crate) badge: (&'static str, &'static str),
    /// Sentences about the status.
    pub(crate) status: Vec<String>,
    pub(crate) facts: Vec<Fact>,
    /// The whole topic if the title is only its beginning.
    pub(crate) text: Option<String>,
}

/// The part of the file after its entries.
pub const FOOT: &str = "</ol>\n</main>\n</body>\n</html>\n";

/// Renders a template of this crate.
pub(crate) fn render(template: &impl Template) -> String {
    template.render().expect("a template that writes into memory does not fail")
}

/// A time of the API as an HTML element. Its text has minutes; the pages' script replaces it by the
/// local time.
#[must_use]
pub fn time_tag(time: &str) -> Html {
    let is_part = |c: &char| c.is_ascii_digit() || "-: T".contains(*c);
    let time: String = time.chars().take(19).filter(is_part).collect();
    let (day, clock) = time.split_at_checked(10).unwrap_or((&time, ""));
    let clock = clock.trim_start_matches(['T', ' ']);
    let minute = clock.get(..5).unwrap_or(clock);
    Html(format!(r#"<time datetime="{day}T{clock}Z">{day} {minute} UTC</time>"#))
}

/// The number of bytes of one entry that a page renders; an export has all of them.
pub(crate) const PAGE_BYTES_MAX: usize = 64 * 1024;

/// Content of an entry as HTML below a heading of level 3, and its size if it is cut off.
pub(crate) fn content(text: &str, bytes_max: usize) -> (Option<Html>, Option<usize>) {
    let shown = text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text);
    let is_blank = shown.trim().is_empty();
    let html = (!is_blank).then(|| crate::render_markdown(shown, 3));
    (html, (shown.len() < text.len()).then_some(text.len()))
}

impl DocumentHead {
    pub(crate) fn new(
        kind: &'static str,
        title: &str,
        badge: (&'static str, &'static str),
    ) -> Self {
        let (status, facts) = (Vec::new(), Vec::new());
        Self { kind, title: visible::line(title), badge, status, facts, text: None }
    }
}

#[cfg(test)]
mod tests {
    use super::time_tag;

    #[test]
    fn times_of_every_context_become_elements() {
        let element = r#"<time datetime="2026-11-15T20:29:30Z">2026-11-15 20:29 UTC</time>"#;
        for time in ["2026-11-15 20:29:30", "2026-11-15T20:29:30.123456Z"] {
            assert_eq!(time_tag(time).to_string(), element);
        }
        assert!(!time_tag("\"><script>").to_string().contains("script"));
    }
}
