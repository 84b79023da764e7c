//! The structure of the code: dependencies between crates and contexts, limits of lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 400;
const COLUMNS_MAX: usize = 100;
const FUNCTION_LINES_MAX: usize = 60;
const HANDLER_LINES_MAX: usize = 15;

/// The crates of the project that each crate may use.
const DEPENDENCIES: [(&str, &[&str]); 12] = [
    ("debate-core", &[]),
    ("debate-net", &[]),
    ("debate-settings", &[]),
    ("debate-app", &["debate-core"]),
    ("debate-wire", &["debate-core"]),
    ("debate-store", &["debate-app", "debate-core", "debate-net"]),
    ("debate-llm", &["debate-app", "debate-core", "debate-net"]),
    ("debate-render", &["debate-core", "debate-wire"]),
    ("debate-pages", &["debate-app", "debate-core", "debate-render", "debate-wire"]),
    ("debate-http", &["debate-app", "debate-core", "debate-pages", "debate-render", "debate-wire"]),
    (
        "debate-cli",
        &["debate-core", "debate-net", "debate-render", "debate-settings", "debate-wire"],
    ),
    (
        "aw",
        &[
            "debate-app",
            "debate-cli",
            "debate-core",
            "debate-http",
            "debate-llm",
            "debate-settings",
            "debate-store",
        ],
    ),
];

/// Words that the source of a crate must not contain, because the crate must not use that library
/// or service.
const FORBIDDEN_WORDS: [(&str, &[&str]); 10] = [
    ("debate-core", &["serde", "tokio", "rusqlite", "axum", "std::env", "::now(", "async fn"]),
    ("debate-app", &["serde", "rusqlite", "axum", "StatusCode", "std::env", "select "]),
    ("debate-wire", &["tokio", "rusqlite", "axum", "StatusCode", "std::env"]),
    ("debate-store", &["serde", "axum", "StatusCode", "std::env", "format!(\"select"]),
    ("debate-llm", &["rusqlite", "axum", "StatusCode", "std::env", "::now(", "install_default"]),
    ("debate-render", &["tokio", "axum", "StatusCode", "std::env", "derive(Serialize", "async fn"]),
    ("debate-pages", &["axum", "hyper", "tokio::net", "StatusCode", "rusqlite", "std::env"]),
    ("debate-http", &["askama", "rusqlite", "std::env", "select *"]),
    (
        "debate-cli",
        &[
            "rusqlite",
            "axum",
            "StatusCode",
            "std::env",
            "derive(Serialize",
            "Deserialize)",
            "select ",
        ],
    ),
    ("aw", &["rusqlite", "StatusCode", "axum::"]),
];

const CONTEXTS: [&str; 3] = ["arena", "runner", "forum"];

/// Crates that test or measure the server, and use none of its crates.
const TEST_CRATES: [&str; 3] = ["bench", "proof", "testbed"];

pub(crate) fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/ is above").to_owned()
}

fn project() -> PathBuf {
    crates().parent().expect("the project is above crates/").to_owned()
}

/// Every Rust file below `folder`, with its text.
pub(crate) fn sources(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("source is text");
            found.insert(path, text);
        }
    }
    found
}

#[test]
fn crates_use_only_the_listed_crates() {
    for (name, may_use) in DEPENDENCIES {
        let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
        let dependencies = dependencies.split("[dev-dependencies]").next().unwrap();
        let used: Vec<_> = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|word| word.starts_with("debate-"))
            .collect();
        assert_eq!(used, may_use, "{name}");
    }
    let folders = fs::read_dir(crates()).unwrap().count();
    assert_eq!(folders, DEPENDENCIES.len(), "every crate is listed");
    for name in TEST_CRATES {
        let manifest = fs::read_to_string(project().join(name).join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("debate-"), "{name} must not use crates of the server");
    }
}

