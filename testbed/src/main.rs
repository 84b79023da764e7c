//! `aw-testbed`: starts a PostgreSQL, prints its URL as one line, and stops it when
//! its standard input ends.

use std::io::{Write, copy, sink, stdin, stdout};

use aw_testbed::Cluster;

fn main() -> anyhow::Result<()> {
    let cluster = Cluster::start()?;
    writeln!(stdout(), "{}", cluster.url("postgres"))?;
    copy(&mut stdin().lock(), &mut sink())?;
    Ok(())
}
