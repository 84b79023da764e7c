//! `aw serve`: starts the server, prints the first screen, and shuts down cleanly.

use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use debate_app::arena::Arena;
use debate_app::forum::Forum;
use debate_app::forum::guardrail::{Classifier, GuardrailOptions, Guards, SecondLayer};
use debate_app::llm::Llm;
use debate_app::runner::{Runner, WorkerOptions, Workers};
use debate_app::{Clock, Hub, HubLimits, Limiter, Sessions, SystemClock};
use debate_http::{AllowedHosts, AllowedOrigins, Edge, ListenerLimits, Settings, Sockets, Token};
use debate_llm::{Registry, read_assessment, read_verdict};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket, lookup_host};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Config, ForumConfig, IgnoredVariable, ServeArgs, TOKEN_CHARS_MIN, Unruled};
use crate::database::Opened;
use crate::telemetry;

/// How many connections may wait to be accepted; the system may cap it.
const BACKLOG: u32 = 16_384;

/// What a client that stops reading can make the system hold for it; the system takes twice this,
/// half of it for its own books. Left alone it would grow to some megabytes a connection. This much
/// on its way keeps a line of 1 Gbit/s full whose answers take 1 ms, and a local one anyway.
const SEND_BUFFER_BYTES: u32 = 128 * 1024;

/// The server that `aw` commands use by default.
const DEFAULT_URL: &str = "http://127.0.0.1:3456";

/// File descriptors that are not connections: the database, its log, the standard streams.
const DESCRIPTORS_KEPT: u64 = 64;