#[test]
fn crates_do_not_contain_their_forbidden_words() {
    for (name, forbidden) in FORBIDDEN_WORDS {
        for (path, text) in sources(&crates().join(name).join("src")) {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for word in forbidden {
                    assert!(!line.contains(word), "{}: {word}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn contexts_do_not_use_one_another() {
    for name in DEPENDENCIES.map(|(name, _)| name) {
        // Contexts of the integration tests share helpers in `support` only.
        let tests =
            if name == "aw" { sources(&crates().join("aw/tests/it")) } else { BTreeMap::new() };
        for (path, text) in sources(&crates().join(name).join("src")).into_iter().chain(tests) {
            // The folder that holds the project may have the name of a context.
            let inside = path.strip_prefix(crates()).unwrap_or(&path);
            let is_part = |context: &&&str| {
                let stem = |part: std::path::Component<'_>| {
                    Path::new(part.as_os_str()).file_stem().is_some_and(|stem| stem == **context)
                };
                inside.components().any(stem)
            };
            let own = CONTEXTS.iter().find(is_part);
            // The sections of the settings table share their bounds.
            let own = own.filter(|_| name != "debate-settings");
            let Some(own) = own else { continue };
            for other in CONTEXTS.iter().filter(|context| *context != own) {
                let forbidden = [format!("{other}::"), format!("::{other}")];
                let clean = !forbidden.iter().any(|word| text.contains(word.as_str()));
                assert!(clean, "{} uses {other}", path.display());
            }
        }
    }
}

#[test]
fn command_line_has_a_module_for_each_context() {
    let source = crates().join("debate-cli/src");
    for (layer, context) in
        ["args", "commands", "output"].iter().flat_map(|layer| CONTEXTS.map(|name| (layer, name)))
    {
        let folder = source.join(layer).join(context);
        assert!(folder.is_dir() || folder.with_extension("rs").is_file(), "{layer}/{context}");
    }
}

#[test]
fn test_tree_has_a_module_for_each_context() {
    let tests = crates().join("aw/tests/it");
    for (layer, context) in
        ["", "cli", "web"].iter().flat_map(|layer| CONTEXTS.map(|name| (layer, name)))
    {
        assert!(tests.join(layer).join(context).is_dir(), "{layer}/{context}");
    }
}

#[test]
fn files_lines_and_functions_stay_readable() {
    let mut all = sources(&crates());
    all.extend(TEST_CRATES.iter().flat_map(|name| sources(&project().join(name))));
    for (path, text) in all {
        let shown = path.display();
        assert!(text.starts_with("//!"), "{shown} does not begin with its purpose (//!)");
        let lines = text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{shown} has {lines} lines");
        for (number, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            assert!(columns <= COLUMNS_MAX, "{shown}:{} has {columns} columns", number + 1);
        }
        // A table of cases may be as long as it needs; code may not.
        if path.components().any(|part| part.as_os_str() == "src") {
            for (name, body) in functions(&text) {
                assert!(body <= FUNCTION_LINES_MAX, "{shown}: {name} has {body} lines");
            }
        }
    }
}

#[test]
fn handlers_are_short() {
    for context in ["arena", "runner", "forum", "system", "pages"] {
        for (path, text) in sources(&crates().join("debate-http/src").join(context)) {
            for (name, body) in functions(&text) {
                let is_handler = text.contains(&format!("pub(crate) async fn {name}"));
                let short = !is_handler || body <= HANDLER_LINES_MAX;
                assert!(short, "{}: {name} has {body} lines", path.display());
            }
        }
    }
}

/// Every part of the server has a router of its own, with its own access rules and error format.
/// A test of a path elsewhere would be a second, hidden router.
#[test]
fn only_the_router_tests_path_prefixes() {
    let tests = ["starts_with(\"/", "strip_prefix(\"/", "== \"/", "!= \"/", "=> \"/", "| \"/"];
    for (path, text) in sources(&crates().join("debate-http/src")) {
        if path.ends_with("router.rs") {
            continue;
        }
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let is_test = tests.iter().any(|test| {
                let after = line.split(test).nth(1).unwrap_or_default();
                after.starts_with(|letter: char| letter.is_ascii_alphabetic())
            });
            assert!(!is_test, "{}: {line}", path.display());
        }
    }
}

/// The name of each function and the number of lines in its body. The indentation of rustfmt marks
/// the end of a body.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<_> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some((before, after)) = line.split_once("fn ") else { continue };
        let words = before.trim();
        let is_item = words.is_empty()
            || words.split(' ').all(|word| {
                word.starts_with("pub")
                    || ["async", "const", "unsafe", "(in", "super::super)"].contains(&word)
            });
        if !is_item || after.starts_with('(') {
            continue;
        }
        let name = after.split(['(', '<']).next().unwrap_or_default().to_owned();
        let closing = format!("{}}}", " ".repeat(indent));
        let rest = lines.get(at..).unwrap_or_default();
        let Some(opened) = rest.iter().position(|line| line.ends_with(['{', '}', ';'])) else {
            continue;
        };
        if !rest.get(opened).is_some_and(|line| line.ends_with('{')) {
            continue; // a trait's method, or all on one line
        }
        let Some(end) = rest.iter().position(|line| **line == closing) else { continue };
        found.push((name, end.saturating_sub(opened + 1)));
    }
    found
}

