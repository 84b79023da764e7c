//! A type name has one meaning: names that are defined three times or more need a reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::architecture::{crates, sources};

/// The number of definitions from which a name needs a reason.
const DEFINITIONS: usize = 3;

/// Names that are defined [`DEFINITIONS`] times or more, each with its reason. Associated types of
/// traits do not count.
const REPEATED: [(&str, &str); 8] = [
    ("CreateDebate", "one name in the published schemas of each API family"),
    ("Debate", "one name in the published schemas of each API family"),
    ("Failure", "one name in the published schemas of each API family"),
    ("ListQuery", "one name in the published schemas of each API family"),
    ("Notice", "one name in the published schemas of each API family"),
    ("Reason", "one name in the published schemas of each API family"),
    ("Stance", "the wire type mirrors the core type"),
    ("StreamEvent", "one name in the published schemas of each API family"),
];

/// The name that a line defines: `pub(crate) struct Name<T> {` and the like.
fn defined(line: &str) -> Option<&str> {
    let is_indented = line.starts_with(' ');
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let is_type = match keyword {
        "struct" | "enum" | "trait" => true,
        "type" => !is_indented,
        _ => false,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_type && end > 0).then(|| rest.split_at(end).0)
}

fn definitions() -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in fs::read_dir(crates()).expect("crates/ can be read") {
        let folder = folder.expect("crates/ can be read").path();
        for (path, text) in sources(&folder.join("src")) {
            let path = path.strip_prefix(crates()).map_or(path.clone(), Path::to_path_buf);
            for name in text.lines().filter_map(defined) {
                places.entry(name.to_owned()).or_default().push(path.display().to_string());
            }
        }
    }
    places
}

#[test]
fn repeated_type_names_have_a_reason() {
    let places = definitions();
    let repeated = places.iter().filter(|(_, paths)| paths.len() >= DEFINITIONS);
    let unexplained: Vec<_> =
        repeated.filter(|(name, _)| REPEATED.iter().all(|(known, _)| known != name)).collect();
    assert!(unexplained.is_empty(), "rename these types, or give a reason: {unexplained:#?}");
    assert!(REPEATED.iter().all(|(_, reason)| !reason.is_empty()));
}
