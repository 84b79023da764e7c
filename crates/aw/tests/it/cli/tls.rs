//! `https://` servers: only certificates that the system trusts are accepted.

use std::process::Stdio;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Cli, Debate, Server};

/// A TLS-terminating proxy in Node, independent of the TLS library under test.
const TLS_PROXY: &str = "
const https = require('https'), http = require('http'), fs = require('fs');
const options = { key: fs.readFileSync('key.pem'), cert: fs.readFileSync('cert.pem') };
const front = https.createServer(options, (q, r) => {
  const path = q.url.replace('/team', '');
  const headers = { ...q.headers, host: process.argv[1] };
  const [host, port] = process.argv[1].split(':');
  q.pipe(http.request({ host, port, path, method: q.method, headers }, (answer) => {
    r.writeHead(answer.statusCode, answer.headers);
    answer.pipe(r);
  }));
});
front.listen(0, '127.0.0.1', () => console.log(front.address().port));";

#[tokio::test]
async fn only_a_trusted_certificate_is_accepted() {
    let folder = TempDir::new().expect("there is room");
    let names = ["localhost".to_owned()];
    let own = rcgen::generate_simple_self_signed(names).expect("a certificate can be made");
    for (file, text) in [("cert.pem", own.cert.pem()), ("key.pem", own.signing_key.serialize_pem())]
    {
        std::fs::write(folder.path().join(file), text).expect("the folder is ours");
    }
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let mut front = tokio::process::Command::new("node")
        .args(["-e", TLS_PROXY, server.address()])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node runs");
    let stdout = front.stdout.take().expect("it was piped");
    let port = BufReader::new(stdout).lines().next_line().await.expect("it is text");
    let url = format!("https://localhost:{}/team", port.expect("it listens"));

    let stranger = Cli::at(&server).env("DEBATE_SERVER_URL", &url);
    let output = stranger.run(&["debate", "list"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_UNREACHABLE"));
    assert!(output.out.contains("the certificate is not trusted"), "{}", output.out);

    let certificate = folder.path().join("cert.pem").display().to_string();
    let friend = stranger.env("SSL_CERT_FILE", &certificate);
    let output = friend.run(&["debate", "list"]).await;
    assert_eq!(output.json()["total_count"], 1, "the base path is kept");
    debate.intervene().await;
    debate.rule(true).await;
    let watched = friend.run(&["debate", "watch", "--debate-id", &debate.id]).await;
    assert_eq!(watched.out.lines().count(), 3, "{watched:?}");
}
