//! `aw serve`: starts the server, prints the first screen, and shuts down cleanly.

use std::io::{IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use debate_app::arena::Arena;
use debate_app::forum::Forum;
use debate_app::forum::guardrail::{Classifier, GuardrailOptions, SecondLayer};
use debate_app::llm::Llm;
use debate_app::runner::{Runner, WorkerOptions};
use debate_app::{Clock, Notifier, RateLimiter, Sessions, SystemClock, WaiterLimits};
use debate_cli::{AddressRecord, ProcessEnvironment};
use debate_http::{
    AllowedHosts, AllowedOrigins, ListenerLimits, Services, Settings, SocketLimit, Token,
    new_login_code,
};
use debate_llm::{Registry, parse_assessment, parse_verdict};
use debate_settings::table::SERVER_URL;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::address::{listen, reachable_address, resolve};
use crate::config::{Config, EvaluationPolicy, ForumConfig, IgnoredVariable, ServeArgs};
use crate::database::OpenDatabase;
use crate::telemetry;

/// File descriptors that are not connections: the database, its log, the standard streams.
const RESERVED_DESCRIPTORS: u64 = 64;

pub(crate) fn run(args: &ServeArgs, environment: ProcessEnvironment) -> anyhow::Result<()> {
    let config = Config::load(args)?;
    telemetry::start_logs()?;
    for IgnoredVariable { name, replacement } in &config.ignored_variables {
        tracing::warn!(
            variable.name = name,
            variable.replacement = replacement,
            "environment variable ignored"
        );
    }
    #[cfg(debug_assertions)]
    if let Some(place) = std::env::var("AW_FAILPOINT").ok()
        && !debate_app::failpoint::choose(&place)
    {
        anyhow::bail!("AW_FAILPOINT={place}: unknown failpoint");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(config, environment))
}

async fn serve(config: Config, environment: ProcessEnvironment) -> anyhow::Result<()> {
    let signals = Signals::new()?;
    let address = resolve(&config).await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let models = load_models(&config, &clock)?;
    let notifier = Notifier::new(waiter_limits(&config));
    // The port first: a start that fails because the port is in use must not touch the database.
    let listener = listen(address, &environment).await?;
    let address = listener.local_addr()?;
    let arbitrator = config.arbitrator_file.load(&config.database)?;
    let store = config.database.open(&config, Arc::clone(&notifier)).await?;
    let sockets = SocketLimit::new(config.limits.sockets_max);
    let has_arbitrator = arbitrator.is_some();
    let runner = Runner::new(
        Arc::clone(&store.runner),
        models.clone(),
        Arc::clone(&notifier),
        Arc::clone(&clock),
        config.runner.defaults.clone(),
        config.runner.budget.clone(),
    );
    let workers = runner.start_workers(parse_verdict, worker_options(&config));
    let rate_limiter = RateLimiter::new(Arc::clone(&store.windows), clock.as_ref());
    let forum = new_forum(&config, &store, &notifier, &clock, rate_limiter.clone());
    let guards = forum.start_guardrail_workers(guardrail_options(&config, &models));
    let sessions = Sessions::new(Arc::clone(&store.sessions), Arc::clone(&clock));
    let arena = Arc::clone(&store.arena);
    let arena = Arena::new(arena, Arc::clone(&notifier), clock, config.auto_ruling);
    let services = Services {
        arena,
        runner,
        forum,
        storage: Arc::clone(&store.storage),
        notifier: Arc::clone(&notifier),
        rate_limiter,
        sessions: sessions.clone(),
        metrics: telemetry::start_metrics()?,
        settings: Arc::new(settings(&config, address, arbitrator)),
        sockets: sockets.clone(),
        started: Instant::now(),
    };
    let router = debate_http::router(services).router;
    // Commands without an address find the server by this record while it runs.
    let _record = AddressRecord::write(&environment, reachable_address(address));
    let code = terminal_login_code(&sessions, has_arbitrator).await;
    print_first_screen(&config, address, &store, &models, code.as_deref())?;
    // Waiting clients are answered, so that they do not delay the stop.
    let release = || notifier.close();
    let (base_path, limits) = (config.base_path.clone(), listener_limits(&config));
    debate_http::serve(listener, router, base_path, limits, sockets, signals.wait(), release).await;
    // Workers save or release their work, which no other process can take while the lease runs.
    workers.wait_until_stopped().await;
    guards.wait_until_stopped().await;
    // Dropping the last reference closes the store: the writer commits its queue and checkpoints.
    drop(store);
    tracing::info!("server stopped");
    Ok(())
}

fn new_forum(
    config: &Config,
    store: &OpenDatabase,
    notifier: &Arc<Notifier>,
    clock: &Arc<dyn Clock>,
    rate_limiter: RateLimiter,
) -> Forum {
    let (store, notifier, clock) = (&store.forum, Arc::clone(notifier), Arc::clone(clock));
    Forum::new(Arc::clone(store), notifier, clock, rate_limiter, config.forum.limits)
}

fn waiter_limits(config: &Config) -> WaiterLimits {
    WaiterLimits {
        waiters_max: config.limits.waiters_max,
        waiters_per_debate_max: config.limits.waiters_per_debate_max,
    }
}

fn listener_limits(config: &Config) -> ListenerLimits {
    ListenerLimits {
        connections_max: raise_descriptors(config.limits.connections_max),
        connections_per_address_max: config.limits.connections_per_address_max,
        idle: config.http_timeout,
        grace: config.limits.shutdown_grace,
    }
}

/// The configured models. The default models must be among them.
fn load_models(config: &Config, clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<Registry>> {
    let registry = Registry::new(config.runner.models.clone(), clock)?;
    let defaults = &config.runner.defaults;
    for (variable, model) in [
        ("RUNNER_MODEL_DEBATER", &defaults.model_debater),
        ("RUNNER_MODEL_JUDGE", &defaults.model_judge),
    ] {
        registry.check_model(model).with_context(|| variable)?;
        if let Err(unpriced) = config.runner.budget.check_price(variable, model) {
            tracing::warn!(error = %unpriced, "default model has no price; its runs are refused");
        }
    }
    if let EvaluationPolicy::Model(model) = &config.forum.evaluation {
        registry.check_model(model).with_context(|| "GUARDRAIL_MODEL")?;
    }
    Ok(Arc::new(registry))
}

fn worker_options(config: &Config) -> WorkerOptions {
    let runner = &config.runner;
    WorkerOptions {
        workers: runner.workers,
        lease: runner.lease,
        on_unknown: runner.on_unknown,
        call_timeout: runner.call_timeout,
        grace: config.limits.shutdown_grace,
    }
}

/// The evaluation of forum items.
fn guardrail_options(config: &Config, models: &Arc<Registry>) -> GuardrailOptions {
    let forum = &config.forum;
    let second = match &forum.evaluation {
        EvaluationPolicy::Model(model) => SecondLayer::Model(Classifier {
            llm: models.clone(),
            model: model.clone(),
            read: parse_assessment,
            daily_tokens: forum.daily_tokens,
            call_timeout: config.runner.call_timeout,
        }),
        EvaluationPolicy::ByTier => SecondLayer::ByTier,
        EvaluationPolicy::ApproveAll => SecondLayer::ApproveAll,
    };
    GuardrailOptions {
        workers: forum.workers,
        lease: config.runner.lease,
        grace: config.limits.shutdown_grace,
        first: forum.rules.clone(),
        second,
    }
}

fn settings(config: &Config, address: SocketAddr, arbitrator: Option<Token>) -> Settings {
    Settings {
        content_bytes_max: config.limits.content_bytes_max,
        poll_timeout: config.poll_timeout,
        request_timeout: config.http_timeout,
        token: config.token.as_deref().map(Token::new),
        port: address.port(),
        hosts: AllowedHosts::new(address.ip(), &config.allowed_hosts),
        origins: AllowedOrigins::new(config.allowed_origins.clone()),
        base_path: config.base_path.clone(),
        prices: config.runner.budget.prices.clone(),
        reviewers: config.forum.reviewers.clone(),
        trusted_proxies: config.forum.trusted_proxies.clone(),
        wrong_tokens_per_minute: config.limits.wrong_tokens_per_minute,
        arbitrator,
        seats: config.seats,
    }
}

/// Raises the soft limit on open files to the hard one; connections must fit below it.
fn raise_descriptors(wanted: usize) -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(err) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(error = %err, "raising the open file limit failed");
    }
    let available = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let fits =
        usize::try_from(available.saturating_sub(RESERVED_DESCRIPTORS)).unwrap_or(usize::MAX);
    wanted.min(fits.max(1))
}

