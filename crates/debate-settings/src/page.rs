//! The tables of `docs/configuration.md`.

use std::fmt::Write;

use crate::SettingGroup;
use crate::table::GROUPS;

const HEAD: &str = "| setting | default | meaning |\n|---|---|---|\n";

/// Replaces the table of each section of the document by the rows of the table of settings.
/// Other text is unchanged.
#[must_use]
pub fn render_tables(document: &str) -> String {
    let mut sections = document.split_inclusive("\n## ");
    let mut rendered = sections.next().unwrap_or_default().to_owned();
    for section in sections {
        let title = section.lines().next().unwrap_or_default();
        let rows = render_rows(GROUPS.iter().filter(|group| group.title == title));
        match section.split_once(HEAD) {
            Some((before, table)) => {
                let after = table.find("\n\n").map_or("", |end| table.split_at(end + 1).1);
                rendered.extend([before, HEAD, &rows, after]);
            }
            None => rendered.push_str(section),
        }
    }
    rendered
}

fn render_rows<'g>(groups: impl Iterator<Item = &'g SettingGroup>) -> String {
    groups.flat_map(|group| group.settings).fold(String::new(), |mut rows, setting| {
        let default = setting.default.map_or("none".to_owned(), |text| format!("`{text}`"));
        let (variable, description) = (setting.variable, setting.description);
        let _ = writeln!(rows, "| `{variable}` | {default} | {description} |");
        rows
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use super::*;

    #[test]
    fn reference_page_has_the_rows_of_the_table() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
        let document = fs::read_to_string(&path).expect("the document exists");
        let rendered = render_tables(&document);
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &rendered).expect("the document can be written");
            return;
        }
        for group in GROUPS {
            let heading = format!("\n## {}\n", group.title);
            assert!(document.contains(&heading), "section {} is missing", group.title);
        }
        for (found, expected) in document.lines().zip(rendered.lines()) {
            assert_eq!(found, expected, "run the tests of this crate with UPDATE_DOCS=1");
        }
        assert_eq!(document.lines().count(), rendered.lines().count());
    }
}
