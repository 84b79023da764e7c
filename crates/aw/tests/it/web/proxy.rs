//! A proxy that forwards everything or answers 503 to everything. A change
//! closes all open connections.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The handling of connections.
#[derive(Clone)]
enum Way {
    To(String),
    Refused,
}

/// A proxy whose server can be changed or removed.
pub(super) struct Proxy {
    pub(super) address: String,
    way: watch::Sender<Way>,
}

impl Proxy {
    /// Refuses every request until `lead_to` is called.
    pub(super) async fn shut() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound").to_string();
        let (way, follows) = watch::channel(Way::Refused);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, follows.clone()));
            }
        });
        Self { address, way }
    }

    pub(super) fn lead_to(&self, address: &str) {
        self.way.send_replace(Way::To(address.to_owned()));
    }

    pub(super) fn refuse(&self) {
        self.way.send_replace(Way::Refused);
    }
}

async fn serve(mut stream: TcpStream, mut way: watch::Receiver<Way>) {
    let chosen = way.borrow_and_update().clone();
    let served = async {
        match chosen {
            Way::To(address) => {
                // Without a listening server the connection is closed.
                let Ok(mut server) = TcpStream::connect(address).await else { return };
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
            }
            Way::Refused => {
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
