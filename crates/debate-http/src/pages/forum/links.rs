//! Addresses of the forum's pages.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// A page with what it is asked for; what is empty is left out.
pub(super) fn link(page: &str, named: &[(&str, &str)]) -> String {
    let given = named.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = given
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)))
        .collect();
    if pairs.is_empty() { page.to_owned() } else { format!("{page}?{}", pairs.join("&")) }
}

/// One of the filters above a list.
pub(crate) struct Choice {
    pub(crate) words: &'static str,
    pub(crate) link: String,
    pub(crate) is_chosen: bool,
}

/// The filters of a page: `value` is what `name` has to be for each.
pub(super) fn choices(
    page: &str,
    name: &str,
    chosen: &str,
    offered: &[(&'static str, &str)],
) -> Vec<Choice> {
    let choice = |(words, value): &(&'static str, &str)| Choice {
        words,
        link: link(page, &[(name, *value)]),
        is_chosen: *value == chosen,
    };
    offered.iter().map(choice).collect()
}
