//! Links with parameters: filters above lists, and pagination below them.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The path with those parameters that are not empty.
pub(crate) fn link(path: &str, params: &[(&str, &str)]) -> String {
    let present = params.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = present
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)))
        .collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

/// The position of a list's page.
#[derive(Debug, Default)]
pub struct Pagination {
    /// Whether the page is the first of its list.
    pub is_first: bool,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
}

impl Pagination {
    /// The link to the next page: the path with the parameters and the cursor.
    pub(crate) fn next_link(&self, path: &str, params: &[(&str, &str)]) -> Option<String> {
        let cursor = [("cursor", self.next.as_deref()?)];
        Some(link(path, &[params, &cursor].concat()))
    }
}

/// One of the filters above a list.
pub(crate) struct FilterLink {
    pub(crate) label: &'static str,
    pub(crate) link: String,
    pub(crate) is_current: bool,
}

/// The links of a filter. `options` are labels with the values that they give the parameter `name`;
/// `params` are the other parameters.
pub(crate) fn filter_links(
    path: &str,
    params: &[(&str, &str)],
    (name, current): (&str, &str),
    options: &[(&'static str, &str)],
) -> Vec<FilterLink> {
    let filter = |(label, value): &(&'static str, &str)| FilterLink {
        label,
        link: link(path, &[params, &[(name, *value)]].concat()),
        is_current: *value == current,
    };
    options.iter().map(filter).collect()
}
