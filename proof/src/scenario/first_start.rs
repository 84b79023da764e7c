//! F27: kill -9 while a server creates its database; the next start must find a usable file.

use std::path::Path;

use serde_json::json;
use uuid::Uuid;

use super::start_kill::{Moment, StartKills, version_left};
use crate::client::Answer;
use crate::run::{Plan, Report};
use crate::server::{Server, Setup};

pub(super) async fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let mut rng = plan.rng();
    let mut server = Setup::new(plan)?.prepare()?;
    let mut kills = StartKills::measure(&mut server, Path::to_path_buf).await?;
    server.kill().await?;

    let wanted = plan.by_tier(20, 500);
    while kills.total() < wanted {
        let mut server = Setup::new(plan)?.prepare()?;
        kills.kill(&mut server, &mut rng).await?;
        kills.count(moment_of_kill(&server)?);
        if let Err(err) = write_and_check(&mut server).await {
            let kill = kills.total();
            report.expect(false, format!("kill {kill}: {err:#}"));
        }
    }
    report.fact(kills.to_string());
    let least = plan.by_tier(1, wanted / 5);
    report.expect(kills.inside() >= least, format!("fewer than {least} inside"));
    Ok(())
}

fn moment_of_kill(server: &Server) -> anyhow::Result<Moment> {
    let database = server.setup.database();
    if !database.exists() {
        return Ok(Moment::Before);
    }
    let version = version_left(&database)?;
    Ok(if version.is_some() { Moment::After } else { Moment::Inside })
}

/// Restarts the server, writes a debate, stops the server and checks the file.
async fn write_and_check(server: &mut Server) -> anyhow::Result<()> {
    server.restart().await?;
    let motion = json!({
        "debate_id": Uuid::new_v4(), "title": "After a kill", "debate_type": "general_debate",
        "motion_content": "The file can be written.", "client_request_id": Uuid::new_v4(),
    });
    let answer = server.api.post("/debates", &motion).await;
    let written = matches!(&answer, Answer::Answered(reply) if reply.status.as_u16() == 201);
    anyhow::ensure!(written, "the first write was answered {answer:?}");
    server.stop_and_inspect().await
}