#[test]
fn every_migration_is_executed() {
    let store = crates().join("debate-store");
    for engine in ["sqlite", "postgres"] {
        let code = store.join("src").join(engine).join("migrate.rs");
        let code = fs::read_to_string(code).unwrap();
        for entry in fs::read_dir(store.join("migrations").join(engine)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(code.contains(&format!("{engine}/{name}")), "{engine}/{name} is never run");
        }
    }
}

/// Prompt versions that the code no longer uses. A test pins their texts.
const SUPERSEDED_PROMPTS: [&str; 1] = ["guardrail-v1"];

#[test]
fn every_prompt_is_used_and_pinned() {
    let core = crates().join("debate-core");
    let code: String = sources(&core.join("src")).into_values().collect();
    let pins = fs::read_to_string(core.join("tests/it/prompts.rs")).unwrap();
    for version in fs::read_dir(core.join("prompts")).unwrap() {
        let version = version.unwrap();
        let folder = version.file_name().into_string().unwrap();
        for entry in fs::read_dir(version.path()).unwrap() {
            let path = format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap());
            assert!(pins.contains(&format!("\"{path}\"")), "{path} is not pinned");
            let is_used = code.contains(&format!("prompts/{path}"));
            let is_superseded = SUPERSEDED_PROMPTS.contains(&folder.as_str());
            assert!(is_used != is_superseded, "{path} is used: {is_used}");
        }
    }
}

#[test]
fn log_messages_are_fixed_lower_case_texts() {
    for (path, text) in sources(&crates()) {
        for message in log_messages(&text) {
            let is_fixed = !message.contains('{');
            let is_lower = message.starts_with(|letter: char| letter.is_ascii_lowercase());
            assert!(is_fixed && is_lower, "{}: {message:?}", path.display());
        }
    }
}

/// The last string of each call of a logging macro.
fn log_messages(text: &str) -> Vec<&str> {
    let calls = text.match_indices("tracing::").filter_map(|(at, name)| {
        let (level, call) = text.get(at + name.len()..)?.split_once("!(")?;
        ["error", "warn", "info", "debug", "trace"].contains(&level).then_some(call)
    });
    calls.filter_map(|call| call.get(..end_of_arguments(call))?.rsplit('"').nth(1)).collect()
}

/// The position of the parenthesis that closes an argument list.
fn end_of_arguments(call: &str) -> usize {
    let (mut depth, mut in_string) = (1, false);
    for (at, letter) in call.char_indices() {
        match letter {
            '"' => in_string = !in_string,
            '(' if !in_string => depth += 1,
            ')' if !in_string => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    call.len()
}
