//! The pages under the path of a proxy: haproxy removes or keeps the base path, and answers 404 to
//! every path outside it.

use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::io::{FdFlags, fcntl_setfd};
use tokio::process::{Child, Command};

use crate::support::browser::Browser;
use crate::support::visitor::Visitor;
use crate::support::{Debate, Reply, Server, Setup};
use crate::web::appearance::create_examples;
use crate::web::{forum, runner};

const BASE: &str = "/tools/debating";
const TOKEN: &str = "a-token-nobody-would-guess-0123456789";

/// haproxy in front of a server. The listener is bound before haproxy starts, so that no
/// client connects too early.
struct Haproxy {
    address: String,
    _haproxy: Child,
}

impl Haproxy {
    fn start(home: &Path, server: &Server, rule: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        fcntl_setfd(&listener, FdFlags::empty()).expect("it is ours");
        let configuration = format!(
            "defaults\n mode http\n timeout connect 2s\n timeout client 75s\n timeout server 75s\n\
             listen prefix\n bind fd@{}\n option http-no-delay\n\
             http-request deny deny_status 404 unless {{ path {BASE} }} || {{ path_beg {BASE}/ }}\n\
             {rule}\n server aw {}\n",
            listener.as_raw_fd(),
            server.address()
        );
        let file = home.join("prefix.cfg");
        std::fs::write(&file, configuration).expect("the folder is ours");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut haproxy = Command::new("haproxy");
        // Debian installs haproxy in /usr/sbin.
        haproxy.env("PATH", format!("{path}:/usr/sbin")).arg("-db").arg("-f").arg(file);
        let haproxy = haproxy.kill_on_drop(true).spawn().expect("haproxy is installed");
        Self { address, _haproxy: haproxy }
    }
}

/// Logs in, follows a debate live, intervenes, and logs out, all below the base path.
async fn assert_usable_through(rule: &str) {
    let setup = Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN).env("DEBATE_BASE_PATH", BASE);
    let server = setup.start().await.with_token(TOKEN);
    let proxy = Haproxy::start(setup.home().path(), &server, rule);
    let debate = Debate::open(&server).await;
    let page = debate.page().await;
    let browser = Browser::open().await;
    let front = format!("http://{}{BASE}", proxy.address);
    let is_at = async |path: &str| {
        browser.wait_for(&format!("location.pathname === '{BASE}{path}'")).await;
    };
    browser.visit(&format!("{front}/")).await;
    is_at("/login").await;
    browser.fill("#token", TOKEN).await;
    browser.click("main button").await;
    is_at("/").await;
    for key in ["g", "a"] {
        browser.press(key).await;
    }
    is_at("/arena").await;
    browser.click("a.title").await;
    is_at(&page).await;
    browser.wait_for("document.getElementById('live').textContent === 'Live'").await;
    debate.claim("opponent", &debate.motion, "while-looking").await;
    browser.wait_for("document.querySelectorAll('.turn').length === 2").await;
    browser.fill("#content", "Wait.").await;
    browser.click("#seat button[type=submit]").await;
    browser.wait_for("document.getElementById('effect') !== null").await;
    browser.click("main button.strong").await;
    browser.wait_for("location.hash === '#seq-3'").await;
    is_at(&page).await;
    browser.visit(&format!("{front}/docs")).await;
    browser.click("h1 a").await;
    is_at("/").await;
    browser.click("form.leave button").await;
    is_at("/login").await;
    let failed = |complaint: &String| complaint.contains("Failed to load");
    assert_eq!(browser.console_messages().await.into_iter().find(failed), None);
    browser.close().await;
}

#[tokio::test]
async fn pages_work_behind_a_proxy_that_removes_the_base_path() {
    let rule = format!("http-request replace-path {BASE}/?(.*) /\\1");
    assert_usable_through(&rule).await;
}

#[tokio::test]
async fn pages_work_behind_a_proxy_that_keeps_the_base_path() {
    assert_usable_through("").await;
}

/// The paths on this server in a page: targets of links, forms, files and streams.
fn local_paths(page: &str) -> Vec<&str> {
    let names =
        [" href=\"", " action=\"", " src=\"", " formaction=\"", " data-news=\"", " data-stream=\""];
    let values = names.iter().flat_map(|name| page.split(name).skip(1));
    let values = values.filter_map(|rest| rest.split('"').next());
    values.filter(|value| value.starts_with('/')).collect()
}

#[tokio::test]
async fn every_local_path_in_every_page_begins_with_the_base_path() {
    let setup = forum::with_reviewer_and_limits(runner::setup()).env("DEBATE_BASE_PATH", BASE);
    let server = setup.start().await;
    let (of_the_forum, key) = forum::create_examples(&server).await;
    let pages = create_examples(&server).await.into_iter().chain(of_the_forum);
    let agent = Visitor::at(&server);
    agent.get("/forum/login").await;
    assert_eq!(agent.post("/forum/login", &[("key", &key)]).await.status, 303);
    for (page, path) in pages.chain([("forum-mine", "/forum/mine".to_owned())]) {
        for path in [path.clone(), format!("{BASE}{path}")] {
            let text = agent.get(&path).await.text;
            let own = local_paths(&text);
            assert!(!own.is_empty(), "{page} leads somewhere: {text}");
            for path in own {
                assert!(path.starts_with(&format!("{BASE}/")), "{page} leads to {path}");
            }
        }
    }
    let cookies = Visitor::at(&server).get("/forum").await;
    let cookie = cookies.header("set-cookie").expect("a form's cookie").to_owned();
    assert!(cookie.contains(&format!("; Path={BASE};")), "{cookie}");
}

#[tokio::test]
async fn redirects_and_links_in_headers_begin_with_the_base_path() {
    let server = Setup::new().env("DEBATE_BASE_PATH", BASE).start().await;
    let visitor = Visitor::at(&server);
    for (path, place) in [
        ("/debate", "/arena"),
        ("/arena/", "/arena"),
        ("/forum/mine", "/forum/login?next=%2Fforum%2Fmine"),
    ] {
        for path in [path.to_owned(), format!("{BASE}{path}")] {
            let reply = visitor.get(&path).await;
            assert_eq!(reply.header("location"), Some(&*format!("{BASE}{place}")), "{path}");
        }
    }
    for topic in ["one", "two"] {
        server.post("/runner/debates", &serde_json::json!({ "topic": topic })).await;
    }
    let page =
        Reply::receive(server.request(reqwest::Method::GET, "/runner/debates?limit=1")).await;
    let link = page.header("link").expect("there is more").to_owned();
    assert!(link.starts_with(&format!("<{BASE}/runner/debates?")), "{link}");
}
