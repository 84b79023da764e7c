//! Claims sent directly to PostgreSQL, one transaction each: the upper limit of a server without
//! batching, without HTTP and without subscribers.

use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls, Statement};
use uuid::Uuid;

use crate::debates::{Debate, kilobyte};
use crate::stats::{Latencies, Rounds, millis, to_f64};

/// The number of single writes whose median is reported.
const SINGLE_WRITES: usize = 300;

/// A claim as one function call.
const FUNCTION: &str = "
    create or replace function bench_claim(
        debate uuid, argument uuid, motion uuid, key text, said text, now bigint
    ) returns bigint language plpgsql as $$
    declare place bigint;
    begin
        select last_seq + 1 into place from debates where id = debate for update;
        perform 1 from arguments where client_request_id = key and debate_id = debate;
        insert into arguments (id, debate_id, parent_id, kind, role, content, client_request_id,
                               fingerprint, seq, state_after, created_at)
        values (argument, debate, motion, 'CLAIM', 'opponent', said, key,
                decode(repeat('07', 32), 'hex'), place, 'AWAITING_PROPOSER', now);
        update debates set last_seq = place, updated_at = now where id = debate;
        return place;
    end $$";

/// The same claim, one statement at a time.
const STEPS: [&str; 4] = [
    "select state, last_seq from debates where id = $1 for update",
    "select id from arguments where client_request_id = $1 and debate_id = $2",
    "insert into arguments (id, debate_id, parent_id, kind, role, content, client_request_id,
                            fingerprint, seq, state_after, created_at)
     values ($1, $2, $3, 'CLAIM', 'opponent', $4, $5, decode(repeat('07', 32), 'hex'), $6,
             'AWAITING_PROPOSER', $7)",
    "update debates set last_seq = $2, updated_at = $3 where id = $1",
];

/// The way in which a claim is sent to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimMethod {
    /// Begin, four statements, commit: each waits for the one before.
    Stepwise,
    /// One call of a function that does all of it.
    OneCall,
}

/// The throughput of claims sent in one way, once per round.
#[derive(Default)]
pub(crate) struct Throughput {
    pub(crate) per_second: Rounds,
    pub(crate) p50_ms: Rounds,
    pub(crate) p99_ms: Rounds,
}

impl Throughput {
    /// Claims over `connections` connections for `span`; no two connections share a debate.
    pub(crate) async fn measure(
        &mut self,
        url: &str,
        method: ClaimMethod,
        debates: &[Debate],
        connections: usize,
        span: Duration,
    ) -> anyhow::Result<()> {
        let mut clients = Vec::with_capacity(connections);
        for number in 0..connections {
            let share = debates.iter().skip(number).step_by(connections).cloned().collect();
            clients.push(ClaimConnection::connect(url, method, share).await?);
        }
        let started = Instant::now();
        let mut tasks = JoinSet::new();
        for client in clients {
            tasks.spawn(client.claim_until(started + span));
        }
        let mut spans = Vec::new();
        while let Some(done) = tasks.join_next().await {
            spans.extend(done??);
        }
        let (count, took) = (spans.len(), started.elapsed());
        let latencies = Latencies::new(spans);
        self.per_second.push(to_f64(count) / took.as_secs_f64());
        self.p50_ms.push(millis(latencies.percentile(50)));
        self.p99_ms.push(millis(latencies.percentile(99)));
        Ok(())
    }
}

/// One connection and its debates.
struct ClaimConnection {
    client: Client,
    method: ClaimMethod,
    statements: Vec<Statement>,
    debates: Vec<Debate>,
}

impl ClaimConnection {
    async fn connect(url: &str, method: ClaimMethod, debates: Vec<Debate>) -> anyhow::Result<Self> {
        let client = connect(url).await?;
        let mut statements = Vec::new();
        match method {
            ClaimMethod::Stepwise => {
                for step in STEPS {
                    statements.push(client.prepare(step).await?);
                }
            }
            ClaimMethod::OneCall => {
                let call = "select bench_claim($1, $2, $3, $4, $5, $6)";
                statements.push(client.prepare(call).await?);
            }
        }
        Ok(Self { client, method, statements, debates })
    }

    async fn claim_until(self, end: Instant) -> anyhow::Result<Vec<Duration>> {
        let mut spans = Vec::new();
        for debate in self.debates.iter().cycle() {
            let begun = Instant::now();
            if begun >= end {
                break;
            }
            match self.method {
                ClaimMethod::Stepwise => self.step_by_step(debate).await?,
                ClaimMethod::OneCall => self.call(debate).await?,
            }
            spans.push(begun.elapsed());
        }
        Ok(spans)
    }

    async fn call(&self, debate: &Debate) -> anyhow::Result<()> {
        let [call] = self.statements.as_slice() else { anyhow::bail!("one call is prepared") };
        let (argument, key) = (Uuid::now_v7(), Uuid::now_v7().to_string());
        let (id, motion, said, now) = (debate.id, debate.motion, kilobyte(), now_micros());
        self.client.execute(call, &[&id, &argument, &motion, &key, &said, &now]).await?;
        Ok(())
    }

    async fn step_by_step(&self, debate: &Debate) -> anyhow::Result<()> {
        let [lock, known, insert, move_on] = self.statements.as_slice() else {
            anyhow::bail!("four steps are prepared")
        };
        let (argument, key) = (Uuid::now_v7(), Uuid::now_v7().to_string());
        let (said, now) = (kilobyte(), now_micros());
        self.client.batch_execute("begin").await?;
        let place: i64 = self.client.query_one(lock, &[&debate.id]).await?.get::<_, i64>(1) + 1;
        self.client.query_opt(known, &[&key, &debate.id]).await?;
        self.client
            .execute(insert, &[&argument, &debate.id, &debate.motion, &said, &key, &place, &now])
            .await?;
        self.client.execute(move_on, &[&debate.id, &place, &now]).await?;
        self.client.batch_execute("commit").await?;
        Ok(())
    }
}

/// Creates the function of [`ClaimMethod::OneCall`] and the table of [`measure_single_write`].
pub(crate) async fn prepare(url: &str) -> anyhow::Result<()> {
    let client = connect(url).await?;
    client.batch_execute(FUNCTION).await?;
    client
        .batch_execute("create table bench_write (place bigserial primary key, said text)")
        .await?;
    Ok(())
}

/// The median duration of one committed write on one connection, without other writers.
pub(crate) async fn measure_single_write(url: &str) -> anyhow::Result<Duration> {
    let client = connect(url).await?;
    let insert = "insert into bench_write (said) values ($1)";
    let insert = client.prepare(insert).await?;
    let mut spans = Vec::with_capacity(SINGLE_WRITES);
    for _ in 0..SINGLE_WRITES {
        let begun = Instant::now();
        client.execute(&insert, &[&kilobyte()]).await?;
        spans.push(begun.elapsed());
    }
    client.execute("delete from bench_write", &[]).await?;
    Ok(Latencies::new(spans).percentile(50))
}

async fn connect(url: &str) -> anyhow::Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.context("PostgreSQL")?;
    // The task ends with its client; the client reports its errors.
    tokio::spawn(connection);
    Ok(client)
}

fn now_micros() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}
