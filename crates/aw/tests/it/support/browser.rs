//! A real browser, driven through WebDriver.
//!
//! The protocol is a dozen JSON calls over HTTP. Functions that WebDriver lacks (dark mode, narrow
//! screens, no script, requested addresses) use chromedriver's access to the `DevTools` protocol.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{HANG, client, until};

/// WebDriver's key for element references.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with its own profile. Dropping it ends the process.
pub(crate) struct Browser {
    client: reqwest::Client,
    session: String,
    driver: Driver,
    _profile: TempDir,
}

/// chromedriver, in its own process group. SIGTERM ends it and usually its browser. A remaining
/// browser is killed with the group: it would take processor time from later tests.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let asked = pid.map(|pid| kill_process(pid, Signal::TERM));
        if !matches!(asked, Some(Ok(()))) {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
        let _ = pid.map(|pid| kill_process_group(pid, Signal::KILL));
    }
}

impl Browser {
    pub(crate) async fn open() -> Self {
        let profile = TempDir::new().expect("the system has a folder for temporary files");
        let (driver, port) = start_driver();
        let client = client();
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-proxy-server",
            "--no-first-run",
            "--hide-scrollbars",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,900",
            "--host-resolver-rules=MAP *.test 127.0.0.1",
            &format!("--user-data-dir={}", profile.path().display()),
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": chromium(), "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let base = format!("http://127.0.0.1:{port}/session");
        let opened = call(&client, &base, Some(&wanted)).await;
        let id = opened["sessionId"].as_str().expect("a session has an id").to_owned();
        Self { client, session: format!("{base}/{id}"), driver, _profile: profile }
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        call(&self.client, &format!("{}/{path}", self.session), Some(body)).await
    }

    async fn get(&self, path: &str) -> Value {
        call(&self.client, &format!("{}/{path}", self.session), None).await
    }

    pub(crate) async fn visit(&self, url: &str) {
        self.post("url", &json!({ "url": url })).await;
    }

    pub(crate) async fn url(&self) -> String {
        self.get("url").await.as_str().expect("an address is text").to_owned()
    }

    /// The value of a JavaScript expression in the page.
    pub(crate) async fn eval(&self, expression: &str) -> Value {
        let script = format!("return ({expression})");
        self.post("execute/sync", &json!({ "script": script, "args": [] })).await
    }

    /// The resolved value of a promise.
    pub(crate) async fn eval_async(&self, expression: &str) -> Value {
        let script = format!("({expression}).then(arguments[0], (e) => arguments[0](`${{e}}`))");
        self.post("execute/async", &json!({ "script": script, "args": [] })).await
    }

    /// Runs statements in the page.
    pub(crate) async fn run(&self, script: &str) {
        self.post("execute/sync", &json!({ "script": script, "args": [] })).await;
    }

    /// The visible text of the first matching element, or an empty text.
    pub(crate) async fn text(&self, selector: &str) -> String {
        let expression = format!("document.querySelector({selector:?})?.innerText ?? ''");
        self.eval(&expression).await.as_str().unwrap_or_default().to_owned()
    }

    pub(crate) async fn count(&self, selector: &str) -> u64 {
        let expression = format!("document.querySelectorAll({selector:?}).length");
        self.eval(&expression).await.as_u64().expect("a length is a number")
    }

    async fn element(&self, selector: &str) -> String {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.post("element", &wanted).await;
        let id = found[ELEMENT].as_str();
        id.unwrap_or_else(|| panic!("{selector} is not there: {found}")).to_owned()
    }

    pub(crate) async fn click(&self, selector: &str) {
        let element = self.element(selector).await;
        let done = self.post(&format!("element/{element}/click"), &json!({})).await;
        assert!(done.is_null(), "{selector}: {done}");
    }

    /// Types the text with key events.
    pub(crate) async fn fill(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        let done = self.post(&format!("element/{element}/value"), &json!({ "text": text })).await;
        assert!(done.is_null(), "{selector}: {done}");
    }

