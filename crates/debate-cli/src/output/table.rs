//! Lists: rows whose columns fit the terminal, and the same rows as a Markdown table.

use debate_render::{escape_line, visible};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::text::TextStyle;

/// The space between two columns.
const GAP: &str = "  ";

/// The least width of the first column, which otherwise gets what the others leave.
const FIRST_COLUMNS_MIN: usize = 12;

/// The heading of a column with ids.
const ID_HEADING: &str = "ID";

/// The characters of a short id.
const SHORT_ID_CHARS: usize = 8;

/// The indentation of a value that has a line of its own.
const INDENT: &str = "    ";

/// A value of a row, without colours.
pub(super) struct Cell {
    text: String,
    /// The ANSI code of its colour.
    colour: Option<&'static str>,
}

impl Cell {
    /// Text of a participant on one line; its control characters become visible.
    pub(super) fn new(text: &str) -> Self {
        Self { text: visible::line(text), colour: None }
    }

    pub(super) fn painted(text: &str, colour: &'static str) -> Self {
        Self { colour: Some(colour), ..Self::new(text) }
    }
}

/// A list. The first column has the titles, and the ids are in the last one.
pub(super) struct Table {
    headings: &'static [&'static str],
    /// The heading of the last column.
    last: &'static str,
    rows: Vec<(Vec<Cell>, String)>,
}

impl Table {
    /// An empty list with the headings of its columns, without that of the ids.
    pub(super) const fn new(headings: &'static [&'static str]) -> Self {
        Self { headings, last: ID_HEADING, rows: Vec::new() }
    }

    /// The list with another last column than ids.
    pub(super) fn with_last(self, last: &'static str) -> Self {
        Self { last, ..self }
    }

    /// Adds a row with a value for each heading.
    pub(super) fn add(&mut self, cells: Vec<Cell>, id: &str) {
        self.rows.push((cells, visible::line(id)));
    }

    /// Aligned rows. On a terminal the title is shortened to fit. If the terminal is narrow, ids
    /// are shortened, and other names get a line of their own, because commands need them whole.
    pub(super) fn text(&self, style: TextStyle) -> String {
        let mut widths: Vec<usize> = (0..self.headings.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|(cells, _)| cells.get(column));
                cells.map(|cell| cell.text.width()).max().unwrap_or_default()
            })
            .collect();
        let mut last = LastColumn::Whole;
        if let (Some(available), Some((first, others))) = (style.width, widths.split_first_mut()) {
            let others: usize = others.iter().map(|width| width + GAP.len()).sum();
            let id = self.rows.iter().map(|(_, id)| id.width()).max().unwrap_or_default();
            // The last column is unused, because terminals differ in when they wrap.
            let left = |id: usize| available.saturating_sub(others + GAP.len() + id + 1);
            if left(id) < (*first).min(FIRST_COLUMNS_MIN * 2) {
                let is_id = self.last == ID_HEADING;
                last = if is_id { LastColumn::Short } else { LastColumn::Below };
            }
            let left = left(match last {
                LastColumn::Whole => id,
                LastColumn::Short => SHORT_ID_CHARS,
                LastColumn::Below => 0,
            });
            *first = (*first).min(left.max(FIRST_COLUMNS_MIN));
        }
        let row = |(cells, id): &(Vec<Cell>, String)| row_text(cells, id, &widths, last, style);
        let mut out: String = self.rows.iter().map(row).collect();
        if last == LastColumn::Short && !self.rows.is_empty() {
            let note = "IDs are shortened; a wider terminal and --format json show them in full.";
            out.push_str(&style.dim(note));
            out.push('\n');
        }
        out
    }

    /// A Markdown table with complete ids.
    pub(super) fn markdown(&self) -> String {
        let line = |values: Vec<String>| format!("| {} |\n", values.join(" | "));
        let headings = self.headings.iter().copied().chain([self.last]).map(str::to_owned);
        let mut out = line(headings.collect());
        out.push_str(&"|---".repeat(self.headings.len() + 1));
        out.push_str("|\n");
        for (cells, id) in &self.rows {
            let values = cells.iter().map(|cell| escape_line(&cell.text));
            out.push_str(&line(values.chain([escape_line(id)]).collect()));
        }
        out
    }
}

