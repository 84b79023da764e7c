//! TLS: encryption and certificate checks of each `sslmode`.

use aw_testbed::{Certificate, Cluster, Options};
use debate_store::{ConnectError, Postgres, PostgresOptions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tempfile::TempDir;

use crate::engine::notifier;
use crate::postgres::store_on;

/// A certificate authority, and its certificate in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut root = CertificateParams::default();
        root.distinguished_name.push(DnType::CommonName, name);
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("keys can be made");
        let issuer = CertifiedIssuer::self_signed(root, key).expect("a root signs itself");
        let folder = TempDir::new().expect("the system has a folder for temporary files");
        std::fs::write(folder.path().join("root.pem"), issuer.pem()).expect("the folder is ours");
        Self { issuer, folder }
    }

    /// A certificate for a server with this name.
    fn certificate(&self, name: &str) -> Certificate {
        let key = KeyPair::generate().expect("keys can be made");
        let params = CertificateParams::new([name.to_owned()]).expect("the name is plain");
        let chain = params.signed_by(&key, &self.issuer).expect("a root signs").pem();
        Certificate { chain, key: key.serialize_pem() }
    }

    fn verifying(&self, cluster: &Cluster) -> String {
        self.trusting(cluster, "verify-full")
    }

    fn trusting(&self, cluster: &Cluster, mode: &str) -> String {
        let root = self.folder.path().join("root.pem");
        format!("{}?sslmode={mode}&sslrootcert={}", cluster.url("postgres"), root.display())
    }
}

fn cluster_with(certificate: Certificate) -> Cluster {
    let certificate = Some(certificate);
    Cluster::start_with(Options { certificate, ..Options::default() }).expect("it starts")
}

/// Whether all connections of the store are encrypted, as the server reports them.
fn all_encrypted(cluster: &Cluster) -> bool {
    let question = "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid)
                    where application_name = 'aweave'";
    let answer = aw_testbed::sql(&cluster.url("postgres"), &[question]).expect("it can be asked");
    assert!(["t", "f"].contains(&answer.as_str()), "no connection: {answer:?}");
    answer == "t"
}

/// The reason why the server is not trusted.
async fn refusal(url: String) -> String {
    match Postgres::open(&PostgresOptions::at(url), notifier()).await {
        Err(ConnectError::Insecure { message, .. }) => message,
        Err(other) => panic!("refused for another reason: {other}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[tokio::test]
async fn valid_certificate_is_accepted_and_all_connections_are_encrypted() {
    let authority = Authority::new("ours");
    let cluster = cluster_with(authority.certificate("127.0.0.1"));
    let on = store_on(&authority.verifying(&cluster)).await;
    let debate = on.open_long_debate(3).await;
    assert_eq!(on.arguments(debate).await.len(), 4);
    assert!(all_encrypted(&cluster));
}

#[tokio::test]
async fn sslmode_prefer_encrypts_and_disable_does_not() {
    let cluster = cluster_with(Authority::new("ours").certificate("somewhere.else"));
    for (mode, encrypted) in [
        ("", true),
        ("?sslmode=prefer", true),
        ("?sslmode=require", true),
        ("?sslmode=disable", false),
    ] {
        let on = store_on(&format!("{}{mode}", cluster.url("postgres"))).await;
        assert_eq!(all_encrypted(&cluster), encrypted, "{mode}");
        drop(on);
    }
}

#[tokio::test]
async fn invalid_certificate_is_refused() {
    let (ours, another) = (Authority::new("ours"), Authority::new("another"));
    let cluster = cluster_with(another.certificate("127.0.0.1"));
    let message = refusal(ours.verifying(&cluster)).await;
    assert!(message.contains("UnknownIssuer"), "{message}");
    let cluster = cluster_with(ours.certificate("somewhere.else"));
    let message = refusal(ours.verifying(&cluster)).await;
    assert!(message.contains("not valid for name"), "{message}");
}

#[tokio::test]
async fn verify_ca_accepts_any_name_and_refuses_an_unknown_issuer() {
    let (ours, another) = (Authority::new("ours"), Authority::new("another"));
    let cluster = cluster_with(ours.certificate("somewhere.else"));
    let on = store_on(&ours.trusting(&cluster, "verify-ca")).await;
    on.open_debate(1).await;
    assert!(all_encrypted(&cluster));
    drop(on);
    let message = refusal(another.trusting(&cluster, "verify-ca")).await;
    assert!(message.contains("UnknownIssuer"), "{message}");
}

#[tokio::test]
async fn server_without_tls_is_refused_if_tls_is_required() {
    let (cluster, authority) = (Cluster::start().unwrap(), Authority::new("ours"));
    let required = format!("{}?sslmode=require", cluster.url("postgres"));
    let issued = authority.trusting(&cluster, "verify-ca");
    for url in [required, issued, authority.verifying(&cluster)] {
        let message = refusal(url).await;
        assert!(message.contains("TLS"), "{message}");
    }
}

#[tokio::test]
async fn sslrootcert_without_verification_is_refused() {
    let url = "postgres://h/d?sslmode=require&sslrootcert=/root.pem";
    let err = Postgres::open(&PostgresOptions::at(url.to_owned()), notifier()).await.err().unwrap();
    assert!(
        matches!(&err, ConnectError::Url(message) if message.contains("verify-full")),
        "{err:?}"
    );
}