/// A note on the review of posts, and on the setting for a forum without reviewers.
const fn review_note(forum: &ForumConfig) -> &'static str {
    match (&forum.evaluation, forum.reviewers.is_empty()) {
        (EvaluationPolicy::ApproveAll, _) => {
            "posts that pass the rules are approved without review"
        }
        (_, false) => "review queue at /forum/flagged",
        (EvaluationPolicy::ByTier, true) => {
            "no reviewers configured: posts from new agents stay hidden;\n            \
             set DEBATE_ADMIN_TOKEN, or GUARDRAIL_AUTO_APPROVE=true to try the forum"
        }
        (EvaluationPolicy::Model(_), true) => {
            "no reviewers configured: posts that the model flags stay hidden;\n            \
             set DEBATE_ADMIN_TOKEN"
        }
    }
}

/// The clients that can connect.
fn access_note(config: &Config, address: SocketAddr) -> String {
    match (&config.token, address.ip().is_loopback()) {
        (Some(_), true) => "this machine only, token required".to_owned(),
        (Some(_), false) => {
            let names = config.allowed_hosts.join(", ");
            let names = if names.is_empty() { "none" } else { &names };
            format!("other machines too, token required; DEBATE_ALLOWED_HOSTS: {names}")
        }
        (None, _) => "this machine only, no token".to_owned(),
    }
}

