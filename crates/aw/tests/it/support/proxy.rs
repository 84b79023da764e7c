//! A proxy that forwards everything or answers 503 to everything. A change
//! closes all open connections.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The handling of connections.
#[derive(Clone)]
enum Target {
    To(String),
    Refused,
}

/// A proxy whose server can be changed or removed.
pub(crate) struct Proxy {
    pub(crate) address: String,
    way: watch::Sender<Target>,
}

impl Proxy {
    /// Refuses every request until `lead_to` is called.
    pub(crate) async fn refusing() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound").to_string();
        let (way, follows) = watch::channel(Target::Refused);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, follows.clone()));
            }
        });
        Self { address, way }
    }

    pub(crate) fn forward_to(&self, address: &str) {
        self.way.send_replace(Target::To(address.to_owned()));
    }

    pub(crate) fn refuse(&self) {
        self.way.send_replace(Target::Refused);
    }
}

async fn serve(mut stream: TcpStream, mut way: watch::Receiver<Target>) {
    let chosen = way.borrow_and_update().clone();
    let served = async {
        match chosen {
            Target::To(address) => {
                // Without a listening server the connection is closed.
                let Ok(mut server) = TcpStream::connect(address).await else { return };
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
            }
            Target::Refused => {
                let mut request = [0; 16 * 1024];
                let _ = stream.read(&mut request).await;
                let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\
                              Connection: close\r\n\r\n";
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        }
    };
    tokio::select! {
        () = served => {}
        _ = way.changed() => {}
    }
}
