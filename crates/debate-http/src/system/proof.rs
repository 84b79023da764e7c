//! Proves to a client that this server has the token, without revealing the token.

use axum::extract::State;
use debate_wire::{Failure, NONCE_DIGITS, Proof, ProofQuery, Success, proof_text};

use crate::app_state::{Services, Settings};
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, ParsedQuery};
use crate::reply::Reply;

/// The secret that can be proven.
const SERVER: &str = "server";

/// Prove that the server holds its token
///
/// A client asks for this proof before it sends the token, so that it does not reveal the token to
/// another process on the same port.
#[utoipa::path(
    get, path = "/proof", tag = "system", security(()),
    params(ProofQuery),
    responses(
        (status = 200, description = "The proof; null if the server was started without a token",
            body = Success<Proof>),
        (status = 400, description = "A parameter is invalid; see `error.field`", body = Failure),
    )
)]
pub(crate) async fn proof(
    State(services): State<Services>,
    ParsedQuery(Nonce(nonce)): ParsedQuery<ProofQuery>,
) -> Result<Reply<Proof>, ErrorResponse> {
    let port = services.settings.port;
    let token = services.settings.token.as_ref();
    let proof = token.map(|token| token.sign(&proof_text(SERVER, port, &nonce)));
    Ok(Reply::ok(Proof { proof, port }))
}

/// The client's nonce, of the right form.
pub(crate) struct Nonce(String);

impl Parse for ProofQuery {
    type Domain = Nonce;

    const FIELDS: &'static [(&'static str, &'static str)] = &[];

    fn parse(self, _: &Settings) -> Result<Nonce, Unacceptable> {
        if self.of.as_deref() != Some(SERVER) {
            return Err(Invalid::new("of", "must be `server`").into());
        }
        let is_nonce = |text: &String| {
            text.len() == NONCE_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let nonce = self.nonce.filter(is_nonce);
        let invalid =
            || Invalid::new("nonce", format!("must be {NONCE_DIGITS} hexadecimal digits"));
        Ok(Nonce(nonce.ok_or_else(invalid)?))
    }
}