/// A one-time code for the person at the terminal; none if the server has no arbitrator token, or
/// the output is no terminal: a log file must not contain it.
async fn terminal_login_code(sessions: &Sessions, has_arbitrator: bool) -> Option<String> {
    if !has_arbitrator || !stdout().is_terminal() {
        return None;
    }
    match new_login_code(sessions).await {
        Ok(login) => Some(login.code),
        Err(err) => {
            tracing::warn!(error = %err, "login code cannot be stored");
            None
        }
    }
}

/// The first screen: the address, the database, and what to try next. `code` is a one-time code for
/// a session with arbitrator rights.
fn print_first_screen(
    config: &Config,
    address: SocketAddr,
    store: &OpenDatabase,
    models: &Registry,
    code: Option<&str>,
) -> std::io::Result<()> {
    let url = format!("http://{}", reachable_address(address));
    let bold = |text: &str| {
        if stdout().is_terminal() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    };
    let mut out = stdout().lock();
    writeln!(out, "aweave {} is listening on {}", env!("CARGO_PKG_VERSION"), bold(&url))?;
    let pages = format!("{url}{}", config.base_path.as_str());
    writeln!(out, "  database  {} ({})", store.name, store.storage.status().engine)?;
    writeln!(out, "  access    {}", access_note(config, address))?;
    writeln!(out, "  web       {pages}/")?;
    if let Some(code) = code {
        writeln!(out, "            to rule, sign in once within 5 minutes:")?;
        writeln!(out, "            {}", bold(&format!("{pages}/login?code={code}")))?;
    }
    writeln!(out, "  forum     {pages}/forum")?;
    writeln!(out, "            {}", review_note(&config.forum))?;
    writeln!(out, "  models    {}", models.configured_models().join(", "))?;
    writeln!(out, "            {}", default_models(config))?;
    writeln!(out, "  API       {url}/docs\n")?;
    let token = if config.token.is_some() { " where DEBATE_AUTH_TOKEN is set" } else { "" };
    writeln!(out, "Open {pages}/ in a browser, or run this in another terminal{token}:")?;
    let server = if Some(url.as_str()) == SERVER_URL.default {
        String::new()
    } else {
        format!(" --server '{url}'")
    };
    writeln!(out, "  aw run start 'Tabs are better than spaces' --follow{server}\n")?;
    writeln!(out, "Press Ctrl-C to stop the server.")?;
    out.flush()
}

/// The models of runs that do not choose their own.
fn default_models(config: &Config) -> String {
    let (debater, judge) =
        (&config.runner.defaults.model_debater, &config.runner.defaults.model_judge);
    if debater == judge {
        return format!("default: {debater}");
    }
    format!("default: {debater} for debaters, {judge} for the judge")
}

/// The signals that stop the server.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { terminate, interrupt })
    }

    /// The first signal stops the server gracefully, the second at once.
    async fn wait(mut self) {
        self.next().await;
        tracing::info!("shutdown requested; finishing open requests");
        tokio::spawn(async move {
            self.next().await;
            tracing::warn!("second signal received; exiting immediately");
            std::process::exit(130);
        });
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