pub(crate) fn run(args: &ServeArgs) -> anyhow::Result<()> {
    let environment = |name: &str| std::env::var(name).ok();
    let config = Config::load(args, environment)?;
    telemetry::start_logs(environment)?;
    for IgnoredVariable { name, replacement } in &config.ignored_variables {
        tracing::warn!(
            variable.name = name,
            variable.replacement = replacement,
            "environment variable ignored"
        );
    }
    #[cfg(feature = "sabotage")]
    if let Some(defect) = environment("AW_SABOTAGE")
        && !debate_app::sabotage::choose(&defect)
    {
        bail!("AW_SABOTAGE={defect}: unknown fault");
    }
    #[cfg(debug_assertions)]
    if let Some(place) = environment("AW_FAILPOINT")
        && !debate_app::failpoint::choose(&place)
    {
        bail!("AW_FAILPOINT={place}: unknown failpoint");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let signals = Signals::new()?;
    let address = resolve(&config).await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let models = models(&config, &clock)?;
    let hub = Hub::new(HubLimits {
        waiters_max: config.bounds.waiters_max,
        waiters_per_debate_max: config.bounds.waiters_per_debate_max,
    });
    // The port first: a start that fails for want of it must not have touched the database.
    let listener = listen(address)?;
    let address = listener.local_addr()?;
    let store = config.database.open(&config, Arc::clone(&hub)).await?;
    let sockets = Sockets::new(config.bounds.sockets_max);
    let runner = Runner::new(
        Arc::clone(&store.runner),
        models.clone(),
        Arc::clone(&hub),
        Arc::clone(&clock),
        config.runner.defaults.clone(),
        config.runner.budget.clone(),
    );
    let workers = Workers::start(&runner, read_verdict, work(&config));
    let limiter = Limiter::new(Arc::clone(&store.windows), clock.as_ref());
    let forum = Forum::new(
        Arc::clone(&store.forum),
        Arc::clone(&hub),
        Arc::clone(&clock),
        limiter.clone(),
        config.forum.limits,
    );
    let guards = Guards::start(&forum, guard(&config, &models));
    let sessions = Sessions::new(Arc::clone(&store.sessions), Arc::clone(&clock));
    let edge = Edge {
        arena: Arena::new(Arc::clone(&store.arena), Arc::clone(&hub), clock, config.auto_ruling),
        runner,
        forum,
        storage: Arc::clone(&store.storage),
        hub: Arc::clone(&hub),
        limiter,
        sessions,
        metrics: telemetry::start_metrics()?,
        settings: Arc::new(settings(&config, address)),
        sockets: sockets.clone(),
        started: Instant::now(),
    };
    let limits = listener_limits(&config);
    let routes = debate_http::router(edge);
    greet(&config, address, &store, &models)?;
    // Who waits is answered, so that clients ask again elsewhere instead of holding us up.
    let release = || hub.close();
    let (router, base_path) = (routes.router, config.base_path.clone());
    debate_http::serve(listener, router, base_path, limits, sockets, signals.wait(), release).await;
    // They bring or give back what they have; nobody else can while this process holds it.
    workers.stopped().await;
    guards.stopped().await;
    // The last holder closes the store: the writer finishes what is queued and folds its log in.
    drop(store);
    tracing::info!("server stopped");
    Ok(())
}

fn listener_limits(config: &Config) -> ListenerLimits {
    ListenerLimits {
        connections_max: raise_descriptors(config.bounds.connections_max),
        connections_per_address_max: config.bounds.connections_per_address_max,
        idle: config.http_timeout,
        grace: config.bounds.shutdown_grace,
    }
}

/// Everyone who can be asked, the default models among them.
fn models(config: &Config, clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<Registry>> {
    let registry = Registry::new(config.runner.models.clone(), clock)?;
    let defaults = &config.runner.defaults;
    for (variable, model) in [
        ("RUNNER_MODEL_DEBATER", &defaults.model_debater),
        ("RUNNER_MODEL_JUDGE", &defaults.model_judge),
    ] {
        registry.knows(model).with_context(|| variable)?;
        if let Err(unpriced) = config.runner.budget.check_price(variable, model) {
            tracing::warn!(error = %unpriced, "default model has no price; its runs are refused");
        }
    }
    if let Unruled::Asked(model) = &config.forum.unruled {
        registry.knows(model).with_context(|| "GUARDRAIL_MODEL")?;
    }
    Ok(Arc::new(registry))
}

fn work(config: &Config) -> WorkerOptions {
    let runner = &config.runner;
    WorkerOptions {
        workers: runner.workers,
        lease: runner.lease,
        on_unknown: runner.on_unknown,
        call_timeout: runner.call_timeout,
        grace: config.bounds.shutdown_grace,
    }
}

/// How texts of the forum are examined.
fn guard(config: &Config, models: &Arc<Registry>) -> GuardrailOptions {
    let forum = &config.forum;
    let second = match &forum.unruled {
        Unruled::Asked(model) => SecondLayer::Model(Classifier {
            llm: models.clone(),
            model: model.clone(),
            read: read_assessment,
            daily_tokens: forum.daily_tokens,
            call_timeout: config.runner.call_timeout,
        }),
        Unruled::ByTier => SecondLayer::ByTier,
        Unruled::Approved => SecondLayer::ApproveAll,
    };
    GuardrailOptions {
        workers: forum.workers,
        lease: config.runner.lease,
        grace: config.bounds.shutdown_grace,
        first: forum.rules.clone(),
        second,
    }
}

fn settings(config: &Config, address: SocketAddr) -> Settings {
    Settings {
        content_bytes_max: config.bounds.content_bytes_max,
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
        wrong_tokens_per_minute: config.bounds.wrong_tokens_per_minute,
    }
}

/// The address to listen on. An address that other machines can reach requires a token.
async fn resolve(config: &Config) -> anyhow::Result<SocketAddr> {
    let (host, port) = (config.host.as_str(), config.port);
    let expected = || format!("DEBATE_SERVER_HOST={host}: expected an address of this machine");
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = lookup_host((bare, port)).await.with_context(expected)?.next();
    let address = address.with_context(expected)?;
    if !address.ip().is_loopback() && config.token.is_none() {
        bail!(
            "DEBATE_SERVER_HOST={host}: other machines can reach this address, so a token is \
             required: set DEBATE_AUTH_TOKEN, or listen on 127.0.0.1"
        );
    }
    check_token_lengths(config, address)?;
    Ok(address)
}

/// Refuses a short token if other machines can connect, and warns about it otherwise.
fn check_token_lengths(config: &Config, address: SocketAddr) -> anyhow::Result<()> {
    for variable in config.short_tokens() {
        if !address.ip().is_loopback() {
            bail!(
                "{variable}: expected tokens of at least {TOKEN_CHARS_MIN} characters, because \
                 other machines can reach {}; create one with openssl rand -hex 32",
                address.ip()
            );
        }
        tracing::warn!(
            variable.name = variable,
            token.characters_min = TOKEN_CHARS_MIN,
            "token is shorter than recommended"
        );
    }
    Ok(())
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    // Every connection has the size of the socket that accepted it.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    match socket.bind(address).and_then(|()| socket.listen(BACKLOG)) {
        Ok(listener) => Ok(listener),
        Err(err) if err.kind() == ErrorKind::AddrInUse => {
            let port = address.port();
            bail!("port {port} is in use; stop the program that uses it, or choose another --port")
        }
        Err(err) => Err(err).with_context(|| format!("cannot listen on {address}")),
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
    let fits = usize::try_from(available.saturating_sub(DESCRIPTORS_KEPT)).unwrap_or(usize::MAX);
    wanted.min(fits.max(1))
}

/// Where this machine itself finds the server: "any address" is none that can be called.
fn own_address(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => (Ipv4Addr::LOCALHOST, v4.port()).into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => (Ipv6Addr::LOCALHOST, v6.port()).into(),
        SocketAddr::V4(_) | SocketAddr::V6(_) => address,
    }
}

/// How posts are reviewed, and what to set if there are no reviewers.
const fn review_note(forum: &ForumConfig) -> &'static str {
    match (&forum.unruled, forum.reviewers.are_off()) {
        (Unruled::Approved, _) => "posts that pass the rules are approved without review",
        (_, false) => "review queue at /forum/flagged",
        (Unruled::ByTier, true) => {
            "no reviewers configured: posts from new agents stay hidden;\n            \
             set DEBATE_ADMIN_TOKEN, or GUARDRAIL_AUTO_APPROVE=true to try the forum"
        }
        (Unruled::Asked(_), true) => {
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

/// The first screen: the address, the database, and what to try next.
fn greet(
    config: &Config,
    address: SocketAddr,
    store: &Opened,
    models: &Registry,
) -> std::io::Result<()> {
    let url = format!("http://{}", own_address(address));
    let bold = |text: &str| {
        if stdout().is_terminal() { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    };
    let mut out = stdout().lock();
    writeln!(out, "aweave {} is listening on {}", env!("CARGO_PKG_VERSION"), bold(&url))?;
    let pages = format!("{url}{}", config.base_path.as_str());
    writeln!(out, "  database  {} ({})", store.place, store.storage.status().engine)?;
    writeln!(out, "  access    {}", access_note(config, address))?;
    writeln!(out, "  web       {pages}/")?;
    writeln!(out, "  forum     {pages}/forum")?;
    writeln!(out, "            {}", review_note(&config.forum))?;
    writeln!(out, "  models    {}", models.configured().join(", "))?;
    writeln!(out, "            {}", default_models(config))?;
    writeln!(out, "  API       {url}/docs\n")?;
    let token = if config.token.is_some() { " where DEBATE_AUTH_TOKEN is set" } else { "" };
    writeln!(out, "Open {pages}/ in a browser, or run this in another terminal{token}:")?;
    let server = if url == DEFAULT_URL { String::new() } else { format!(" --server '{url}'") };
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

/// What asks the server to stop.
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

    /// The first one stops in an orderly way, the second at once.
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
