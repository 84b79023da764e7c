//! Evidence links as pages show them: the host in its ASCII form (Punycode), which reveals
//! look-alike hosts, and invisible or direction-changing characters by their numbers.

use debate_core::forum::EvidenceLink;
use debate_render::visible;

/// A link's address and the text it is shown with.
pub(crate) struct EvidenceLinkView {
    pub(crate) address: String,
    pub(crate) text: String,
}

impl EvidenceLinkView {
    pub(super) fn new(link: &EvidenceLink) -> Self {
        let address = with_ascii_host(link.as_str());
        let text = visible::line(&address);
        Self { address, text }
    }
}

/// The link with its host in ASCII. A host without an ASCII form stays; browsers do not open it.
fn with_ascii_host(link: &str) -> String {
    let Some((scheme, rest)) = link.split_once("://") else { return link.to_owned() };
    let end = rest.find([':', '/', '?', '#']).unwrap_or(rest.len());
    let (host, after_host) = rest.split_at(end);
    let ascii = idna::domain_to_ascii(host).unwrap_or_else(|_| host.to_owned());
    format!("{scheme}://{ascii}{after_host}")
}

#[cfg(test)]
mod tests {
    use debate_core::forum::EvidenceLink;

    use super::EvidenceLinkView;

    #[test]
    fn hosts_are_shown_in_ascii_and_hidden_characters_by_number() {
        for (link, text) in [
            ("https://example.org/a?b#c", "https://example.org/a?b#c"),
            ("https://аpple.com/login", "https://xn--pple-43d.com/login"),
            ("https://bücher.example:8443", "https://xn--bcher-kva.example:8443"),
            ("https://x.test/\u{202e}gpj.exe", "https://x.test/⟨U+202E⟩gpj.exe"),
        ] {
            let link = EvidenceLink::new(link.to_owned()).expect("it is a link");
            assert_eq!(EvidenceLinkView::new(&link).text, text);
        }
    }
}