    /// Presses a key on the page.
    pub(crate) async fn press(&self, key: &str) {
        let strokes = [("keyDown", key), ("keyUp", key)];
        let strokes = strokes.map(|(kind, key)| json!({ "type": kind, "value": key }));
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] });
        self.post("actions", &actions).await;
    }

    /// Waits until an expression holds in the page.
    pub(crate) async fn wait_for(&self, expression: &str) {
        until(expression, || async { self.eval(expression).await == true }).await;
    }

    /// Sends a `DevTools` command.
    pub(crate) async fn devtools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.post("goog/cdp/execute", &body).await
    }

    pub(crate) async fn disable_script(&self) {
        self.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
    }

    pub(crate) async fn set_theme(&self, name: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": name }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": feature })).await;
    }

    pub(crate) async fn set_width(&self, pixels: u32) {
        let size = json!({
            "width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": pixels < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// A screenshot of the complete page as a PNG.
    pub(crate) async fn screenshot(&self) -> Vec<u8> {
        self.capture(json!({ "format": "png", "captureBeyondViewport": true })).await
    }

    /// A screenshot of the upper part of the page as a PNG.
    pub(crate) async fn screenshot_of_top(&self, width: u32, height: u32) -> Vec<u8> {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        self.capture(wanted).await
    }

    async fn capture(&self, wanted: Value) -> Vec<u8> {
        let taken = self.devtools("Page.captureScreenshot", wanted).await;
        let text = taken["data"].as_str().unwrap_or_else(|| panic!("no picture: {taken}"));
        decode_base64(text)
    }

    /// Console messages of the page and the browser since the last call.
    pub(crate) async fn console_messages(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({ "type": "browser" })).await;
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].to_string()).collect()
    }

    /// Every address that the browser requested since the last call.
    pub(crate) async fn requested_urls(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({ "type": "performance" })).await;
        let mut found = Vec::new();
        for entry in entries.as_array().cloned().unwrap_or_default() {
            let text = entry["message"].as_str().unwrap_or_default();
            let event: Value = serde_json::from_str(text).unwrap_or_default();
            let event = &event["message"];
            if event["method"] == "Network.requestWillBeSent" {
                let url = event["params"]["request"]["url"].as_str();
                found.push(url.expect("a request has an address").to_owned());
            }
        }
        found
    }

    /// Ends the browser before its driver, which is faster.
    pub(crate) async fn close(self) {
        let _ = self.client.delete(&self.session).timeout(HANG).send().await;
        drop(self.driver);
    }
}

fn chromium() -> &'static str {
    let places = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"];
    places.into_iter().find(|place| std::path::Path::new(place).exists()).expect("it is installed")
}

/// chromedriver chooses its port itself and, seldom, exits without listening. It is then started
/// again, up to three times.
fn start_driver() -> (Driver, u16) {
    (0..3).find_map(|_| try_start_driver()).expect("chromedriver listens")
}

fn try_start_driver() -> Option<(Driver, u16)> {
    let mut child = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("chromedriver is installed");
    let mut lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
    let driver = Driver(child);
    let port = lines.find_map(|line| {
        let line = line.ok()?;
        line.split(" successfully on port ").nth(1)?.trim_end_matches('.').parse().ok()
    });
    // chromedriver continues to print, and would block on a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port?))
}

async fn call(client: &reqwest::Client, url: &str, body: Option<&Value>) -> Value {
    let request = match body {
        Some(body) => client.post(url).json(body),
        None => client.get(url),
    };
    let response = request.timeout(HANG).send().await.expect("the driver answers");
    let answer: Value = response.json().await.expect("it answers with JSON");
    answer["value"].clone()
}

/// Decodes Base64, the encoding of screenshots.
fn decode_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_usize, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let digit = LETTERS.iter().position(|known| *known == letter).expect("it is Base64");
        held = (held << 6 | digit) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).expect("eight bits are a byte"));
        }
    }
    bytes
}

/// Serves the page on a free port until the process ends.
pub(crate) async fn serve_page(page: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let page = page.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
                let answer = format!("{head}Content-Length: {}\r\n\r\n{page}", page.len());
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    port
}
