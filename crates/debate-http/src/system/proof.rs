//! Proves to a client that this server has the token, without revealing the token.

use axum::extract::State;
use debate_wire::{Failure, NONCE_DIGITS, Proof, ProofQuery, Success, proof_text};

use crate::access::Token;
use crate::app_state::{Services, Settings};
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, ParsedQuery};
use crate::reply::Reply;

/// Prove that the server holds its token or the arbitrator token
///
/// A client asks for this proof before it sends the token, so that it does not reveal the token to
/// another process on the same port.
#[utoipa::path(
    get, path = "/proof", tag = "system", security(()),
    params(ProofQuery),
    responses(
        (status = 200, description = "The proof; null if the server was started without this token",
            body = Success<Proof>),
        (status = 400, description = "A parameter is invalid; see `error.field`", body = Failure),
    )
)]
pub(crate) async fn proof(
    State(services): State<Services>,
    ParsedQuery(request): ParsedQuery<ProofQuery>,
) -> Result<Reply<Proof>, ErrorResponse> {
    let ProofRequest { secret, nonce } = request;
    let port = services.settings.port;
    let token = secret.token(&services.settings);
    let proof = token.map(|token| token.sign(&proof_text(secret.name(), port, &nonce)));
    Ok(Reply::ok(Proof { proof, port }))
}

/// A secret that the server can prove.
#[derive(Debug, Clone, Copy)]
enum Secret {
    ServerToken,
    ArbitratorToken,
}

impl Secret {
    const ALL: [Self; 2] = [Self::ServerToken, Self::ArbitratorToken];

    const fn name(self) -> &'static str {
        match self {
            Self::ServerToken => "server",
            Self::ArbitratorToken => "arbitrator",
        }
    }

    const fn token(self, settings: &Settings) -> Option<&Token> {
        match self {
            Self::ServerToken => settings.token.as_ref(),
            Self::ArbitratorToken => settings.arbitrator.as_ref(),
        }
    }
}

/// The secret to prove, and the client's nonce, of the right form.
pub(crate) struct ProofRequest {
    secret: Secret,
    nonce: String,
}

impl Parse for ProofQuery {
    type Domain = ProofRequest;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<ProofRequest, Unacceptable> {
        let secret =
            Secret::ALL.into_iter().find(|secret| self.of.as_deref() == Some(secret.name()));
        let secret =
            secret.ok_or_else(|| Invalid::new("of", "must be `server` or `arbitrator`"))?;
        let is_nonce = |text: &String| {
            text.len() == NONCE_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let invalid =
            || Invalid::new("nonce", format!("must be {NONCE_DIGITS} hexadecimal digits"));
        Ok(ProofRequest { secret, nonce: self.nonce.filter(is_nonce).ok_or_else(invalid)? })
    }
}
