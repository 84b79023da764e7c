//! Attack strings for text fields, and checks that a page with them does no harm.

use serde_json::json;

use super::browser::Browser;
use super::server::Server;

/// One attack string per line; `\n` is a line break.
const CORPUS: &str = include_str!("attack_strings.txt");

/// Runs before every script of a page and records forbidden events.
pub(crate) const RECORDER: &str = "
    window.executed = [];
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) {
        window[name] = (...words) => { window.executed.push([name, ...words].join(' ')); };
    }
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
        window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
    });
";

/// Elements that neither the templates nor the allow-list produce.
const FOREIGN: &str = "[
    ...[...document.querySelectorAll('*')].flatMap((element) =>
        [...element.attributes].map((attribute) => attribute.name)
            .filter((name) => name.startsWith('on') || name === 'style')),
    ...[...document.querySelectorAll(
        'iframe, object, embed, img, svg:not(.chart), math, video, audio, base, style, ' +
        'meta[http-equiv], ' +
        '.prose form, .prose input, .prose button, .prose script, .prose link, .prose [id]'
    )].map((element) => element.outerHTML),
    ...[...document.querySelectorAll('.prose a')].map((link) => link.getAttribute('href') ?? '')
        .filter((href) => href && !/^(https?:\\/\\/|mailto:)/i.test(href)),
]";

pub(crate) fn attack_strings() -> Vec<String> {
    let lines = CORPUS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("## "));
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

pub(crate) async fn assert_harmless(browser: &Browser, what: &str) {
    let seen = format!("[window.executed, window.violations, {FOREIGN}]");
    assert_eq!(browser.eval(&seen).await, json!([[], [], []]), "{what}");
}

/// Asserts that all requests since the last check went to the server, and that the
/// browser reported no violation.
pub(crate) async fn assert_no_foreign_requests(browser: &Browser, server: &Server) {
    assert_eq!(browser.console_messages().await, [""; 0]);
    let requested = browser.requested_urls().await;
    assert!(!requested.is_empty(), "the browser tells what it asks for");
    for url in requested {
        assert!(url.starts_with(&server.url), "a page asked for {url}");
    }
}
