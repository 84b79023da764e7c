//! The time to migrate the file of an earlier Node server, by the number of its arguments.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use rusqlite::{Connection, params};

use crate::plan::{Part, Plan};
use crate::report::{Bar, Bound, Cell, Report, Section};
use crate::start::run_timed;
use crate::stats::{Better, Rounds};

/// Arguments of the smaller and of the larger file.
const FEW: u32 = 6_000;
const MANY: u32 = 36_000;

/// Arguments per debate; an even number, so that the proposer is next.
const ARGUMENTS_EACH: u32 = 20;

/// The `strftime` format of the times in the file.
const TIME: &str = "%Y-%m-%dT%H:%M:%fZ";

/// The second Node server's tables: no index on `parent_id`, which refers to the same table.
const SCHEMA: &str = include_str!("../../crates/debate-store/tests/it/legacy/prisma.sql");

pub(crate) fn measure(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let folder = plan.binary.create_dir()?;
    let (few, many) = (folder.path().join("few.db"), folder.path().join("many.db"));
    make(&few, FEW)?;
    make(&many, MANY)?;
    let (mut of_few, mut of_many) = (Rounds::default(), Rounds::default());
    for _ in plan.load_rounds(Part::CarryOver) {
        of_few.push(carry_over(plan, &few)?);
        of_many.push(carry_over(plan, &many)?);
    }
    let ratio = of_many.ratio_to(&of_few);
    let what = format!("carry-over of a Node server's file, {MANY} arguments : {FEW}");
    report.bars.push(Bar::new(what, Bound::AtMost(8.0), &ratio));
    report.add(Section {
        title: "Carry-over",
        notes: vec![
            "`aw db migrate` on the file of the second Node server: check, backup, new layout. The \
             ratio is 6 where the time grows with the number of arguments."
                .to_owned(),
        ],
        columns: &["few, s", "many, s", "many : few"],
        rows: vec![vec![
            Cell::spread(&of_few, Better::Lower),
            Cell::spread(&of_many, Better::Lower),
            Cell::spread(&ratio, Better::Lower),
        ]],
    });
    Ok(())
}

/// Migrates a copy of the file and returns the duration in seconds.
fn carry_over(plan: &Plan, file: &Path) -> anyhow::Result<f64> {
    let home = plan.binary.create_dir()?;
    let copy = home.path().join("debate.db");
    std::fs::copy(file, &copy)?;
    File::open(&copy)?.sync_all()?;
    let mut command = Command::new(&plan.binary.path);
    command.env_clear().env("HOME", home.path()).args(["db", "migrate", "--db-path"]).arg(&copy);
    Ok(run_timed(&mut command)?.as_secs_f64())
}

/// Creates a file of debates whose claims answer one another.
fn make(path: &Path, arguments: u32) -> anyhow::Result<()> {
    let conn = Connection::open(path)?;
    conn.execute_batch("pragma synchronous = off; pragma foreign_keys = off;")?;
    conn.execute_batch(SCHEMA)?;
    conn.execute(
        "with recursive numbers (debate) as
             (values (1) union all select debate + 1 from numbers where debate < ?1 / ?2)
         insert into debates (id, title, debate_type, state, created_at, updated_at)
         select printf('%08x-0000-4000-8000-000000000000', debate * 2654435761 & 0xffffffff),
                'Debate ' || debate, 'general_debate', 'AWAITING_PROPOSER',
                strftime(?3, 1767225600 + debate * 60, 'unixepoch'),
                strftime(?3, 1767225600 + debate * 60 + ?2, 'unixepoch')
         from numbers",
        params![arguments, ARGUMENTS_EACH, TIME],
    )?;
    conn.execute(
        "with recursive places (seq) as
             (values (1) union all select seq + 1 from places where seq < ?1)
         insert into arguments (id, debate_id, parent_id, type, role, content, client_request_id,
                                seq, created_at)
         select substr(id, 1, 24) || printf('%012x', seq), id,
                iif(seq > 1, substr(id, 1, 24) || printf('%012x', seq - 1), null),
                iif(seq > 1, 'CLAIM', 'MOTION'), iif(seq % 2, 'proposer', 'opponent'),
                printf('Argument %d. %.*c', seq, 400, 'x'), 'request-' || seq, seq,
                strftime(?2, unixepoch(created_at) + seq, 'unixepoch')
         from debates, places",
        params![ARGUMENTS_EACH, TIME],
    )?;
    Ok(())
}
