//! Logs on standard error or in a file, and the metrics of `/metrics`.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, bail};
use debate_settings::table::{LOG, LOG_FILE, LOG_FORMAT};
use debate_settings::{FlagValues, Sources};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::log_file::LogFile;

/// The interval at which samples of histograms are aggregated. Without it they would accumulate
/// until the next scrape.
const UPKEEP: Duration = Duration::from_secs(5);

const SECONDS: [f64; 12] =
    [0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 10.0, 60.0];
const COUNTS: [f64; 10] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

/// Starts logging: text on a terminal, JSON lines elsewhere. `AW_LOG` sets the level,
/// `AW_LOG_FILE` names the file.
pub(crate) fn start_logs() -> anyhow::Result<()> {
    let sources = Sources::new(FlagValues::new(), |name| std::env::var_os(name), None);
    let wanted = sources.text(&LOG)?;
    let expected = || {
        format!("AW_LOG={wanted}: expected a level such as info or debug, or module=level pairs")
    };
    // A single word that is not a level would be a module name and turn all other logs off.
    if !wanted.contains('=') && wanted.split(',').any(|word| word.parse::<LevelFilter>().is_err()) {
        bail!(expected());
    }
    let filter = EnvFilter::try_new(&wanted).with_context(expected)?;
    let file = sources.find(&LOG_FILE)?;
    let on_terminal = file.is_none() && stderr().is_terminal();
    let writer = match file {
        Some(path) => BoxMakeWriter::new(Mutex::new(LogFile::open(path.to_path())?)),
        None => BoxMakeWriter::new(stderr),
    };
    // A failure to write the log must not fail a request; printing it to the same standard error
    // would panic.
    let builder = fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(on_terminal)
        .log_internal_errors(false);
    let is_text = match sources.word(&LOG_FORMAT)? {
        Some(format) => format == "text",
        None => on_terminal,
    };
    let started = if is_text { builder.try_init() } else { builder.json().try_init() };
    started.map_err(|err| anyhow::anyhow!("cannot start logging: {err}"))?;
    tracing::trace!(filter = wanted, "logging started");
    Ok(())
}

/// Installs the metrics recorder and describes every metric.
pub(crate) fn start_metrics() -> anyhow::Result<PrometheusHandle> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Suffix("_size".to_owned()), &COUNTS)?
        .install_recorder()?;
    describe_metrics();
    metrics::gauge!("aw_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let recorder = handle.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        loop {
            ticks.tick().await;
            recorder.run_upkeep();
        }
    });
    Ok(handle)
}

/// The help text of every metric, whichever crate counts it.
fn describe_metrics() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};

    describe_gauge!("aw_build_info", "Always 1; the label `version` is the server's version.");
    describe_counter!("aw_http_requests_total", "HTTP requests, by method, route and status.");
    describe_histogram!(
        "aw_http_request_seconds",
        "Time from the request headers to the response headers, in seconds."
    );
    describe_gauge!("aw_connections", "Open client connections, including WebSockets.");
    describe_gauge!("aw_sockets", "Open WebSockets.");
    describe_gauge!("aw_waiters", "Open long polls, event streams and WebSocket subscriptions.");
    describe_gauge!(
        "aw_waited_on_debates",
        "Debates, runs and forum threads with at least one subscriber."
    );
    describe_counter!("aw_wrong_tokens_total", "Requests and sign-ins with a wrong token.");
    describe_gauge!("aw_storage_healthy", "1 while the database accepts writes, otherwise 0.");
    describe_gauge!(
        "aw_damaged_debates",
        "Debates with undecodable rows, found since the server started."
    );
    describe_gauge!("aw_wal_bytes", "Size of the SQLite write-ahead log, in bytes.");
    describe_histogram!("aw_write_batch_size", "Number of writes per database commit.");
    describe_histogram!("aw_write_commit_seconds", "Duration of one database commit, in seconds.");
    describe_counter!("aw_model_calls_total", "Calls to model providers, by outcome.");
    describe_histogram!("aw_model_call_seconds", "Duration of one model call, in seconds.");
    describe_counter!("aw_model_tokens_total", "Tokens that providers reported, by kind.");
}
