//! Evidence links: valid ones, and texts that must be refused.

use debate_core::forum::{EvidenceLink, NotALink};
use proptest::prelude::*;

fn link(text: &str) -> Result<EvidenceLink, NotALink> {
    EvidenceLink::new(text.to_owned())
}

#[test]
fn url_with_a_named_host_is_a_link() {
    for text in [
        "https://example.org",
        "HTTPS://Example.ORG/a?b=c#d",
        "https://example.org:8443/path/@user",
        "https://example.org:65535/",
        "https://xn--bcher-kva.example/",
        "https://bücher.example/ü",
        "https://127.example.org/",
        "https://example.org./",
        "https://a_b.example.org/%20",
        "https://1.2.3.4.example/",
        "https://face.b00c/",
    ] {
        assert_eq!(link(text).map(|link| link.as_str().to_owned()), Ok(text.to_owned()));
    }
}

#[test]
fn invalid_link_is_refused_with_its_reason() {
    for (text, why) in [
        ("", NotALink::Scheme),
        ("http://example.org", NotALink::Scheme),
        ("ftp://example.org", NotALink::Scheme),
        ("javascript:alert(1)", NotALink::Scheme),
        ("data:text/html,x", NotALink::Scheme),
        ("//example.org", NotALink::Scheme),
        ("https:/example.org", NotALink::Scheme),
        (" https://example.org", NotALink::Scheme),
        ("https://", NotALink::Host),
        ("https:///path", NotALink::Host),
        ("https://localhost/", NotALink::Host),
        ("https://example..org/", NotALink::Host),
        ("https://-a.example/", NotALink::Host),
        ("https://example.org:port/", NotALink::Host),
        ("https://example.org:999999/", NotALink::Host),
        ("https://ex%61mple.org/", NotALink::Host),
        ("https://user@example.org/", NotALink::UserInfo),
        ("https://user:pass@example.org/", NotALink::UserInfo),
        ("https://example.org@evil.example/", NotALink::UserInfo),
        ("https://example.org /", NotALink::Characters),
        ("https://example.org/\n", NotALink::Characters),
        ("https://example.org\\@evil.example/", NotALink::Characters),
        ("https://example.org/\"><script>", NotALink::Characters),
        ("https://127.0.0.1/", NotALink::Address),
        ("https://127.1/", NotALink::Address),
        ("https://2130706433/", NotALink::Address),
        ("https://0x7f000001/", NotALink::Address),
        ("https://0x7f.1/", NotALink::Address),
        ("https://0X7F.0.0.0X1/", NotALink::Address),
        ("https://0177.0.0.01/", NotALink::Address),
        ("https://127.0.0.1./", NotALink::Address),
        ("https://１２７.0.0.１/", NotALink::Address),
        ("https://[::1]/", NotALink::Address),
        ("https://[::ffff:127.0.0.1]:443/", NotALink::Address),
        ("https://169.254.169.254/latest/meta-data", NotALink::Address),
    ] {
        assert_eq!(link(text).map(|_| ()), Err(why), "{text:?}");
    }
    assert_eq!(link(&format!("https://example.org/{}", "x".repeat(1980))).map(|_| ()), Ok(()));
    let long = format!("https://example.org/{}", "x".repeat(1981));
    assert_eq!(link(&long).map(|_| ()), Err(NotALink::TooLong));
}

#[test]
fn host_has_at_most_253_characters() {
    let host = |length: usize| format!("https://{}.example/", "a".repeat(length - 8));
    for (length, expected) in
        [(253, Ok(())), (254, Err(NotALink::Host)), (255, Err(NotALink::Host))]
    {
        assert_eq!(link(&host(length)).map(|_| ()), expected, "{length}");
    }
}

proptest! {
    #[test]
    fn ipv4_address_in_any_spelling_is_not_a_host(
        address: u32, radix in 0..3_usize, parts in 1..5_u32,
    ) {
        let spell = |number: u32| match radix {
            0 => number.to_string(),
            1 => format!("0x{number:x}"),
            _ => format!("0{number:o}"),
        };
        // The last part holds the bytes that the other parts leave.
        let leading = (0..parts - 1).map(|at| spell((address >> (24 - 8 * at)) & 0xff));
        let last = address & (u32::MAX >> (8 * (parts - 1)));
        let host: Vec<String> = leading.chain([spell(last)]).collect();
        let text = format!("https://{}/", host.join("."));
        prop_assert_eq!(link(&text).map(|_| ()), Err(NotALink::Address), "{}", text);
    }

    #[test]
    fn accepted_link_has_a_named_host(text in "https://[a-z0-9.@:\\[\\]x/?#%-]{0,30}") {
        if let Ok(link) = link(&text) {
            let host = link.as_str()[8..].split(['/', '?', '#', ':']).next().unwrap_or_default();
            let host = host.trim_end_matches('.');
            prop_assert!(host.contains('.') && !host.contains('@'));
            let last = host.rsplit('.').next().unwrap_or_default();
            prop_assert!(!last.bytes().all(|byte| byte.is_ascii_digit()));
        }
    }
}
