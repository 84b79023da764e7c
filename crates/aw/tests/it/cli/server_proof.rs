//! The proof that a server on this machine sends before the command line sends it the token.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{Cli, Server, Setup};

const TOKEN: &str = "a-token-of-the-tests";

async fn start_with_token() -> Server {
    Setup::new().env("DEBATE_AUTH_TOKEN", TOKEN).start().await
}

fn decode_hex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("it is hexadecimal");
    (0..text.len()).step_by(2).map(byte).collect()
}

#[tokio::test]
async fn proof_is_the_hmac_of_purpose_port_and_nonce() {
    let server = start_with_token().await;
    let nonce = "0123456789abcdef".repeat(4);
    let reply = server.get(&format!("/proof?of=server&nonce={nonce}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let (_, port) = server.address().rsplit_once(':').expect("it has a port");
    let key = Sha256::digest(TOKEN);
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&key).expect("any key will do");
    mac.update(format!("aweave-proof-v1 server {port} {nonce}").as_bytes());
    let expected: Vec<u8> = mac.finalize().into_bytes().to_vec();
    assert_eq!(decode_hex(reply.data()["proof"].as_str().expect("it is text")), expected);
    assert_eq!(reply.data()["port"].to_string(), port);
}

#[tokio::test]
async fn proof_refuses_other_purposes_and_nonces() {
    let server = start_with_token().await;
    let nonce = "a".repeat(64);
    for query in [
        String::new(),
        "?of=server".to_owned(),
        format!("?nonce={nonce}"),
        format!("?of=session&nonce={nonce}"),
        format!("?of=server&nonce={}", "a".repeat(63)),
        format!("?of=server&nonce={}", "a".repeat(65)),
        format!("?of=server&nonce={}", "g".repeat(64)),
    ] {
        let reply = server.get(&format!("/proof{query}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "INVALID_INPUT"), "{query}");
    }
}

#[tokio::test]
async fn command_line_sends_the_token_to_a_server_that_has_it() {
    let server = start_with_token().await;
    let cli = Cli::at(&server).env("DEBATE_AUTH_TOKEN", TOKEN);
    let output = cli.run(&["debate", "list"]).await;
    assert_eq!(output.code, 0, "{output:?}");
    let other = Cli::at(&server).env("DEBATE_AUTH_TOKEN", "another-token-altogether");
    let output = other.run(&["debate", "list"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (6, "SERVER_NOT_PROVEN"), "{output:?}");
}

#[tokio::test]
async fn command_line_sends_no_token_to_a_server_without_one() {
    let server = Server::start().await;
    let cli = Cli::at(&server).env("DEBATE_AUTH_TOKEN", TOKEN);
    assert_eq!(cli.run(&["debate", "list"]).await.code, 0);
}

/// Another process on the port, which relays the challenge to the real server.
#[tokio::test]
async fn command_line_sends_no_token_to_a_process_that_relays_the_proof() {
    let server = start_with_token().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it listens"));
    let real = server.address().to_owned();
    let relay = tokio::spawn(async move {
        let mut received = Vec::new();
        let (mut client, _) = listener.accept().await.expect("it connects");
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = client.read(&mut buffer).await.unwrap_or_default();
            if count == 0 {
                return String::from_utf8_lossy(&received).into_owned();
            }
            received.extend_from_slice(&buffer[..count]);
            let request = String::from_utf8_lossy(&buffer[..count]).into_owned();
            let own = client.local_addr().expect("it is connected").to_string();
            let mut there = tokio::net::TcpStream::connect(&real).await.expect("it listens");
            let passed_on = request.replace(&own, &real);
            there.write_all(passed_on.as_bytes()).await.expect("it reads");
            let count = there.read(&mut buffer).await.expect("it answers");
            client.write_all(&buffer[..count]).await.expect("it reads");
        }
    });
    let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &url).env("DEBATE_AUTH_TOKEN", TOKEN);
    let output = cli.run(&["debate", "list"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (6, "SERVER_NOT_PROVEN"), "{output:?}");
    let received = relay.await.expect("it ends with the connection");
    assert!(received.contains("/proof?of=server"), "{received}");
    assert!(!received.contains(TOKEN), "the token was sent");
}
