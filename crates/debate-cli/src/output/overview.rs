//! The overview that `aw` prints without arguments on a terminal.

use std::fmt::Write;

use debate_render::arena::state_label;
use debate_render::count;
use debate_render::runner::status_label;
use debate_wire::arena::Debate;
use debate_wire::runner::ListedDebate as ListedRun;

use super::arena::debate_name;
use super::table::{Cell, Table};
use super::text::TextStyle;
use super::time;

/// The server, what needs the caller, and the next commands.
pub(crate) struct Overview {
    pub(crate) url: String,
    /// A link that signs a browser in as the arbitrator.
    pub(crate) login: Option<String>,
    /// The server's process and age, if they are known.
    pub(crate) server: Option<String>,
    /// The debates that need a ruling, longest waiting first.
    pub(crate) debates: Vec<Debate>,
    /// The number of all debates that need a ruling.
    pub(crate) debates_total: u64,
    /// The newest failed runs.
    pub(crate) runs: Vec<ListedRun>,
    pub(crate) next: [NextCommand; 3],
}

/// A command line and its purpose.
pub(crate) struct NextCommand {
    pub(crate) command: String,
    pub(crate) purpose: &'static str,
}

pub(super) fn text(overview: &Overview, style: TextStyle) -> String {
    let server = overview.server.as_ref().map(|known| format!(" ({known})")).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let mut out =
        format!("aweave {version} is running at {}{server}\n\n", style.bold(&overview.url));
    if let Some(link) = &overview.login {
        let note = "Sign in as the arbitrator (once, within 5 minutes):";
        let _ = writeln!(out, "{note}\n  {link}\n");
    }
    if overview.debates.is_empty() && overview.runs.is_empty() {
        out.push_str("Nothing needs you now.\n");
    } else {
        let _ = writeln!(out, "{}", style.bold("Needs you"));
        out.push_str(&items(overview).text(style));
    }
    let more = overview.debates_total.saturating_sub(length(&overview.debates));
    if more > 0 {
        let rulings = count(more, "more debate");
        let _ = writeln!(out, "{rulings} to rule on: aw rule");
    }
    let _ = writeln!(out, "\n{}", style.bold("Next commands"));
    let width = overview.next.iter().map(|next| next.command.len()).max().unwrap_or_default();
    for NextCommand { command, purpose } in &overview.next {
        let fits = style.width.is_none_or(|columns| width + purpose.len() + 5 < columns);
        let _ = if fits {
            writeln!(out, "  {command:width$}  {}", style.dim(purpose))
        } else {
            writeln!(out, "  {}\n    {command}", style.dim(purpose))
        };
    }
    out
}

fn items(overview: &Overview) -> Table {
    // The overview is printed on terminals only.
    let style = TextStyle { colour: false, width: Some(0) };
    let mut table = Table::new(&["Title", "State", "Changed"]).with_last("Name");
    for debate in &overview.debates {
        let state = Cell::painted(state_label(debate.state), "35");
        let cells = vec![Cell::new(&debate.title), state];
        add(&mut table, cells, &debate.updated_at, debate_name(debate), style);
    }
    for run in &overview.runs {
        let status = Cell::painted(&format!("Run: {}", status_label(run.status)), "31");
        let cells = vec![Cell::new(&run.topic), status];
        add(&mut table, cells, &run.updated_at, &run.id, style);
    }
    table
}

fn add(table: &mut Table, mut cells: Vec<Cell>, changed: &str, id: &str, style: TextStyle) {
    cells.push(Cell::painted(&time::show(changed, style), "2"));
    table.add(cells, id);
}

fn length(debates: &[Debate]) -> u64 {
    u64::try_from(debates.len()).unwrap_or(u64::MAX)
}