/// The form of the last column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastColumn {
    Whole,
    /// The end of an id.
    Short,
    /// On a line of its own.
    Below,
}

fn row_text(
    cells: &[Cell],
    id: &str,
    widths: &[usize],
    last: LastColumn,
    style: TextStyle,
) -> String {
    let mut out = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let text = shorten(&cell.text, *width);
        let padding = " ".repeat(width.saturating_sub(text.width()));
        let text = cell.colour.map_or_else(|| text.clone(), |code| style.paint(code, &text));
        out.extend([&text, &padding, GAP]);
    }
    let shown = match last {
        LastColumn::Whole => id,
        // The end of a time-ordered id is random; ids made together share their beginning.
        LastColumn::Short => {
            let start = id.char_indices().rev().nth(SHORT_ID_CHARS - 1).map_or(0, |(at, _)| at);
            id.get(start..).unwrap_or(id)
        }
        LastColumn::Below => {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(INDENT);
            id
        }
    };
    out.push_str(&style.dim(shown));
    out.push('\n');
    out
}

/// The beginning of a text in at most `width` columns, with `…` in place of the rest.
pub(super) fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 1);
    for c in text.chars() {
        used += c.width().unwrap_or_default();
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "019a0000-0000-7000-8000-00000000abcd";

    fn table(title: &str) -> Table {
        let mut table = Table::new(&["Title", "State"]);
        table.add(vec![Cell::new(title), Cell::painted("Closed", "2")], ID);
        table.add(vec![Cell::new("日本語"), Cell::new("Open")], ID);
        table
    }

    fn on(width: usize) -> TextStyle {
        TextStyle { colour: false, width: Some(width) }
    }

    #[test]
    fn rows_fit_every_width_and_columns_are_aligned() {
        for width in 40..140 {
            let text = table(&"A long title of a debate ".repeat(4)).text(on(width));
            let rows: Vec<_> = text.lines().take(2).collect();
            assert!(rows.iter().all(|row| row.width() < width), "{width}: {text}");
            let column = |row: &str, word: &str| row.find(word).map(|at| row[..at].width());
            assert_eq!(column(rows[0], "Closed"), column(rows[1], "Open"), "{text}");
        }
    }

    #[test]
    fn ids_are_complete_where_they_fit_and_where_there_is_no_terminal() {
        assert!(table("Short").text(on(100)).contains(ID));
        assert!(table(&"long ".repeat(50)).text(TextStyle::PLAIN).contains(ID));
        let narrow = table(&"long ".repeat(50)).text(on(60));
        assert!(!narrow.contains(ID) && narrow.contains("0000abcd"), "{narrow}");
        assert!(narrow.contains("IDs are shortened"), "{narrow}");
    }

    #[test]
    fn name_that_does_not_fit_has_a_line_of_its_own() {
        let mut table = Table::new(&["Title", "State"]).with_last("Debate");
        let (title, slug) = ("Keep the index in memory", "keep-the-index-in-memory-k3f7");
        table.add(vec![Cell::new(title), Cell::new("Closed")], slug);
        assert_eq!(table.text(on(80)), format!("{title}  Closed  {slug}\n"));
        assert_eq!(table.text(on(40)), format!("{title}  Closed\n    {slug}\n"));
        assert_eq!(table.text(TextStyle::PLAIN), format!("{title}  Closed  {slug}\n"));
    }

    #[test]
    fn markdown_table_escapes_what_would_end_a_cell() {
        let markdown = table("a | b\n# c").markdown();
        assert_eq!(markdown.lines().count(), 4, "{markdown}");
        assert!(markdown.starts_with("| Title | State | ID |\n|---|---|---|\n"), "{markdown}");
        assert!(markdown.contains("a \\| b"), "{markdown}");
    }
}
